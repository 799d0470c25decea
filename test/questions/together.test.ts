/** Calls and questions at the same time, cancelled calls, and fibers that outlive their call. */
import { assert, describe } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, no, resolver, tool, Yes, yes } from "../rules/kit.ts"

describe("together", () => {
  eras("20 calls of one client that ask at once get each their own answer", (era) =>
    Effect.gen(function* () {
      const parameters = { n: Schema.Int }
      const q = resolver("q", { parameters }, ({ n }) =>
        Elicitation.form({ message: `q${n}?`, schema: Schema.Struct({ n: Schema.Int }) })
      )
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [q] }, () =>
        Effect.map(q.get, ({ n }) => String(n))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: ({ message }) => Answer.accept({ n: Number(message?.slice(1, -1)) })
      })
      const numbers = Array.from({ length: 20 }, (_, n) => n)
      const results = yield* Effect.forEach(numbers, (n) => peer.callTool("t", { n }), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        results.map(({ text }) => text),
        numbers.map(String)
      )
    })
  )

  eras("a cancelled call interrupts the resolver that works for it, and is no suspension", (era) =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<string>()
      const slow = resolver("slow", {}, () =>
        Effect.onExit(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), (exit) =>
          Deferred.succeed(ended, Resolver.isSuspended(exit) ? "suspended" : exit._tag)
        )
      )
      const registrations = tool("t", { dependencies: [slow] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(call)
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
    })
  )

  eras.of("2025-11-25")("a question that a detached fiber left open is taken back before the call's result", (era) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<string>()
      const leaves = resolver("leaves", {}, () =>
        Effect.forkDetach(
          Effect.onExit(Elicitation.form({ message: "?", schema: Yes }), (exit) => Deferred.succeed(ended, exit._tag)),
          { startImmediately: true }
        )
      )
      const registrations = tool("t", { dependencies: [leaves] }, () => Effect.as(Effect.sleep("1 second"), "done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => Answer.never })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).text, "done")
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
      const last = peer.transcript.slice(-2).map(({ message }) => message.method ?? "result")
      assert.deepStrictEqual(last, ["notifications/cancelled", "result"])
    })
  )

  eras("a resolver that times out below a `.result` leaves the questions beside it alone", (era) =>
    Effect.gen(function* () {
      const slow = resolver("slow", { timeout: "1 second" }, () => Effect.never)
      const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: Yes }))
      const above = resolver("above", { dependencies: [slow.result, q] }, () =>
        Effect.map(Context.Service<any, Result.Result<any, any>>("slow.result"), (result) =>
          result !== undefined && Result.isFailure(result) ? result.failure._tag : "in time"
        )
      )
      const registrations = tool("t", { dependencies: [above] }, () => above.get)
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: [yes] } })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      for (let round = 0; round < 2; round++) {
        yield* peer.settle
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual((yield* Fiber.join(call)).text, "TimedOut")
    })
  )

  eras("a resolver may give undefined, and its consumers see it", (era) =>
    Effect.gen(function* () {
      const nothing = resolver("nothing", {}, () => Effect.succeed(undefined))
      const above = resolver("above", { dependencies: [nothing] }, () => Effect.map(nothing.get, (it) => typeof it))
      const registrations = tool("t", { dependencies: [nothing, above] }, () =>
        Effect.map(Effect.all([nothing.get, above.get]), ([it, above]) => `${typeof it} ${above}`)
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "undefined undefined")
    })
  )

  eras.of("2026-07-28")("an answer whose question this round did not reach is kept for the round that does", (era) =>
    Effect.gen(function* () {
      let moody = false
      const mood = resolver("mood", {}, () =>
        Effect.suspend(
          (): Effect.Effect<unknown, unknown, any> =>
            moody ? Elicitation.form({ message: "mood?", schema: Yes }) : Effect.succeed({ ok: true })
        )
      )
      const q = resolver("q", { dependencies: [mood] }, () => Elicitation.form({ message: "q?", schema: Yes }))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.map(q.get, ({ ok }) => String(ok)))
      const peer = yield* Peer.make({ ...era, registrations })
      for (const [answer, isError, text] of [
        [no, false, "false"],
        [Answer.decline, true, "Error executing tool t: Resolver for 'q' could not resolve: elicitation was decline"]
      ] as const) {
        moody = false
        const first = asked(yield* peer.callToolOnce("t"))
        assert.deepStrictEqual(Object.keys(first.inputRequests), ["q"])
        // what it waits for now asks, before it is reached
        moody = true
        const second = asked(yield* peer.retry(first, { inputResponses: { q: answer } }))
        assert.deepStrictEqual(Object.keys(second.inputRequests), ["mood"])
        const result = completed(yield* peer.retry(second, { inputResponses: { mood: yes } }))
        assert.deepStrictEqual([result.isError, result.text], [isError, text])
      }
    })
  )

  eras.of("2026-07-28")("one that was kept and does not fit its question is asked again", (era) =>
    Effect.gen(function* () {
      let moody = false
      const mood = resolver("mood", {}, () =>
        Effect.suspend(
          (): Effect.Effect<unknown, unknown, any> =>
            moody ? Elicitation.form({ message: "mood?", schema: Yes }) : Effect.succeed({ ok: true })
        )
      )
      const q = resolver("q", { dependencies: [mood] }, () => Elicitation.form({ message: "q?", schema: Yes }))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.map(q.get, ({ ok }) => String(ok)))
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("t"))
      moody = true
      const second = asked(yield* peer.retry(first, { inputResponses: { q: Answer.accept({ ok: "?" }) } }))
      const third = asked(yield* peer.retry(second, { inputResponses: { mood: yes } }))
      assert.deepStrictEqual(Object.keys(third.inputRequests), ["q"])
      assert.strictEqual(completed(yield* peer.retry(third, { inputResponses: { q: no } })).text, "false")
    })
  )
})
