import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { TestClock } from "effect/testing"
import { ResolveServer } from "effect-resolve"
import { addTool, peer, registrations, text } from "./fixtures.ts"

const gate = Deferred.makeUnsafe<void>()

const shop = registrations(
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    yield* addTool("echo", () => Effect.succeed(text("echo")))
    yield* addTool("grow", () =>
      Effect.as(
        addTool("grown", () => Effect.succeed(text("grown"))),
        text("added")
      ).pipe(Effect.provideService(McpServer.McpServer, server))
    )
    yield* addTool("touch", () =>
      Effect.as(server.notifications["notifications/resources/updated"]({ uri: "a:b" }), text("touched"))
    )
    yield* addTool("wait", () => Effect.as(Deferred.await(gate), text("waited")))
    yield* server.addResource({
      resource: new McpSchema.Resource({ uri: "a:b", name: "ab" }),
      annotations: Context.empty(),
      handle: Effect.succeed(McpSchema.ReadResourceResult.make({ contents: [] }))
    })
  })
)

const server = (options: object = {}) =>
  ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations: shop, ...options })

const call = (name: string, id = 1) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } })

/** Reads a GET stream frame by frame. */
const listen = (client: Effect.Success<ReturnType<typeof peer>>, headers: Record<string, string>) =>
  Effect.gen(function* () {
    const response = yield* client.fetch({ method: "GET", headers: { accept: "text/event-stream", ...headers } })
    const seen: Array<string> = []
    const reader = response.body!.getReader()
    const decoder = new TextDecoder()
    const next = Effect.map(
      Effect.promise(() => reader.read()),
      ({ done, value }) => {
        if (done) return "end"
        const frame = decoder.decode(value)
        for (const line of frame.split("\n")) {
          if (line.startsWith("data: ")) seen.push(JSON.parse(line.slice(6)).method)
        }
        return frame
      }
    )
    return { status: response.status, seen, next, cancel: Effect.promise(() => reader.cancel()) }
  })

