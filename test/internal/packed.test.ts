/** What rides in the sealed state, before it is sealed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Contents, pack, unpack } from "../../src/internal/state/packed.ts"

const canaries = { "b/Asked": { content: { name: "\ud800", big: 1e21, __proto__: null } } }

const empty: Contents = {
  id: "id",
  recorded: new Map(),
  shown: new Map([["c/Open", "digest-c"]]),
  stale: new Map(),
  durable: new Map(),
  args: undefined,
  trace: undefined
}

/** A call in its second round: one question answered, one declined, one open. */
const second: Contents = {
  ...empty,
  recorded: new Map([
    ["a/Answered", [{ digest: "digest-a", kind: "accept", data: canaries }]],
    ["__proto__", [{ digest: "digest-b", kind: "decline" }]]
  ]),
  stale: new Map([["a/Answered", 1]]),
  durable: new Map([["d/Charge", { id: "ch_1" }]]),
  args: { title: "Dune" }
}

/** As it is after the seal. */
const asJson = (value: unknown): any => JSON.parse(JSON.stringify(value))

describe("the state of a call", () => {
  it("holds durable values, counts of stale rounds and generated arguments", () => {
    const { d, n, g } = asJson(pack(second))
    assert.deepStrictEqual(
      { d, n, g },
      { d: { "d/Charge": { id: "ch_1" } }, n: { "a/Answered": 1 }, g: { title: "Dune" } }
    )
  })

  it("says which questions are open with the digest of each, and what was answered with its own", () => {
    const state = asJson(pack(second))
    assert.deepStrictEqual(state.a, { "c/Open": "digest-c" })
    assert.deepStrictEqual(Object.keys(state.o), ["a/Answered", "__proto__"])
    assert.deepStrictEqual(state.o["a/Answered"][0][0], "digest-a")
  })

  it("of a first round has open questions and nothing else", () => {
    assert.deepStrictEqual(asJson(pack(empty)), { c: "id", a: { "c/Open": "digest-c" } })
  })

  it.effect("carries what a round does not touch to the next one byte for byte", () =>
    Effect.gen(function* () {
      const sent = pack(second)
      const { shown, ...restored } = yield* unpack(sent)
      assert.strictEqual(JSON.stringify(pack({ ...restored, shown })), JSON.stringify(sent))
    })
  )

  it.effect.each([
    ["nothing", "null"],
    ["no object", "[]"],
    ["an answer without a digest", '{"c":"id","a":{},"o":{"k":[[null,0]]}}'],
    ["an answer of an unknown kind", '{"c":"id","a":{},"o":{"k":[["d",9]]}}'],
    ["no open questions", '{"c":"id"}']
  ])("that holds %s is refused as a whole", ([, payload]) => Effect.flip(unpack(JSON.parse(payload!))))
})
