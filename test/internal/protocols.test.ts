import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { CurrentReadCarrier, CurrentRequestId } from "../../src/internal/base/wire.ts"
import * as Protocols from "../../src/Protocols.ts"
import * as RequestState from "../../src/RequestState.ts"
import { addTool, peer, registrations, text } from "../serving/fixtures.ts"

const frozen = { code: -32602, message: "Invalid or expired requestState", data: { reason: "invalid_request_state" } }

const echo = registrations(
  Effect.gen(function* () {
    yield* addTool("id", () => Effect.map(CurrentRequestId, (id) => text(JSON.stringify(Option.getOrNull(id)))))
    yield* addTool("answers", () =>
      Effect.map(McpSchema.McpRequestContext, ({ inputResponses, requestState }) =>
        text(JSON.stringify({ inputResponses, requestState }))
      )
    )
  })
)

const server = McpServer.layerHttp({
  name: "Bookshop",
  version: "1.0.0",
  path: "/mcp",
  protocols: Protocols.all,
  registrations: echo
})

describe("Protocols under effect/ai's own layerHttp", () => {
  it.effect("the request id is the client's own, in its own type, on both eras", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      for (const id of [7, "seven"]) {
        const reply = yield* client.modern("tools/call", { name: "id" }, { id })
        assert.deepStrictEqual(reply.messages[0].result.content[0].text, JSON.stringify(id))
        assert.deepStrictEqual(reply.messages[0].id, id)
      }
      const session = yield* client.initialize()
      const reply = yield* client.send({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "id" } }, session)
      assert.deepStrictEqual(reply.messages[0].result.content[0].text, "9")
    })
  )

  it.effect("an unknown tool, prompt or resource is named in the protocol's words, on both eras", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const session = yield* client.initialize()
      const cases = [
        ["tools/call", { name: "nope" }, { code: -32602, message: "Unknown tool: nope" }],
        ["prompts/get", { name: "nope" }, { code: -32602, message: "Unknown prompt: nope" }],
        ["resources/read", { uri: "a:b" }, { code: -32602, message: "Unknown resource: a:b", data: { uri: "a:b" } }]
      ] as const
      for (const [method, params, error] of cases) {
        const modern = yield* client.modern(method, params)
        assert.deepStrictEqual(modern.messages[0].error, error)
        const old = yield* client.send({ jsonrpc: "2.0", id: 1, method, params }, session)
        assert.deepStrictEqual(old.messages[0].error, {
          ...error,
          ...(method === "resources/read" ? { code: -32002 } : {})
        })
      }
    })
  )

  it.effect("I8: a bad state gets the frozen refusal, whatever the name and however bad", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      for (const requestState of ["garbage", "", "v1.abc", 5, true, {}, []]) {
        for (const params of [{ name: "nope" }, { name: "__proto__" }]) {
          const reply = yield* client.modern("tools/call", { ...params, requestState })
          assert.deepStrictEqual([reply.status, reply.messages[0].error], [200, frozen], JSON.stringify(requestState))
        }
        const prompt = yield* client.modern("prompts/get", { name: "nope", requestState })
        assert.deepStrictEqual(prompt.messages[0].error, frozen)
        const resource = yield* client.modern("resources/read", { uri: "a:b", requestState })
        assert.deepStrictEqual(resource.messages[0].error, frozen)
      }
      const known = yield* client.modern("tools/call", { name: "answers", requestState: 5 })
      assert.deepStrictEqual(known.messages[0].error, frozen)
    })
  )

  it.effect("a good state for a tool since retired answers as an unknown tool", () =>
    Effect.gen(function* () {
      const seal = yield* RequestState.RequestState
      const requestState = yield* seal.seal(
        { method: "tools/call", target: "retired", arguments: { a: 1 } },
        { startedAt: 0, payload: "{}" }
      )
      const client = yield* peer(server.pipe(Layer.provide(Layer.succeed(RequestState.RequestState, seal))))
      const reply = yield* client.modern("tools/call", { name: "retired", arguments: { a: 1 }, requestState })
      assert.deepStrictEqual(reply.messages[0].error, { code: -32602, message: "Unknown tool: retired" })
      const other = yield* client.modern("tools/call", { name: "retired", arguments: { a: 2 }, requestState })
      assert.deepStrictEqual(other.messages[0].error, frozen)
    })
  )

  it.effect("null is absence and odd answers arrive as they were sent, non-objects as an empty object", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const call = (more: object) =>
        Effect.map(client.modern("tools/call", { name: "answers", ...more }), (reply) =>
          JSON.parse(reply.messages[0].result.content[0].text)
        )
      assert.deepStrictEqual(yield* call({ inputResponses: null, requestState: null }), {})
      assert.deepStrictEqual(yield* call({ requestState: "mine" }), { requestState: "mine" })
      const odd = {
        a: { action: "accept", content: null },
        b: { action: "decline", content: null },
        c: { action: "cancel", content: null },
        d: { action: "reject" },
        e: { action: "accept", content: { nested: { deep: null }, list: [1, { x: null }] } },
        f: { role: "assistant", content: { type: "novel", x: 1 }, model: null },
        g: {}
      }
      assert.deepStrictEqual(yield* call({ inputResponses: { ...odd, h: null, i: 5, j: "no", k: [1] } }), {
        inputResponses: { ...odd, h: {}, i: {}, j: {}, k: {} }
      })
    })
  )

  const asking = (capabilities: object) =>
    Effect.gen(function* () {
      const client = yield* peer(
        McpServer.layerHttp({
          name: "Bookshop",
          version: "1.0.0",
          path: "/mcp",
          protocols: [Protocols.v2026_07_28, Protocols.v2025_11_25],
          registrations: registrations(
            McpServer.McpServer.use((server) =>
              server.addResource({
                resource: new McpSchema.Resource({ uri: "a:b", name: "ab" }),
                annotations: Context.empty(),
                handle: Effect.gen(function* () {
                  const carrier = yield* CurrentReadCarrier
                  const { inputResponses } = yield* McpSchema.McpRequestContext
                  if (carrier === undefined || inputResponses !== undefined) {
                    return McpSchema.ReadResourceResult.make({
                      contents: [McpSchema.TextResourceContents.make({ uri: "a:b", text: "finished" })]
                    })
                  }
                  carrier.inputRequired = new McpSchema.InputRequired({
                    inputRequests: {
                      q: {
                        method: "elicitation/create",
                        params: { message: "?", requestedSchema: { type: "object", properties: {} } }
                      }
                    },
                    requestState: "s"
                  })
                  return yield* new McpSchema.InternalError({ message: "asks" })
                })
              })
            )
          )
        })
      )
      return {
        client,
        first: yield* client.modern("resources/read", { uri: "a:b" }, { capabilities })
      }
    })

  it.effect("a read that asks answers with its questions, and its retry may not be cached", () =>
    Effect.gen(function* () {
      const { client, first } = yield* asking({ elicitation: {} })
      assert.deepStrictEqual(first.messages[0].result, {
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "Bookshop", version: "1.0.0" } },
        resultType: "input_required",
        inputRequests: {
          q: {
            method: "elicitation/create",
            params: { message: "?", requestedSchema: { type: "object", properties: {} } }
          }
        },
        requestState: "s"
      })
      const second = yield* client.modern("resources/read", {
        uri: "a:b",
        requestState: "s",
        inputResponses: { q: { action: "accept", content: {} } }
      })
      const { cacheScope, contents, ttlMs } = second.messages[0].result
      assert.deepStrictEqual([ttlMs, cacheScope, contents[0].text], [0, "private", "finished"])
      const session = yield* client.initialize()
      const old = yield* client.send(
        { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "a:b" } },
        session
      )
      assert.deepStrictEqual(old.messages[0].result.contents[0].text, "finished")
    })
  )
})
