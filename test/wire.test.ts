/** What goes over the wire around a call, where no rule has a test of its own: the rows of parity.md point here. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, resolver, tool, Yes, yes } from "./rules/kit.ts"

const first = resolver("shop/First", {}, () => Elicitation.form({ message: "First?", schema: Yes }))
const second = resolver("shop/Second", { dependencies: [first] }, () =>
  Elicitation.form({ message: "Second?", schema: Yes })
)
const chain = tool("chain", { dependencies: [second] }, () => Effect.map(second.get, ({ ok }) => `second: ${ok}`))

describe("a question on the wire", () => {
  const form = {
    mode: "form",
    message: "First?",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
  }

  eras(
    "is its method with mode, message and schema: in a result by key and without an id, or a request with one",
    (era) =>
      Effect.gen(function* () {
        const answers = { "shop/First": yes, "shop/Second": yes }
        const peer = yield* Peer.make({ ...era, registrations: chain, answers })
        assert.strictEqual((yield* peer.callTool("chain")).text, "second: true")
        const frames: ReadonlyArray<any> = peer.transcript.map(({ message }) => message)
        if (era.protocol === "2026-07-28") {
          const round = frames.find((frame) => frame.result?.resultType === "input_required")
          assert.deepStrictEqual(round.result.inputRequests, {
            "shop/First": { method: "elicitation/create", params: form }
          })
        } else {
          const request = frames.find((frame) => frame.method === "elicitation/create")
          assert.deepStrictEqual(request.params, form)
          assert.isDefined(request.id)
        }
      })
  )

  eras.of("2026-07-28")("comes in a result with the envelope of every other: its type, and the server's name", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: chain })
      const round = asked(yield* peer.callToolOnce("chain"))
      const results = [round.raw, yield* peer.request("tools/list")]
      assert.deepStrictEqual(
        results.map((result) => result.resultType),
        ["input_required", "complete"]
      )
      for (const { _meta } of results) assert.property(_meta, "io.modelcontextprotocol/serverInfo")
    })
  )
})

describe("the state between rounds", () => {
  const era2026 = eras.of("2026-07-28")

  era2026("is sealed afresh in each round: its lifetime is one round's time to think, not the call's", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: chain })
      const one = asked(yield* peer.callToolOnce("chain"))
      yield* TestClock.adjust("9 minutes")
      const two = asked(yield* peer.retry(one, { inputResponses: { "shop/First": yes } }))
      assert.notStrictEqual(two.requestState, one.requestState)
      yield* TestClock.adjust("9 minutes")
      const result = completed(yield* peer.retry(two, { inputResponses: { "shop/Second": yes } }))
      assert.strictEqual(result.text, "second: true")
      yield* TestClock.adjust("1 minute")
      const late = yield* Effect.flip(peer.retry(two, { inputResponses: { "shop/Second": yes } }))
      assert.strictEqual(late.code, -32602)
    })
  )

  era2026("is nobody's business in a request that cannot carry one", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: chain })
      const { tools } = yield* peer.request("tools/list", { requestState: "not a state" })
      assert.strictEqual(tools.length, 1)
    })
  )

  era2026("holds an answer that is asked for again, without an error, once its question's schema refuses it", (era) =>
    Effect.gen(function* () {
      let least = 1
      // a check that no client is shown: the question looks the same in every round
      const Amount = Schema.Struct({ n: Schema.Finite.check(Schema.makeFilter((n: number) => n >= least)) })
      const amount = resolver("shop/Amount", {}, () => Elicitation.form({ message: "How many?", schema: Amount }))
      const both = tool("both", { dependencies: [amount, first] }, () => Effect.map(amount.get, ({ n }) => `${n}`))
      const peer = yield* Peer.make({ ...era, registrations: both })
      const one = asked(yield* peer.callToolOnce("both"))
      const two = asked(yield* peer.retry(one, { inputResponses: { "shop/Amount": Answer.accept({ n: 2 }) } }))
      assert.deepStrictEqual(Object.keys(two.inputRequests), ["shop/First"])
      least = 3
      const three = asked(yield* peer.retry(two, { inputResponses: { "shop/First": yes } }))
      assert.deepStrictEqual(Object.keys(three.inputRequests), ["shop/Amount"])
      const result = completed(yield* peer.retry(three, { inputResponses: { "shop/Amount": Answer.accept({ n: 3 }) } }))
      assert.strictEqual(result.text, "3")
    })
  )
})

describe("what a server says it can do", () => {
  it.effect("is that its lists change and its resources can be listened to, on 2026-07-28", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: chain })
      const { capabilities } = yield* peer.discover
      assert.isTrue(capabilities.tools.listChanged)
    })
  )

  it.effect("has no subscriptions/listen on 2025-11-25, where resources are subscribed to", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ protocol: "2025-11-25", registrations: chain })
      const error = yield* Effect.flip(peer.request("subscriptions/listen", { notifications: {} }))
      assert.strictEqual(error.code, -32601)
      const { capabilities } = yield* peer.discover
      assert.isTrue(capabilities.tools.listChanged)
    })
  )

  it.effect("is nothing to a client of 2025-11-25 that has not said initialize", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ protocol: "2025-11-25", registrations: chain })
      const { status, messages } = yield* peer.http({
        headers: { "mcp-session-id": undefined, "mcp-protocol-version": "2025-11-25" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chain" } })
      })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(
        messages.map(({ error }: any) => error.code),
        [-32600]
      )
    })
  )
})
