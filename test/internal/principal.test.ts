import { assert, it } from "@effect/vitest"
import { Option, Result } from "effect"
import { principalOf } from "../../src/internal/state/principal.ts"

it("a request is a text's or nobody's", () => {
  assert.deepStrictEqual(principalOf(Option.some("issuer|subject")), Result.succeed("issuer|subject"))
  assert.deepStrictEqual(principalOf(Option.some("")), Result.succeed(""))
  assert.deepStrictEqual(principalOf(Option.none()), Result.succeed(undefined))
})

it("what a middleware without types provides is never taken for nobody", () => {
  for (const provided of [
    undefined,
    null,
    "ann",
    { _tag: "None" },
    Option.some(undefined),
    Option.some(7),
    Option.some(null)
  ]) {
    assert.isTrue(Result.isFailure(principalOf(provided)), String(provided))
  }
})
