import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ResolveServer } from "effect-resolve"
import { addTool, initialize, meta, modern, type Peer, peer, registrations, stdioPeer, text } from "./fixtures.ts"

const calls = { count: 0 }

const shop = registrations(
  addTool("echo", () =>
    Effect.sync(() => {
      calls.count++
      return text("echo")
    })
  )
)

const server = ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations: shop })

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const call = (id: unknown, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", ...params }
})
const callText = (id: unknown, args: string) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"echo","arguments":${args}}}`

const routing = { "mcp-protocol-version": modern, "mcp-method": "tools/call", "mcp-name": "echo" }

/** Status, id, code and message of a refusal, which is one JSON-RPC error and nothing else. */
const refusal = Effect.fnUntraced(function* (reply: ReturnType<Peer["send"]>) {
  const { messages, status } = yield* reply
  assert.lengthOf(messages, 1)
  const [{ error, id }] = messages
  assert.includeMembers(["code", "message", "data"], Object.keys(error))
  return [status, id, error.code, error.message]
})

const depth = "Invalid Request: nested more than 200 levels deep"

describe("over HTTP, before anything is decoded", () => {
  it.effect("what is nested too deep is refused with its id, and what is not is taken, on both eras", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const old = yield* client.initialize()
      for (const headers of [old, routing]) {
        assert.deepStrictEqual(yield* refusal(client.send(callText("a", nested(1_000_000)), headers)), [
          400,
          "a",
          -32600,
          depth
        ])
        assert.deepStrictEqual(yield* refusal(client.send(nested(2_500), headers)), [400, null, -32600, depth])
      }
      const id = `{"params":{"id":"no","_meta":${nested(300)}},"method":"ping","jsonrpc":"2.0","id":7}`
      assert.deepStrictEqual(yield* refusal(client.send(id, old)), [400, 7, -32600, depth])
      const { messages } = yield* client.send(callText("b", `{"a":${nested(150)},"b":"${"[".repeat(1_000)}"}`), old)
      assert.strictEqual(messages[0].result.content[0].text, "echo")
    })
  )

  it.effect("a batch of 4,000 calls runs nothing, and one of a hundred is answered whole", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const session = yield* client.initialize("2025-03-26")
      calls.count = 0
      const many = Array.from({ length: 4_000 }, (_, id) => call(id))
      assert.deepStrictEqual(yield* refusal(client.send(many, session)), [
        400,
        null,
        -32600,
        "Invalid Request: a batch of 4000 messages; at most 100 are taken"
      ])
      assert.strictEqual(calls.count, 0)
      const { messages } = yield* client.send(many.slice(0, 100), session)
      assert.lengthOf(messages.flat(), 100)
      assert.strictEqual(calls.count, 100)
    })
  )

  it.effect("a batch with something else in it, or with one id twice, is refused and runs nothing", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const session = yield* client.initialize("2025-03-26")
      calls.count = 0
      const twice = "Invalid Request: two requests of the batch have one id"
      for (const [batch, why] of [
        [[call(1), 5], "Invalid Request"],
        [[call(1), call(1)], twice],
        [[], "Invalid Request: the batch is empty"]
      ] as const) {
        assert.deepStrictEqual(yield* refusal(client.send(batch, session)), [400, null, -32600, why])
      }
      assert.strictEqual(calls.count, 0)
    })
  )

  it.effect("ten thousand answers that nobody asked for are refused", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const inputResponses = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`q${i}`, { a: 1 }]))
      assert.deepStrictEqual(
        yield* refusal(client.modern("tools/call", { name: "echo", inputResponses }, { id: "many" })),
        [400, "many", -32602, "Invalid params: inputResponses has 10000 entries; at most 1000 are taken"]
      )
    })
  )
})

describe("over HTTP, a refusal says why and holds nothing internal", () => {
  const cases: ReadonlyArray<readonly [string, unknown, Record<string, string>, ReadonlyArray<unknown>]> = [
    ["no JSON", "{", {}, [400, null, -32700, "Parse error"]],
    ["no JSON on 2026-07-28", "{", routing, [400, null, -32700, "Parse error"]],
    ["no message", { hello: 1 }, {}, [400, null, -32600, "Invalid Request"]],
    ["a list on 2026-07-28", [call(1)], routing, "no batches" as never],
    [
      "an id that JSON cannot give back",
      `{"jsonrpc":"2.0","id":${"9".repeat(400)},"method":"ping"}`,
      {},
      "an id is" as never
    ],
    ["a dead session", call(1), { "mcp-session-id": "dead" }, [404, null, -32600, "Session not found"]],
    ["text", call(1), { "content-type": "text/plain" }, [415, null, -32600, "Content-Type must be application/json"]],
    ["JSON alone accepted", call(1), { accept: "application/json" }, "Accept must list" as never],
    ["nothing accepted", call(1), { accept: "" }, "Accept must list" as never],
    ["events refused", call(1), { accept: "*/*, text/event-stream;q=0" }, "Accept must list" as never]
  ]
  for (const [name, body, headers, expected] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const client = yield* peer(server)
        const session = yield* client.initialize()
        const seen = yield* refusal(client.send(body, { ...(headers === routing ? {} : session), ...headers }))
        if (typeof expected === "string") assert.include(String(seen[3]), expected)
        else assert.deepStrictEqual(seen, expected)
      })
    )
  }

  it.effect("no session, an unknown method, and another HTTP method", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const [status, , , message] = yield* refusal(client.send(call("x")))
      assert.deepStrictEqual([status, String(message).includes("MCP-Session-Id")], [400, true])
      const put = yield* client.fetch({ method: "PUT", body: "{}" })
      const body: any = yield* Effect.promise(() => put.json())
      assert.deepStrictEqual(
        [put.status, put.headers.get("allow"), Object.keys(body.error)],
        [405, "POST, DELETE", ["code", "message"]]
      )
      const unknown = yield* client.modern("bogus/method", {}, { id: "u" })
      assert.deepStrictEqual([unknown.status, Object.keys(unknown.messages[0].error)], [404, ["code", "message"]])
    })
  )

  it.effect("*/* takes both media types", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const session = yield* client.initialize()
      for (const accept of ["*/*", "application/*, text/*", "text/*;q=0.1, application/json"]) {
        const reply = yield* client.send(call(1), { ...session, accept })
        assert.strictEqual(reply.messages[0].result.content[0].text, "echo")
      }
    })
  )
})

describe("what is null is absent", () => {
  const list = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/list", params })

  it.effect("on 2025-11-25: arguments, cursor, _meta, params and a capability", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const session = yield* client.initialize("2025-11-25", { elicitation: null, roots: { listChanged: null } })
      const called = yield* client.send(call(1, { arguments: null, _meta: null, task: null }), session)
      assert.strictEqual(called.messages[0].result.content[0].text, "echo")
      for (const params of [{ cursor: null }, { _meta: null }, { _meta: { progressToken: null } }, null, undefined]) {
        const listed = yield* client.send(list(params), session)
        assert.strictEqual(listed.messages[0].result?.tools[0].name, "echo")
      }
    })
  )

  it.effect("on 2026-07-28: arguments, cursor, a capability, the client's name and a state", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const none = { arguments: null, requestState: null, inputResponses: null }
      const called = yield* client.modern(
        "tools/call",
        { name: "echo", ...none },
        { capabilities: { elicitation: null } }
      )
      assert.strictEqual(called.messages[0].result.content[0].text, "echo")
      const listed = yield* client.modern("tools/list", { cursor: null })
      assert.strictEqual(listed.messages[0].result.tools[0].name, "echo")
    })
  )
})

describe("over stdio", () => {
  const start = (protocols: object = {}) =>
    stdioPeer(ResolveServer.layerStdio({ name: "Bookshop", version: "1.0.0", registrations: shop, ...protocols }))

  it.effect("every part of a batch of 2025-03-26 is answered, and the limits are options", () =>
    Effect.gen(function* () {
      const client = yield* start({ maxBatch: 2, maxDepth: 10 })
      const opening = initialize({})
      yield* client.write({ ...opening, params: { ...opening.params, protocolVersion: "2025-03-26" } })
      yield* client.until(1)
      yield* client.write([call(1), call(2)], [call(3), call(4), call(5)], callText("d", nested(20)))
      yield* client.until(4)
      const answers = client.messages().slice(1)
      const batch = answers.find((answer) => Array.isArray(answer))
      assert.deepStrictEqual(
        batch?.map(({ id }: any) => id),
        [1, 2]
      )
      assert.sameDeepMembers(
        answers.filter((answer) => answer !== batch).map(({ error, id }) => [id, error.message]),
        [
          [null, "Invalid Request: a batch of 3 messages; at most 2 are taken"],
          ["d", "Invalid Request: nested more than 10 levels deep"]
        ]
      )
      yield* client.end
      yield* Fiber.await(client.server)
    })
  )

  it.effect("an error holds what the protocol has", () =>
    Effect.gen(function* () {
      const client = yield* start()
      yield* client.write(
        { jsonrpc: "2.0", id: 1, method: "bogus", params: { _meta: meta } },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { _meta: meta } }
      )
      yield* client.until(2)
      for (const { error } of client.messages()) assert.includeMembers(["code", "message", "data"], Object.keys(error))
    })
  )
})