describe("layerHttp", () => {
  it.effect("both eras call a tool", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const modern = yield* client.modern("tools/call", { name: "echo" })
      assert.deepStrictEqual(modern.messages[0].result.content[0].text, "echo")
      const session = yield* client.initialize()
      const old = yield* client.send(call("echo"), session)
      assert.deepStrictEqual(old.messages[0].result.content[0].text, "echo")
    })
  )

  it.effect("an idle client of 2025-11-25 learns once of an added tool, on its GET stream alone", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const one = yield* client.initialize()
      const two = yield* client.initialize()
      const stream = yield* listen(client, one)
      assert.deepStrictEqual(stream.status, 200)
      assert.deepStrictEqual(yield* stream.next, ": open\n\n")
      const reply = yield* client.send(call("grow"), two)
      assert.deepStrictEqual(reply.messages.length, 1)
      yield* stream.next
      assert.deepStrictEqual(stream.seen, ["notifications/tools/list_changed"])
      const own = yield* client.send(call("grow"), one)
      assert.deepStrictEqual(own.messages.length, 1)
      yield* stream.next
      assert.deepStrictEqual(stream.seen.length, 2)
      // the second client had no stream open: it is told once, when it opens one
      const late = yield* listen(client, two)
      yield* late.next
      yield* late.next
      assert.deepStrictEqual(late.seen, ["notifications/tools/list_changed"])
    })
  )

  it.effect("a subscribed resource is announced over HTTP until it is unsubscribed", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize()
      const stream = yield* listen(client, session)
      yield* stream.next
      const ask = (method: string) => client.send({ jsonrpc: "2.0", id: 5, method, params: { uri: "a:b" } }, session)
      const hello = yield* client.send({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
      assert.deepStrictEqual(hello.messages[0].result.capabilities.resources, { listChanged: true, subscribe: true })
      assert.deepStrictEqual((yield* ask("resources/subscribe")).messages[0].result, {})
      yield* client.send(call("touch"), session)
      yield* stream.next
      assert.deepStrictEqual(stream.seen, ["notifications/resources/updated"])
      assert.deepStrictEqual((yield* ask("resources/unsubscribe")).messages[0].result, {})
      yield* client.send(call("touch"), session)
      yield* client.send(call("grow"), session)
      yield* stream.next
      assert.deepStrictEqual(stream.seen, ["notifications/resources/updated", "notifications/tools/list_changed"])
    })
  )

  it.effect("the newest of two streams gets the messages, and the older one takes over when it closes", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize()
      const older = yield* listen(client, session)
      yield* older.next
      const newer = yield* listen(client, session)
      yield* newer.next
      yield* client.send(call("grow"), session)
      yield* newer.next
      yield* newer.cancel
      yield* client.send(call("grow"), session)
      yield* older.next
      assert.deepStrictEqual([older.seen.length, newer.seen.length], [1, 1])
    })
  )

  it.effect("DELETE ends a session and its stream", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize()
      const stream = yield* listen(client, session)
      yield* stream.next
      assert.deepStrictEqual((yield* client.fetch({ method: "DELETE", headers: session })).status, 204)
      assert.deepStrictEqual(yield* stream.next, "end")
      assert.deepStrictEqual((yield* client.send(call("echo"), session)).status, 404)
      assert.deepStrictEqual((yield* listen(client, session)).status, 404)
    })
  )

  it.effect("a session ends after the idle time, not while a stream is open, and use puts it off", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ sessionIdleTime: "10 minutes" }))
      const used = yield* client.initialize()
      const unused = yield* client.initialize()
      const listening = yield* client.initialize()
      const stream = yield* listen(client, listening)
      yield* stream.next
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual((yield* client.send(call("echo"), used)).status, 200)
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual((yield* client.send(call("echo"), unused)).status, 404)
      assert.deepStrictEqual((yield* client.send(call("echo"), used)).status, 200)
      assert.deepStrictEqual((yield* client.send(call("echo"), listening)).status, 200)
      // to the minute, though the table is swept less often
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual((yield* client.send(call("echo"), used)).status, 404)
    })
  )

  it.effect("a foreign host and a foreign origin are refused, a page of the server itself is not", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ allowedHosts: ["books.example"], allowedOrigins: ["https://app.example"] }))
      const status = (headers: Record<string, string>) =>
        Effect.map(client.send(call("echo"), headers), ({ status }) => status)
      const session = yield* client.initialize()
      const pass = { ...session, host: "localhost:3000" }
      assert.deepStrictEqual(yield* status(pass), 200)
      assert.deepStrictEqual(yield* status({ ...session, host: "[::1]:3000" }), 200)
      assert.deepStrictEqual(yield* status({ ...session, host: "Books.example:8443" }), 200)
      assert.deepStrictEqual(yield* status({ ...session, host: "evil.example" }), 403)
      assert.deepStrictEqual(yield* status({ ...session, host: "localhost.evil.example" }), 403)
      assert.deepStrictEqual(yield* status({ ...pass, origin: "http://localhost:3000" }), 200)
      assert.deepStrictEqual(yield* status({ ...pass, origin: "https://app.example" }), 200)
      assert.deepStrictEqual(yield* status({ ...pass, origin: "http://localhost:4000" }), 403)
      assert.deepStrictEqual(yield* status({ ...pass, origin: "https://evil.example" }), 403)
      assert.deepStrictEqual(yield* status({ ...pass, origin: "null" }), 403)
      const get = yield* client.fetch({
        method: "GET",
        headers: { ...pass, accept: "text/event-stream", host: "evil" }
      })
      assert.deepStrictEqual(get.status, 403)
      const del = yield* client.fetch({ method: "DELETE", headers: { ...pass, origin: "https://evil.example" } })
      assert.deepStrictEqual(del.status, 403)
      assert.deepStrictEqual(yield* status(pass), 200)
    })
  )

  it.effect("a body that is too large is refused and the next call is served", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ maxBodySize: 1_000 }))
      const session = yield* client.initialize()
      const large = { ...call("echo"), pad: "x".repeat(2_000) }
      const declared = yield* client.send(large, { ...session, "content-length": "60000000" })
      assert.deepStrictEqual(declared.status, 413)
      const undeclared = yield* client.send(large, session)
      assert.deepStrictEqual(undeclared.status, 413)
      assert.deepStrictEqual((yield* client.send(call("echo"), session)).status, 200)
    })
  )

  it.effect("a body that does not arrive is given up after the body timeout", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize()
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
        pull: () => new Promise(() => {})
      })
      const slow = yield* Effect.forkChild(
        client.fetch({
          method: "POST",
          headers: { ...session, "content-type": "application/json", accept: "application/json, text/event-stream" },
          body
        })
      )
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(slow.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* Fiber.join(slow)).status, 408)
      assert.deepStrictEqual((yield* client.send(call("echo"), session)).status, 200)
    })
  )

  it.effect("a shutdown sends the answers in flight and ends each stream, a listen with its result", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(peer(server()), scope)
      const session = yield* client.initialize()
      const waiting = yield* Effect.forkChild(client.send(call("wait"), session))
      const stream = yield* listen(client, session)
      yield* stream.next
      const listening = yield* Effect.forkChild(
        client.modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: "sub" })
      )
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      assert.deepStrictEqual(yield* stream.next, "end")
      const [acknowledged, result] = (yield* Fiber.join(listening)).messages
      assert.deepStrictEqual(acknowledged.method, "notifications/subscriptions/acknowledged")
      assert.deepStrictEqual(result, {
        jsonrpc: "2.0",
        id: "sub",
        result: {
          resultType: "complete",
          _meta: {
            "io.modelcontextprotocol/subscriptionId": "sub",
            "io.modelcontextprotocol/serverInfo": { name: "Bookshop", version: "1.0.0" }
          }
        }
      })
      assert.deepStrictEqual((yield* client.send(call("echo"), session)).status, 503)
      yield* Deferred.succeed(gate, undefined)
      const reply = yield* Fiber.join(waiting)
      assert.deepStrictEqual(reply.messages[0].result.content[0].text, "waited")
      yield* Fiber.join(closing)
    })
  )
})
