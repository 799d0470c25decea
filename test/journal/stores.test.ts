import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Journal } from "effect-resolve"
import * as Parts from "../replicas/parts.ts"
import { stores } from "./stores.ts"

const claimOf = (key: string, owner: string, lifetime = 60_000) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now): Journal.Claim => ({
      key,
      owner,
      call: `call-${key}`,
      method: "tools/call",
      target: "order",
      since: now - 120_000,
      expiresAt: now + lifetime
    })
  )

/** What memory keeps is a value; what the others keep is a text. They are one here. */
const store = Effect.map(Journal.Journal, (journal) => (journal ?? assert.fail("no journal")).store as Journal.Store)

describe("what the tests of replicas need", () => {
  it("is installed", () => {
    const missing = Parts.missing()
    if (missing.length > 0) console.warn(`left out, because it is not installed: tests with ${missing.join(", ")}`)
    if (process.env.CI !== undefined) assert.deepStrictEqual(missing, [])
  })
})

for (const { layer: layerOf, name, needs } of stores) {
  describe.skipIf(needs.some(Parts.isMissing))(`a journal on ${name}`, () => {
    layer(Layer.orDie(layerOf({})), { excludeTestServices: true, timeout: 60_000 })((it) => {
      it.effect("gives a round to one of those that claim it at once, and tells the others", () =>
        Effect.gen(function* () {
          const { claim } = yield* store
          const claims = yield* Effect.forEach(Array.from({ length: 50 }), (_, i) => claimOf("raced", `owner-${i}`))
          const found = yield* Effect.forEach(claims, claim, { concurrency: "unbounded" })
          assert.strictEqual(found.filter(({ _tag }) => _tag === "Claimed").length, 1)
          assert.strictEqual(found.filter(({ _tag }) => _tag === "Open").length, 49)
        })
      )

      it.effect("gives what was kept to everybody who comes later", () =>
        Effect.gen(function* () {
          const { claim, keep } = yield* store
          const first = yield* claimOf("kept", "a")
          yield* claim(first)
          yield* keep(first, "zażółć 😀 ' \" \\ \n o k s")
          const kept = { _tag: "Kept", kept: "zażółć 😀 ' \" \\ \n o k s" } as const
          assert.deepStrictEqual(yield* claim(yield* claimOf("kept", "b")), kept)
          assert.deepStrictEqual(yield* claim(first), kept)
        })
      )

      it.effect("a claim that was released can be claimed again", () =>
        Effect.gen(function* () {
          const { claim, release } = yield* store
          const first = yield* claimOf("released", "a")
          yield* claim(first)
          yield* release(first)
          assert.deepStrictEqual(yield* claim(yield* claimOf("released", "b")), { _tag: "Claimed" })
        })
      )

      it.effect("only its owner releases or keeps a claim, and nobody releases what is kept", () =>
        Effect.gen(function* () {
          const { claim, keep, release } = yield* store
          const first = yield* claimOf("owned", "a")
          const other = yield* claimOf("owned", "b")
          yield* claim(first)
          yield* release(other)
          yield* keep(other, "not mine")
          assert.deepStrictEqual(yield* claim(other), { _tag: "Open" })
          yield* keep(first, "mine")
          yield* release(first)
          assert.deepStrictEqual(yield* claim(other), { _tag: "Kept", kept: "mine" })
        })
      )

      it.effect("lists what is claimed and has no reply, and settles it either way", () =>
        Effect.gen(function* () {
          const { claim, keep } = yield* store
          const owners = ["doubt-again", "doubt-spent", "doubt-kept"]
          const claims = yield* Effect.forEach(owners, (key) => claimOf(key, key))
          yield* Effect.forEach(claims, claim)
          yield* keep(claims[2]!, "kept")
          const ours = Effect.map(Journal.inDoubt(), (all) => all.filter(({ key }) => key.startsWith("doubt-")))
          assert.sameDeepMembers(
            Array.from(yield* ours),
            claims.slice(0, 2).map(({ call, key, method, since, target }) => ({ key, call, method, target, since }))
          )
          assert.deepStrictEqual(yield* Journal.inDoubt({ olderThan: "1 hour" }), [])
          assert.isTrue(yield* Journal.settle("doubt-again", "again"))
          assert.isTrue(yield* Journal.settle("doubt-spent", "spent"))
          assert.isFalse(yield* Journal.settle("doubt-kept", "again"))
          assert.isFalse(yield* Journal.settle("doubt-nobody", "spent"))
          assert.deepStrictEqual(yield* ours, [])
          assert.deepStrictEqual(yield* claim(yield* claimOf("doubt-again", "later")), { _tag: "Claimed" })
          assert.deepStrictEqual(yield* claim(yield* claimOf("doubt-spent", "later")), { _tag: "Spent" })
          // who was at work all the while comes too late
          yield* keep(claims[0]!, "late")
          yield* keep(claims[1]!, "late")
          assert.deepStrictEqual(yield* claim(yield* claimOf("doubt-again", "third")), { _tag: "Open" })
          assert.deepStrictEqual(yield* claim(yield* claimOf("doubt-spent", "third")), { _tag: "Spent" })
        })
      )
    })
  })
}

describe("the lists of a program without a journal", () => {
  it.effect("say that there is none", () =>
    Effect.gen(function* () {
      const listed = yield* Effect.flip(Journal.inDoubt())
      const settled = yield* Effect.flip(Journal.settle("key", "again"))
      assert.strictEqual(listed.message, "Journal: there is none; provide a layer of it to this effect as well")
      assert.strictEqual(settled.message, listed.message)
    })
  )
})
