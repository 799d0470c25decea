import { assert, describe, it } from "@effect/vitest"
import { Cause, Data } from "effect"
import { AskFailed, Declined, MissingCapability } from "../../src/internal/base/questionErrors.ts"
import { ModelError, questionErrorOf } from "../../src/internal/question/modelError.ts"

const resolver = "shop/Tone"
const missing = new MissingCapability({ resolver, requiredCapabilities: { sampling: {} } })
const failed = (reason: AskFailed["reason"]) => new AskFailed({ resolver, reason, detail: "no" })
/** A user's own error that looks like ours. */
class Lookalike extends Data.TaggedError("Declined")<{ readonly resolver: string }> {}

describe("the question error of a failure", () => {
  const declined = new Declined({ resolver })
  const timeout = failed("Timeout")

  it("is found as it is, and behind an error of the model", () => {
    assert.strictEqual(questionErrorOf(Cause.fail(declined)), declined)
    assert.strictEqual(questionErrorOf(Cause.fail(new ModelError(timeout))), timeout)
    assert.strictEqual(questionErrorOf(Cause.fail(new ModelError(missing))), missing)
  })

  it("is told by its mark and not by its tag", () => {
    assert.isUndefined(questionErrorOf(Cause.fail(new Lookalike({ resolver }))))
    assert.isUndefined(questionErrorOf(Cause.fail(undefined)))
  })

  it("is a missing capability behind a defect, too, and nothing else is", () => {
    assert.strictEqual(questionErrorOf(Cause.die(new ModelError(missing))), missing)
    assert.isUndefined(questionErrorOf(Cause.die(new ModelError(timeout))))
    assert.isUndefined(questionErrorOf(Cause.die(missing)))
    assert.isUndefined(questionErrorOf(Cause.interrupt()))
  })
})

it("an error of the model says by its reason whose fault it is, in the words of the question's own error", () => {
  const reasons = [
    failed("InvalidAnswer"),
    failed("Timeout"),
    failed("ClientError"),
    failed("Unavailable"),
    missing
  ].map((error) => {
    const { reason } = new ModelError(error)
    assert.include(reason.message, error.message)
    return reason._tag
  })
  assert.deepStrictEqual(reasons, [
    "InvalidOutputError",
    "InternalProviderError",
    "UnknownError",
    "InvalidRequestError",
    "InvalidRequestError"
  ])
})
