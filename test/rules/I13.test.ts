import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Elicitation, Question } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

const moving = (ran = counter()) => {
  let at = 0
  const fickle = resolver("fickle", {}, () =>
    Effect.andThen(
      ran.hit("fickle"),
      Effect.suspend(() => Elicitation.form({ message: `at ${++at}?`, schema: Yes }))
    )
  )
  return fickle
}
const message =
  "Error executing tool t: Resolver 'fickle' asked a question that changed 2 times while it was being answered; what it shows must not depend on the time, on chance or on data that moves: durable values, Call.id and Call.startedAt stand still"

const era2026 = eras.of("2026-07-28")

describe("I13", () => {
  era2026("I13: a question that keeps changing ends the call after two stale answers, naming the resolver", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const registrations = tool("t", { dependencies: [moving()] }, () => ran.hit("body"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { fickle: [yes, yes] } })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, message])
      assert.strictEqual(ran.count("body"), 0)
    })
  )

  era2026("I13: no code around the question, and no `.result`, makes it an endless prompt", (era) =>
    Effect.gen(function* () {
      const fickle = moving()
      const above = resolver("above", { dependencies: [fickle.result] }, () => Effect.succeed("above"))
      let at = 0
      const stubborn = resolver("stubborn", {}, () =>
        Effect.retry(
          Effect.suspend(() => Elicitation.form({ message: `at ${++at}?`, schema: Yes })),
          { times: 100 }
        ).pipe(
          Effect.catchCause(() => Effect.succeed({ ok: true })),
          Effect.exit
        )
      )
      const peer = yield* Peer.make({
        ...era,
        registrations: Layer.mergeAll(
          tool("t", { dependencies: [stubborn] }, () => Effect.succeed("done")),
          tool("u", { dependencies: [above] }, () => above.get)
        ),
        answers: { stubborn: [yes, yes], fickle: [yes, yes] }
      })
      const result = yield* peer.callTool("t")
      assert.isTrue(result.isError)
      assert.include(result.text, "Resolver 'stubborn' asked a question that changed 2 times")
      const other = yield* peer.callTool("u")
      assert.isTrue(other.isError)
      assert.include(other.text, "Resolver 'fickle' asked a question that changed 2 times")
    })
  )

  era2026("I13: the number of stale answers can be set", (era) =>
    Effect.gen(function* () {
      const registrations = tool("t", { dependencies: [moving()] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { fickle: [yes, yes, yes, yes] } })
      const result = yield* peer.callTool("t")
      assert.include(result.text, "changed 4 times")
    }).pipe(Effect.provideService(Question.MaxStaleAnswers, 4))
  )

  era2026("I13: a question that is reworded once is asked again, and its answer counts", (era) =>
    Effect.gen(function* () {
      let at = 0
      const settles = resolver("settles", {}, () =>
        Effect.suspend(() => Elicitation.form({ message: `at ${Math.min(++at, 2)}?`, schema: Yes }))
      )
      const registrations = tool("t", { dependencies: [settles] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { settles: [yes, yes] } })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
    })
  )

  era2026("I13: stale answers are counted for each question by itself", (era) =>
    Effect.gen(function* () {
      const words = { a: "a1", b: "b1" }
      const ask = (key: "a" | "b") =>
        resolver(key, {}, () => Effect.suspend(() => Elicitation.form({ message: words[key], schema: Yes })))
      const registrations = tool("t", { dependencies: [ask("a"), ask("b")] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("t"))
      words.a = "a2"
      const second = asked(yield* peer.retry(first, { inputResponses: { a: yes } }))
      words.b = "b2"
      const third = asked(yield* peer.retry(second, { inputResponses: { b: yes } }))
      assert.strictEqual(completed(yield* peer.retry(third, { inputResponses: { a: yes, b: yes } })).text, "done")
    })
  )

  eras.of("2025-11-25")("I13: on a back channel a question is answered while it stands, however it changes", (era) =>
    Effect.gen(function* () {
      const registrations = tool("t", { dependencies: [moving()] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { fickle: [yes, yes, yes] } })
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* peer.callTool("t")).text, "done")
    })
  )
})
