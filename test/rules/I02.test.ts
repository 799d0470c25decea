import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

const asking = (key: string, ran = counter()) =>
  resolver(key, {}, () => Effect.andThen(ran.hit(key), Elicitation.form({ message: `${key}?`, schema: Yes })))

describe("I2", () => {
  eras("I2: three independent one-second resolvers take one second", (era) =>
    Effect.gen(function* () {
      const second = (key: string) => resolver(key, {}, () => Effect.as(Effect.sleep("1 second"), key))
      const [a, b, c] = [second("a"), second("b"), second("c")]
      const registrations = tool("t", { dependencies: [a, b, c] }, () => Effect.map(Clock.currentTimeMillis, String))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).text, "1000")
    })
  )

  eras("I2: a graph costs its longest path, not the sum of its resolvers", (era) =>
    Effect.gen(function* () {
      const slow = (key: string, seconds: number, dependencies: ReadonlyArray<any> = []) =>
        resolver(key, { dependencies }, () => Effect.sleep(`${seconds} seconds`))
      const a = slow("a", 1)
      const b = slow("b", 2, [a])
      const c = slow("c", 1, [a])
      const d = slow("d", 1, [c])
      const registrations = tool("t", { dependencies: [d, b] }, () => Effect.map(Clock.currentTimeMillis, String))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).text, "3000")
    })
  )

  eras.of("2026-07-28")("I2: independent questions share one round, in plan order, also from deep inside", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const [a, b, c] = [asking("a", ran), asking("b", ran), asking("c", ran)]
      const deep = resolver("deep", { dependencies: [b] }, () => Effect.as(ran.hit("deep"), "deep"))
      const registrations = tool("t", { dependencies: [c, deep, a] }, () =>
        Effect.map(Effect.all([a.get, c.get]), (all) => JSON.stringify(all))
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { a: yes, b: yes, c: yes } })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["c", "b", "a"])
      assert.strictEqual(ran.count("deep"), 0)
      completed(yield* peer.retry(round))
      assert.strictEqual(peer.questions.length, 3)
      assert.strictEqual(ran.count("deep"), 1)
    })
  )

  eras.of("2026-07-28")("I2: two questions of one body, asked side by side with a label, share one round", (era) =>
    Effect.gen(function* () {
      const both = resolver("both", {}, () =>
        Effect.all(
          [
            Elicitation.form({ message: "one?", schema: Yes }),
            Elicitation.form({ message: "two?", schema: Yes, label: "second" })
          ],
          { concurrency: "unbounded" }
        )
      )
      const registrations = tool("t", { dependencies: [both] }, () =>
        Effect.map(both.get, (all) => JSON.stringify(all))
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["both", "both#second"])
      const result = completed(yield* peer.retry(round, { inputResponses: { both: yes, "both#second": yes } }))
      assert.strictEqual(result.text, '[{"ok":true},{"ok":true}]')
    })
  )

  eras.of("2026-07-28")(
    "I2: a slow independent resolver runs beside the question, and is there when the round ends",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const slow = resolver("slow", {}, () => Effect.andThen(Effect.sleep("1 second"), ran.hit("slow")))
        const late = resolver("late", { dependencies: [slow] }, () =>
          Elicitation.form({ message: "late?", schema: Yes })
        )
        const registrations = tool("t", { dependencies: [asking("early"), late] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations })
        const call = yield* Effect.forkChild(peer.callToolOnce("t"))
        yield* peer.settle
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(Object.keys(asked(yield* Fiber.join(call)).inputRequests), ["early", "late"])
        assert.strictEqual(ran.count("slow"), 1)
      })
  )

  eras.of("2025-11-25")("I2: on a back channel independent questions go out one at a time", (era) =>
    Effect.gen(function* () {
      let open = 0
      let most = 0
      const [a, b, c] = [asking("a"), asking("b"), asking("c")]
      const registrations = tool("t", { dependencies: [a, b, c] }, () => Effect.succeed("done"))
      const answer = () =>
        Effect.gen(function* () {
          most = Math.max(most, ++open)
          for (let i = 0; i < 20; i++) yield* Effect.yieldNow
          open--
          return yes
        })
      const peer = yield* Peer.make({ ...era, registrations, answers: answer })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual([most, peer.questions.length], [1, 3])
    })
  )

  eras("I2: a failure does not wait for a slow sibling, and interrupts it", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const slow = resolver("slow", {}, () => Effect.onInterrupt(Effect.never, () => ran.hit("interrupted")))
      const bad = resolver("bad", {}, () => Effect.andThen(Effect.sleep("1 second"), Effect.die("boom")))
      const registrations = tool("t", { dependencies: [slow, bad] }, () => ran.hit("body"))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      const result = yield* Fiber.join(call)
      assert.deepStrictEqual([result.isError, result.text], [true, "Error executing tool t: internal error"])
      assert.deepStrictEqual(ran.log, ["interrupted"])
    })
  )
})
