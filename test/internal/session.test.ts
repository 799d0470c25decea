/** What rides in the sealed state, before it is sealed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Session from "../../src/internal/call/memory.ts"

const canaries = { "b/Asked": { content: { name: "\ud800", big: 1e21, __proto__: null } } }

/** A call in its second round: one question answered, one declined, one open. */
const session = (): Session.Session => {
  const made = Session.unpack({ c: "id", a: {} }, 1000, {})
  const { session } = Effect.runSync(made)
  session.outcomes.set("a/Answered", [{ digest: "digest-a", kind: "accept", data: canaries }])
  session.outcomes.set("__proto__", [{ digest: "digest-b", kind: "decline" }])
  session.durable.set("d/Charge", { id: "ch_1" })
  session.stale.set("a/Answered", 1)
  session.args = { title: "Dune" }
  return opened(session)
}

const opened = (session: Session.Session): Session.Session => {
  session.pending.set("c/Open", {
    resolver: "c/Open",
    wireKey: "c/Open",
    index: 2,
    order: 0,
    method: "elicitation/create",
    params: {},
    text: "{}",
    digest: "digest-c"
  })
  return session
}

/** As it is after the seal. */
const asJson = (value: unknown): any => JSON.parse(JSON.stringify(value))

describe("the state of a call", () => {
  it("holds durable values, counts of stale answers and generated arguments", () => {
    const { d, n, g } = asJson(Session.pack(session(), undefined))
    assert.deepStrictEqual(
      { d, n, g },
      { d: { "d/Charge": { id: "ch_1" } }, n: { "a/Answered": 1 }, g: { title: "Dune" } }
    )
  })

  it("says which questions are open with the digest of each, and what was answered with its own", () => {
    const state = asJson(Session.pack(session(), undefined))
    assert.deepStrictEqual(state.a, { "c/Open": "digest-c" })
    assert.deepStrictEqual(Object.keys(state.o), ["a/Answered", "__proto__"])
    assert.deepStrictEqual(state.o["a/Answered"][0][0], "digest-a")
  })

  it.effect("of a first round has open questions and nothing else", () =>
    Effect.gen(function* () {
      const { session } = yield* Session.unpack({ c: "id", a: {} }, 1000, {})
      const state = asJson(Session.pack(opened(session), undefined))
      assert.deepStrictEqual(state, { c: "id", a: { "c/Open": "digest-c" } })
    })
  )

  it.effect("carries what a round does not touch to the next one byte for byte", () =>
    Effect.gen(function* () {
      const sent = Session.pack(session(), undefined)
      const restored = yield* Session.unpack(sent, 1000, {})
      const again = Session.pack(opened(restored.session), undefined)
      assert.strictEqual(JSON.stringify(again), JSON.stringify(sent))
    })
  )

  it.effect.each([
    ["nothing", "null"],
    ["no object", "[]"],
    ["an outcome without a digest", '{"c":"id","a":{},"o":{"k":[[null,0]]}}'],
    ["an outcome of an unknown kind", '{"c":"id","a":{},"o":{"k":[["d",9]]}}'],
    ["no open questions", '{"c":"id"}']
  ])("that holds %s is refused as a whole", ([, payload]) =>
    Effect.flip(Session.unpack(JSON.parse(payload!), 1000, {}))
  )
})
