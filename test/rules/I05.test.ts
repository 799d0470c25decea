import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

const ask = (key: string) => resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))

describe("I5", () => {
  eras("I5: the body does not run while a question of its resolvers is open, and runs once after the answer", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const q = ask("q")
      const registrations = tool("t", { dependencies: [q] }, () => Effect.as(ran.hit("body"), "done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { q: () => Effect.as(ran.hit("answer"), yes) }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual(ran.log, ["answer", "body"])
    })
  )

  eras("I5: a decline, a cancel and a failing resolver never reach the body", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const q = ask("q")
      const registrations = tool("t", { dependencies: [q] }, () => ran.hit("body"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: [Answer.decline, Answer.cancel] } })
      assert.isTrue((yield* peer.callTool("t")).isError)
      assert.isTrue((yield* peer.callTool("t")).isError)
      assert.deepStrictEqual(ran.log, [])
    })
  )

  eras.of("2026-07-28")(
    "I5: a transaction that a completed resolver opened does not commit on an interim round",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const transaction = resolver("transaction", {}, () =>
          Effect.acquireRelease(ran.hit("begin"), (_, exit) =>
            ran.hit(Exit.isSuccess(exit) ? "commit" : Resolver.isSuspended(exit) ? "roll back, suspended" : "roll back")
          )
        )
        const registrations = tool("t", { dependencies: [transaction, ask("q")] }, () =>
          Effect.as(ran.hit("body"), "done")
        )
        const peer = yield* Peer.make({ ...era, registrations, answers: { q: yes } })
        const round = asked(yield* peer.callToolOnce("t"))
        assert.deepStrictEqual(ran.log, ["begin", "roll back, suspended"])
        completed(yield* peer.retry(round))
        assert.deepStrictEqual(ran.log.slice(2), ["begin", "body", "commit"])
      })
  )

  eras.of("2025-11-25")("I5: on a back channel one transaction spans the question, and commits after the body", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const transaction = resolver("transaction", {}, () =>
        Effect.acquireRelease(ran.hit("begin"), (_, exit) => ran.hit(Exit.isSuccess(exit) ? "commit" : "roll back"))
      )
      const registrations = tool("t", { dependencies: [transaction, ask("q")] }, () =>
        Effect.as(ran.hit("body"), "done")
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: [yes, Answer.decline] } })
      yield* peer.callTool("t")
      yield* peer.callTool("t")
      assert.deepStrictEqual(ran.log, ["begin", "body", "commit", "begin", "roll back"])
    })
  )

  eras.of("2026-07-28")("I5: an interim result passes an outputSchema and a logging middleware untouched", (era) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const logging = McpServer.middleware((effect) =>
        Effect.tap(effect, (result) => Effect.sync(() => void seen.push(result)))
      )
      const registrations = tool(
        "t",
        { dependencies: [ask("q")], success: Schema.Struct({ price: Schema.Int }) },
        () => Effect.succeed({ price: 42 }),
        logging.layer
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: yes } })
      const [descriptor] = yield* peer.listTools
      assert.strictEqual(descriptor.outputSchema.type, "object")
      const round = asked(yield* peer.callToolOnce("t"))
      assert.instanceOf(seen[0], McpSchema.InputRequired)
      assert.hasAllKeys(round.raw, ["_meta", "resultType", "inputRequests", "requestState"])
      assert.deepStrictEqual(completed(yield* peer.retry(round)).structuredContent, { price: 42 })
    })
  )

  eras.of("2026-07-28")("I5: an interim result never comes without a question in it", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const registrations = tool("t", { dependencies: [ask("a"), ask("b")] }, () => Effect.as(ran.hit("body"), "done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { a: yes, b: yes } })
      yield* peer.callTool("t")
      const interim = peer.transcript.flatMap(({ message }) =>
        message.result?.resultType === "input_required" ? [message.result] : []
      )
      assert.deepStrictEqual(
        interim.map(({ inputRequests }) => Object.keys(inputRequests)),
        [["a", "b"]]
      )
      for (const result of interim) assert.notProperty(result, "structuredContent")
    })
  )

  eras.of("2025-11-25")(
    "I5: a client that cancels with a question open ends the call: no body, no result, all released",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const released = yield* Deferred.make<void>()
        const held = resolver("held", {}, () =>
          Effect.acquireRelease(ran.hit("acquired"), (_, exit) =>
            Effect.andThen(
              ran.hit(Resolver.isSuspended(exit) ? "suspended" : Exit.isSuccess(exit) ? "success" : "interrupted"),
              Deferred.succeed(released, undefined)
            )
          )
        )
        const registrations = tool("t", { dependencies: [held, ask("q")] }, () => ran.hit("body"))
        const peer = yield* Peer.make({ ...era, registrations, answers: { q: Answer.never } })
        const call = yield* Effect.forkChild(peer.callTool("t"))
        yield* peer.settle
        yield* Fiber.interrupt(call)
        yield* Deferred.await(released)
        assert.deepStrictEqual(ran.log, ["acquired", "interrupted"])
      })
  )

  eras("I5: `.result` lets the body run after a refusal, by choice", (era) =>
    Effect.gen(function* () {
      class Ask extends Resolver.Service<Ask>()("ask", {
        resolve: () => Elicitation.form({ message: "ok?", schema: Yes })
      }) {}
      const registrations = tool("t", { dependencies: [Ask.result] }, () =>
        Effect.map(Ask.result, (result) =>
          result._tag === "Failure" ? result.failure._tag : String(result.success.ok)
        )
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { ask: [yes, Answer.accept({ ok: false }), Answer.decline, Answer.cancel] }
      })
      const texts = []
      for (let i = 0; i < 4; i++) texts.push((yield* peer.callTool("t")).text)
      assert.deepStrictEqual(texts, ["true", "false", "Declined", "Cancelled"])
    })
  )
})
