import { assert, describe } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Resolver } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { counter, resolver, tool, Yes, yes } from "./kit.ts"

const diamond = () => {
  const ran = counter()
  const a = resolver("a", {}, () => Effect.as(ran.hit("a"), ran.count("a") + 1))
  const b = resolver("b", { dependencies: [a] }, () => Effect.tap(a.get, () => ran.hit("b")))
  const c = resolver("c", { dependencies: [a] }, () => Effect.tap(a.get, () => ran.hit("c")))
  const registrations = tool("t", { dependencies: [b, c, a, b, a.result] }, () =>
    Effect.map(Effect.all([a.get, b.get, c.get]), (values) => values.join())
  )
  return { ran, registrations }
}

describe("I1", () => {
  eras("I1: a resolver runs once for all its consumers, and again in the next call", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = diamond()
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "1,1,1")
      assert.deepStrictEqual([...ran.log].sort(), ["a", "b", "c"])
      assert.strictEqual((yield* peer.callTool("t")).text, "2,2,2")
      assert.strictEqual(ran.count("a"), 2)
    })
  )

  eras("I1: a resolver that asks asks once for a plain consumer, a `.result` and a dependent", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const ask = resolver("ask", {}, () =>
        Effect.andThen(ran.hit("ask"), Elicitation.form({ message: "ok?", schema: Yes }))
      )
      const above = resolver("above", { dependencies: [ask.result] }, () =>
        Effect.map(
          Context.Service<any, Result.Result<any, any>>("ask.result"),
          (result) => Result.isSuccess(result) && result.success.ok
        )
      )
      const registrations = tool("t", { dependencies: [ask, above] }, () =>
        Effect.map(Effect.all([ask.get, above.get]), (values) => JSON.stringify(values))
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [yes] } })
      assert.strictEqual((yield* peer.callTool("t")).text, '[{"ok":true},true]')
      // once a round: the first round ends with the question open, on old protocols a call is one round
      assert.strictEqual(ran.count("ask"), era.protocol === "2026-07-28" ? 2 : 1)
    })
  )

  eras("I1: two resolvers of one factory are two, whatever they have in common", (era) =>
    Effect.gen(function* () {
      const make = (name: string) => resolver(`user/${name}`, {}, () => Effect.succeed(name))
      const [alice, bob] = [make("alice"), make("bob")]
      const registrations = tool("t", { dependencies: [alice, bob] }, () =>
        Effect.map(Effect.all([alice.get, bob.get]), (names) => names.join())
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "alice,bob")
    })
  )

  eras("I1: a pool Layer that two resolvers of two tools use is acquired once over 100 calls, released once", (era) =>
    Effect.gen(function* () {
      const seen = { acquired: 0, released: 0, used: 0 }
      class Pool extends Context.Service<Pool, { readonly use: Effect.Effect<number> }>()("Pool") {}
      const pool = Layer.effect(
        Pool,
        Effect.acquireRelease(
          Effect.sync(() => {
            seen.acquired++
            return { use: Effect.sync(() => ++seen.used) }
          }),
          () => Effect.sync(() => void seen.released++)
        )
      )
      class First extends Resolver.Service<First>()("first", {
        resolve: () => Effect.flatMap(Pool, (pool) => pool.use)
      }) {}
      class Second extends Resolver.Service<Second>()("second", {
        dependencies: [First],
        resolve: () =>
          Effect.flatMap(Effect.all([Pool, First]), ([pool, first]) => Effect.map(pool.use, (second) => first + second))
      }) {}
      const registrations = Layer.mergeAll(
        tool("one", { dependencies: [First] }, () => Effect.map(First, String)),
        tool("two", { dependencies: [Second] }, () => Effect.map(Second, String))
      ).pipe(Layer.provide(pool))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, registrations })
          for (let i = 0; i < 50; i++) {
            yield* peer.callTool("one")
            yield* peer.callTool("two")
          }
          assert.deepStrictEqual(seen, { acquired: 1, released: 0, used: 150 })
        })
      )
      assert.strictEqual(seen.released, 1)
    })
  )

  eras("I1: a slow shared resolver whose first consumer times out still serves the second, and ran once", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const slow = resolver("slow", {}, () =>
        Effect.andThen(ran.hit("slow"), Effect.as(Effect.sleep("3 seconds"), "slow"))
      )
      const hasty = resolver("hasty", { dependencies: [slow], timeout: "1 second" }, () => slow.get)
      const patient = resolver("patient", { dependencies: [slow] }, () => slow.get)
      const registrations = tool("t", { dependencies: [hasty.result, patient] }, () =>
        Effect.map(
          Effect.all([Context.Service<any, Result.Result<any, any>>("hasty.result"), patient.get]),
          ([hasty, patient]) => `${Result.isFailure(hasty) ? hasty.failure._tag : "in time"}, ${patient}`
        )
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.settle
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(call)).text, "TimedOut, slow")
      assert.strictEqual(ran.count("slow"), 1)
    })
  )

  eras(
    "I1: a resolver interrupted on its first run, because its only consumer gave up, runs again for a later one",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const slow = resolver("slow", {}, () =>
          Effect.suspend(() => {
            const first = ran.count("slow") === 0
            return Effect.andThen(ran.hit("slow"), first ? Effect.never : Effect.succeed("second run"))
          })
        )
        const hasty = resolver("hasty", { dependencies: [slow], timeout: "1 second" }, () => slow.get)
        const gaveUp = resolver("gaveUp", { dependencies: [hasty.result] }, () => Effect.succeed("gave up"))
        const inner = resolver("inner", { dependencies: [slow] }, () => slow.get)
        const registrations = Layer.mergeAll(
          tool("first", { dependencies: [gaveUp] }, () => gaveUp.get),
          tool("second", { dependencies: [inner] }, () => inner.get)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const first = yield* Effect.forkChild(peer.callTool("first"))
        yield* peer.settle
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(first)).text, "gave up")
        assert.strictEqual((yield* peer.callTool("second")).text, "second run")
        assert.strictEqual(ran.count("slow"), 2)
      })
  )

  eras("I1: 50 overlapping calls with random delays never see each other's values", (era) =>
    Effect.gen(function* () {
      const parameters = { n: Schema.Int }
      const jitter = (n: number, salt: number) => Effect.sleep(((n * 7919 + salt * 104_729) % 97) * 10)
      const a = resolver("a", { parameters }, ({ n }) => Effect.as(jitter(n, 1), `a${n}`))
      const b = resolver("b", { parameters, dependencies: [a] }, ({ n }) => Effect.andThen(jitter(n, 2), a.get))
      const c = resolver("c", { parameters, dependencies: [a] }, ({ n }) => Effect.andThen(jitter(n, 3), a.get))
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [a, b, c] }, ({ n }) =>
        Effect.map(Effect.andThen(jitter(n, 4), Effect.all([a.get, b.get, c.get])), (all) => `${n}:${all.join()}`)
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const calls = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 50 }, (_, n) => n),
          (n) => peer.callTool("t", { n }),
          {
            concurrency: "unbounded"
          }
        )
      )
      for (let i = 0; i < 400; i++) {
        yield* peer.settle
        yield* TestClock.adjust("10 millis")
      }
      const texts = (yield* Fiber.join(calls)).map(({ text }) => text)
      assert.deepStrictEqual(
        texts,
        Array.from({ length: 50 }, (_, n) => `${n}:a${n},a${n},a${n}`)
      )
    })
  )
})
