/** A call that will be refused for want of a capability asks nothing more, and one that will not be goes on. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { resolver, tool, Yes, yes } from "../rules/kit.ts"

const form = (key: string) => resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))
const url = (key: string) => resolver(key, {}, () => Elicitation.url({ message: `${key}?`, url: "https://pay.test/" }))

describe("refused calls", () => {
  eras("a capability that one branch lacks and handles does not refuse the questions of another", (era) =>
    Effect.gen(function* () {
      const u = url("u")
      // its consumer is refused, and handles it: the call goes on
      class Above extends Resolver.Service<Above>()("above", {
        dependencies: [u] as any,
        resolve: () => u.get
      }) {}
      const registrations = tool("t", { dependencies: [Above.result, form("f")] }, () =>
        Effect.map(Above.result, (result) => result._tag)
      )
      const peer = yield* Peer.make({ ...era, registrations, capabilities: { elicitation: {} }, answers: { f: [yes] } })
      assert.strictEqual((yield* peer.callTool("t")).text, "Failure")
    })
  )

  eras.of("2025-11-25")("a refused call does not wait for a question of a detached fiber", (era) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const u = resolver("u", {}, () =>
        Effect.andThen(Deferred.succeed(gate, undefined), Elicitation.url({ message: "u?", url: "https://pay.test/" }))
      )
      const late = (key: string) =>
        resolver(key, {}, () =>
          Effect.andThen(
            Effect.andThen(Deferred.await(gate), Effect.sleep("1 second")),
            Effect.flatMap(Effect.forkDetach(Elicitation.form({ message: `${key}?`, schema: Yes })), Fiber.join)
          )
        )
      const registrations = tool("t", { dependencies: [u, late("a"), late("b")] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, capabilities: { elicitation: {} } })
      const call = yield* Effect.forkChild(Effect.flip(peer.callTool("t")))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).code, -32021)
      assert.strictEqual(peer.questions.length, 0)
    })
  )

  eras.of("2025-11-25")("a question that is open when the call is refused does not hold it up", (era) =>
    Effect.gen(function* () {
      const late = resolver("late", {}, () =>
        Effect.andThen(Effect.sleep("1 second"), Elicitation.url({ message: "u?", url: "https://pay.test/" }))
      )
      const shielded = resolver("shielded", {}, () =>
        Effect.uninterruptible(Elicitation.form({ message: "s?", schema: Yes }))
      )
      const registrations = tool("t", { dependencies: [form("f"), shielded, late] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        capabilities: { elicitation: {} },
        answers: () => Answer.never
      })
      const call = yield* Effect.forkChild(Effect.flip(peer.callTool("t")))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).code, -32021)
      assert.strictEqual(peer.questions.length, 1)
    })
  )
})
