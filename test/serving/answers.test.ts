import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import { Protocols, RequestState, ResolveServer } from "effect-resolve"
import { type Peer, peer } from "./fixtures.ts"
import { registrations } from "./shop.ts"

const options = { name: "Bookshop", version: "1.0.0", path: "/mcp", registrations } as const

const keys = RequestState.layer({ keys: ["k".repeat(32)], audience: "Bookshop" })

const capabilities = { elicitation: { form: {} } }

/** Asks for a tool and sends this answer to its one question. */
const answered = Effect.fnUntraced(function* (client: Peer, name: string, answer: unknown, other: Peer = client) {
  const first = yield* client.modern("tools/call", { name }, { capabilities })
  const { inputRequests, requestState } = first.messages[0].result
  const [key] = Object.keys(inputRequests)
  return (yield* other.modern(
    "tools/call",
    { name, requestState, inputResponses: { [key!]: answer } },
    { capabilities }
  )).messages[0]
})

const shown = (message: any) => [message.result.isError === true, message.result.content[0].text]

const noContent = "Error executing tool order: Resolver 'shop/Confirm' received an accepted elicitation with no content"
const wrongKind = "Error executing tool order: Resolver 'shop/Confirm' received a response of the wrong kind"
const wrongContent =
  "Error executing tool order: Resolver 'shop/Confirm' received an accepted elicitation whose content does not match the requested schema"
const declined = "Error executing tool order: Resolver for 'shop/Confirm' could not resolve: elicitation was decline"
const cancelled = "Error executing tool order: Resolver for 'shop/Confirm' could not resolve: elicitation was cancel"

const odd = [
  [{ action: "accept", content: null }, noContent],
  [{ action: "accept" }, noContent],
  [{ action: "decline", content: null }, declined],
  [{ action: "cancel", content: null }, cancelled],
  [{ action: "reject" }, wrongKind],
  [{ action: "accept", content: { confirm: null } }, `${wrongContent}: 'confirm' must be a boolean`],
  [{ action: "accept", content: { confirm: { deep: [null] } } }, `${wrongContent}: 'confirm' must be a boolean`],
  [{ action: "accept", content: [true] }, wrongContent],
  [null, wrongKind],
  [5, wrongKind],
  ["yes", wrongKind],
  [[{ action: "accept" }], wrongKind],
  [{}, wrongKind],
  [{ roots: [] }, wrongKind],
  [{ role: "assistant", content: { type: "hologram" }, model: "m" }, wrongKind]
] as const

const layers = {
  "ResolveServer.layerHttp": ResolveServer.layerHttp(options),
  "effect/ai's layerHttp": McpServer.layerHttp({ ...options, protocols: Protocols.all }),
  "effect/ai's layerHttpRequestScoped": McpServer.layerHttpRequestScoped({
    ...options,
    protocols: [Protocols.v2026_07_28]
  })
}

describe.each(Object.entries(layers))("%s", (_, layer) => {
  it.effect("an odd answer is answered by the table, and the next call is served", () =>
    Effect.gen(function* () {
      const client = yield* peer(layer.pipe(Layer.provide(keys)))
      for (const [answer, message] of odd) {
        assert.deepStrictEqual(shown(yield* answered(client, "order", answer)), [true, message], JSON.stringify(answer))
      }
      for (const answer of [{ action: "accept", content: null }, { action: "accept" }]) {
        assert.deepStrictEqual(shown(yield* answered(client, "wish", answer)), [false, "Wish: none."])
      }
      const good = yield* answered(client, "order", { action: "accept", content: { confirm: true } })
      assert.deepStrictEqual(shown(good), [false, "Ordered."])
    })
  )

  it.effect("two instances with shared keys finish each other's calls; other keys get the frozen refusal", () =>
    Effect.gen(function* () {
      const here = yield* peer(layer.pipe(Layer.provide(keys)))
      const there = yield* peer(Layer.fresh(layer.pipe(Layer.provide(keys))))
      const elsewhere = yield* peer(Layer.fresh(layer.pipe(Layer.provide(RequestState.layerEphemeral()))))
      const answer = { action: "accept", content: { confirm: true } }
      assert.deepStrictEqual(shown(yield* answered(here, "order", answer, there)), [false, "Ordered."])
      assert.deepStrictEqual((yield* answered(here, "order", answer, elsewhere)).error, {
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "invalid_request_state" }
      })
    })
  )

  it.effect("the request id in McpContext is the client's own, in its own type", () =>
    Effect.gen(function* () {
      const client = yield* peer(layer.pipe(Layer.provide(keys)))
      for (const id of [3, "three"]) {
        const reply = yield* client.modern("tools/call", { name: "id" }, { id })
        assert.deepStrictEqual(JSON.parse(reply.messages[0].result.content[0].text).value, id)
      }
    })
  )

  it.effect("a question that the client cannot answer is -32021, HTTP 400", () =>
    Effect.gen(function* () {
      const client = yield* peer(layer.pipe(Layer.provide(keys)))
      const reply = yield* client.modern("tools/call", { name: "order" })
      assert.deepStrictEqual([reply.status, reply.messages[0].error.code], [400, -32021])
      assert.deepStrictEqual(reply.messages[0].error.data, { requiredCapabilities: { elicitation: { form: {} } } })
    })
  )
})
