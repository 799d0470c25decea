/**
 * What effect/ai alone does over HTTP: a version of effect that changes one of these shows here
 * which of our workarounds has lost its reason, or its footing.
 */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Result } from "effect"
import { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { addTool, peer, registrations, text } from "../serving/fixtures.ts"

const serve = <E>(
  effect: Effect.Effect<unknown, E, McpServer.McpServer>,
  protocols: readonly [McpProtocol.ProtocolAdapter, ...Array<McpProtocol.ProtocolAdapter>] = [
    McpProtocol.v2026_07_28,
    McpProtocol.v2025_11_25
  ]
) =>
  peer(
    McpServer.layerHttp({
      name: "Upstream",
      version: "1.0.0",
      path: "/mcp",
      protocols,
      registrations: registrations(effect)
    }) as Layer.Layer<never, any, HttpRouter.HttpRouter>
  )

const call = (name: string, id = 1) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } })

const question = new McpSchema.InputRequired({
  inputRequests: { q: { method: "roots/list" } },
  requestState: "s"
})

/** A call that runs while its tool waits, and the reverse request that it sent meanwhile. */
const reverse = Effect.fnUntraced(function* (
  ask: (client: McpSchema.McpReverseClient) => Effect.Effect<unknown, unknown>,
  capabilities: object
) {
  const outcome = yield* Deferred.make<unknown>()
  const client = yield* serve(
    addTool(
      "ask",
      () =>
        McpSchema.McpServerClient.pipe(
          Effect.flatMap((client) => client.getClient),
          Effect.flatMap(ask),
          Effect.result,
          Effect.tap((result) => Deferred.succeed(outcome, result)),
          Effect.scoped,
          Effect.as(text("asked"))
        ) as Effect.Effect<McpSchema.CallToolResult>
    )
  )
  const session = yield* client.initialize("2025-11-25", capabilities)
  const response = yield* client.fetch({
    method: "POST",
    headers: { ...session, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(call("ask"))
  })
  return { client, session, response, outcome }
})

const firstFrame = (response: Response) =>
  Effect.promise(async () => {
    const { value } = await response.body!.getReader().read()
    return JSON.parse(new TextDecoder().decode(value).replace(/^data: /, ""))
  })

describe("effect/ai over HTTP", () => {
  it.effect("row 1: a question in a result is refused on 2025-11-25", () =>
    Effect.gen(function* () {
      const client = yield* serve(addTool("ask", () => Effect.succeed(question)))
      const reply = yield* client.send(call("ask"), yield* client.initialize())
      assert.deepStrictEqual(reply.messages[0].error, {
        code: -32602,
        message: "Client input is not supported by MCP 2025-11-25"
      })
    })
  )

  it.effect("row 2: listRoots without an argument sends params null", () =>
    Effect.gen(function* () {
      const { response } = yield* reverse((client) => (client.listRoots as any)(), { roots: {} })
      const frame = yield* firstFrame(response)
      assert.deepStrictEqual([frame.method, frame.params], ["roots/list", null])
    })
  )

  it.effect("row 2: listRoots with an empty object does not", () =>
    Effect.gen(function* () {
      const { response } = yield* reverse((client) => client.listRoots({}), { roots: {} })
      assert.deepStrictEqual((yield* firstFrame(response)).params, {})
    })
  )

  it.effect("row 3: elicit with a plain object is not representable", () =>
    Effect.gen(function* () {
      const plain = { message: "?", requestedSchema: { type: "object", properties: {} } }
      const { outcome } = yield* reverse((client) => client.elicit(plain as any), { elicitation: {} })
      const result = (yield* Deferred.await(outcome)) as Result.Result<unknown, { readonly reason: string }>
      assert.deepStrictEqual(
        Result.isFailure(result) && result.failure.reason,
        "Request is not representable by this protocol"
      )
    })
  )

  const resource = (handle: Effect.Effect<any, McpSchema.InternalError>) =>
    McpServer.McpServer.use((server) =>
      server.addResource({
        resource: new McpSchema.Resource({ uri: "a:b", name: "ab" }),
        annotations: Context.empty(),
        handle
      })
    )

  it.effect("row 4: a resource that returns a question is an internal error on 2026-07-28", () =>
    Effect.gen(function* () {
      const client = yield* serve(resource(Effect.succeed(question)))
      const reply = yield* client.modern("resources/read", { uri: "a:b" }, { capabilities: { roots: {} } })
      assert.deepStrictEqual(reply.messages[0].error.code, -32603)
    })
  )

  it.effect("row 5: a handler cannot learn the request id", () =>
    Effect.gen(function* () {
      const client = yield* serve(
        addTool("keys", () =>
          Effect.map(McpSchema.McpRequestContext, (context) => text(Object.keys(context).sort().join()))
        )
      )
      const reply = yield* client.modern("tools/call", { name: "keys" }, { id: "findme" })
      assert.deepStrictEqual(
        reply.messages[0].result.content[0].text,
        "clientCapabilities,clientId,clientInfo,inputResponses,protocolVersion,requestMetadata,requestState"
      )
    })
  )

  it.effect("row 6: there is no GET stream, and resources/subscribe is neither offered nor served", () =>
    Effect.gen(function* () {
      const client = yield* serve(resource(Effect.succeed(McpSchema.ReadResourceResult.make({ contents: [] }))))
      const session = yield* client.initialize()
      const get = yield* client.fetch({ method: "GET", headers: { ...session, accept: "text/event-stream" } })
      assert.deepStrictEqual(get.status, 405)
      const subscribe = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "a:b" } }
      assert.deepStrictEqual((yield* client.send(subscribe, session)).messages[0].error.code, -32601)
      const hello = yield* client.send({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
      assert.deepStrictEqual(hello.messages[0].result.capabilities.resources, { listChanged: true, subscribe: false })
    })
  )

  it.effect("row 7: a tool that EnabledWhen hides is not listed and not found, though server.tools keeps it", () =>
    Effect.gen(function* () {
      let enabled = true
      let names: ReadonlyArray<string> = []
      const client = yield* serve(
        McpServer.McpServer.use((server) =>
          Effect.andThen(
            server.addTool({
              tool: new McpSchema.Tool({ name: "hideable", inputSchema: { type: "object" } }),
              annotations: Context.make(McpSchema.EnabledWhen, () => enabled),
              handle: () => Effect.succeed(text("here"))
            }),
            Effect.sync(() => (names = server.tools.map(({ tool }) => tool.name)))
          )
        )
      )
      enabled = false
      assert.deepStrictEqual((yield* client.modern("tools/list", {})).messages[0].result.tools, [])
      const reply = yield* client.modern("tools/call", { name: "hideable" })
      assert.deepStrictEqual(reply.messages[0].error, { code: -32602, message: "Tool 'hideable' not found" })
      assert.deepStrictEqual(names, ["hideable"])
    })
  )

  it.effect("row 11: a client of 2025-11-25 that drops its POST interrupts the handler", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const client = yield* serve(
        addTool("wait", () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
        )
      )
      const session = yield* client.initialize()
      const abort = new AbortController()
      yield* Effect.forkChild(
        client.fetch({
          method: "POST",
          headers: { ...session, "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify(call("wait")),
          signal: abort.signal
        })
      )
      yield* Deferred.await(started)
      abort.abort()
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("row 12: a change goes to every call in flight of a session, a copy each", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const started = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let count = 0
      const client = yield* serve(
        McpServer.McpServer.use((server) =>
          Effect.andThen(
            addTool("wait", () =>
              Effect.andThen(
                Effect.suspend(() => Deferred.succeed(started[count++]!, undefined)),
                Effect.as(Deferred.await(gate), text("waited"))
              )
            ),
            addTool("grow", () =>
              Effect.as(
                addTool("grown", () => Effect.succeed(text(""))),
                text("grew")
              ).pipe(Effect.provideService(McpServer.McpServer, server))
            )
          )
        )
      )
      const session = yield* client.initialize()
      const calls = yield* Effect.forkChild(
        Effect.all([client.send(call("wait", 1), session), client.send(call("wait", 2), session)], {
          concurrency: "unbounded"
        })
      )
      yield* Deferred.await(started[0]!)
      yield* Deferred.await(started[1]!)
      yield* client.send(call("grow", 3), session)
      yield* Deferred.succeed(gate, undefined)
      const replies = yield* Fiber.join(calls)
      assert.deepStrictEqual(
        replies.map(({ messages }) => messages[0].method),
        ["notifications/tools/list_changed", "notifications/tools/list_changed"]
      )
    })
  )

  const echo = serve(addTool("echo", () => Effect.succeed(text("echo"))))

  it.effect("row 13: a session never ends, and not by DELETE either unless an option says so", () =>
    Effect.gen(function* () {
      const client = yield* echo
      const session = yield* client.initialize()
      yield* TestClock.adjust("365 days")
      assert.deepStrictEqual((yield* client.fetch({ method: "DELETE", headers: session })).status, 405)
      assert.deepStrictEqual((yield* client.send(call("echo"), session)).status, 200)
    })
  )

  it.effect("row 13: any body size and any Host are accepted", () =>
    Effect.gen(function* () {
      const client = yield* echo
      const session = yield* client.initialize()
      const large = { ...call("echo"), pad: "x".repeat(8_000_000) }
      const reply = yield* client.send(large, { ...session, host: "evil.example" })
      assert.deepStrictEqual(reply.status, 200)
    })
  )

  it.effect("row 14: a 2026-07-28 cancellation without Mcp-Method is refused", () =>
    Effect.gen(function* () {
      const client = yield* echo
      const reply = yield* client.send(
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        { "mcp-protocol-version": "2026-07-28" }
      )
      assert.deepStrictEqual([reply.status, reply.messages[0].error.code], [400, -32020])
    })
  )

  const context = serve(
    addTool("context", () =>
      Effect.map(McpSchema.McpRequestContext, ({ inputResponses, requestState }) =>
        text(JSON.stringify({ inputResponses, requestState }))
      )
    )
  )

  it.effect("row 19: null or odd continuations are invalid parameters before any handler", () =>
    Effect.gen(function* () {
      const client = yield* context
      for (const params of [
        { requestState: null },
        { requestState: 5 },
        { inputResponses: null },
        { inputResponses: { q: { action: "accept", content: null } } },
        { inputResponses: { q: { action: "reject" } } }
      ]) {
        const reply = yield* client.modern("tools/call", { name: "context", ...params })
        assert.deepStrictEqual(
          reply.messages[0].error,
          { code: -32602, message: "Invalid method parameters" },
          JSON.stringify(params)
        )
      }
    })
  )

  it.effect("row 20: a session never sees state or answers", () =>
    Effect.gen(function* () {
      const client = yield* context
      const reply = yield* client.send(
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "context", requestState: "s", inputResponses: { q: { action: "cancel" } } }
        },
        yield* client.initialize()
      )
      assert.deepStrictEqual(reply.messages[0].result.content[0].text, "{}")
    })
  )

  it.effect("row 21: an unknown name reaches no middleware, and is said in effect/ai's words", () =>
    Effect.gen(function* () {
      let reached = 0
      const client = yield* peer(
        McpServer.layerHttp({
          name: "Upstream",
          version: "1.0.0",
          path: "/mcp",
          protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
          registrations: registrations(addTool("echo", () => Effect.succeed(text("echo")))).pipe(
            Layer.provideMerge(
              McpServer.middleware(
                (effect) =>
                  Effect.suspend(() => {
                    reached++
                    return effect
                  }),
                { global: true }
              )
            )
          )
        }) as Layer.Layer<never, any, HttpRouter.HttpRouter>
      )
      const session = yield* client.initialize()
      yield* client.send(call("echo"), session)
      assert.deepStrictEqual(reached, 1)
      const cases = [
        ["tools/call", { name: "x" }, { code: -32602, message: "Tool 'x' not found" }, -32602],
        ["prompts/get", { name: "x" }, { code: -32602, message: "Prompt 'x' not found" }, -32602],
        [
          "resources/read",
          { uri: "x" },
          { code: -32602, message: "Resource 'x' not found", data: { uri: "x" } },
          -32002
        ]
      ] as const
      for (const [method, params, error, oldCode] of cases) {
        assert.deepStrictEqual((yield* client.modern(method, params)).messages[0].error, error)
        const old = yield* client.send({ jsonrpc: "2.0", id: 1, method, params }, session)
        assert.deepStrictEqual([old.messages[0].error.code, old.messages[0].error.message], [oldCode, error.message])
      }
      assert.deepStrictEqual(reached, 1)
    })
  )

  it.effect("row 22, 26: a 2026-07-28 request has no McpServerClient, a session always has one", () =>
    Effect.gen(function* () {
      const client = yield* serve(
        addTool("who", () => Effect.map(Effect.serviceOption(McpSchema.McpServerClient), (who) => text(who._tag)))
      )
      const modern = yield* client.modern("tools/call", { name: "who" })
      const old = yield* client.send(call("who"), yield* client.initialize())
      assert.deepStrictEqual(
        [modern, old].map(({ messages }) => messages[0].result.content[0].text),
        ["None", "Some"]
      )
    })
  )

  it.effect("row 23: McpServer does not say the server's name", () =>
    Effect.gen(function* () {
      let shown = ""
      yield* serve(McpServer.McpServer.use((server) => Effect.sync(() => (shown = Object.keys(server).join()))))
      assert.notInclude(shown, "name")
      assert.notInclude(shown, "info")
    })
  )

  it.effect("row 24: toWebHandler runs on its own clock unless it is given the fiber's context", () =>
    Effect.gen(function* () {
      const router = HttpRouter.add(
        "GET",
        "/now",
        Effect.map(Clock.currentTimeMillis, (now) => HttpServerResponse.text(String(now)))
      )
      const { dispose, handler } = HttpRouter.toWebHandler(router, { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const context = yield* Effect.context<never>()
      const request = () => new Request("http://localhost/now")
      const bare = yield* Effect.promise(() => handler(request()).then((response) => response.text()))
      const given = yield* Effect.promise(() => handler(request(), context).then((response) => response.text()))
      assert.deepStrictEqual([Number(bare) > 1_000_000_000, given], [true, "0"])
    })
  )

  it.live("HttpRouter.serve listens before it takes requests", () =>
    Effect.gen(function* () {
      const server = createServer()
      let listeners: number | undefined
      const starting = Effect.sync(() => {
        if (server.listening) listeners = server.listenerCount("request")
      })
      const app = HttpRouter.serve(Layer.effectDiscard(starting), { disableLogger: true, disableListenLog: true })
      yield* Layer.build(
        Layer.provide(
          app,
          NodeHttpServer.layer(() => server, { port: 0, host: "127.0.0.1" })
        )
      )
      assert.deepStrictEqual([listeners, server.listenerCount("request")], [0, 1])
    })
  )

  it.effect("the seam: installHandlers is given the server's name, its changes and its session operations", () =>
    Effect.gen(function* () {
      const seen: Array<readonly [any, any]> = []
      const spy = <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
        ...adapter,
        installHandlers: (core, lifecycle, target) => {
          seen.push([lifecycle, target])
          return adapter.installHandlers(core, lifecycle, target)
        }
      })
      yield* serve(Effect.void, [spy(McpProtocol.v2026_07_28), spy(McpProtocol.v2025_11_25)])
      yield* Effect.yieldNow
      const [modern, old] = seen
      assert.deepStrictEqual(modern?.[1].context.serverInfo.name, "Upstream")
      assert.isTrue(Effect.isEffect(modern?.[1].context.subscribeServerNotifications))
      assert.deepStrictEqual(modern?.[1].context.getListChangeRevision(), 0)
      assert.isUndefined(modern?.[0])
      for (const operation of ["initialize", "subscribe", "unsubscribe"]) {
        assert.deepStrictEqual(typeof old?.[0][operation], "function")
      }
    })
  )
})
