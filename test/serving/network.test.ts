import { request } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { ResolveServer } from "effect-resolve"
import { addTool, modern, registrations, text } from "./fixtures.ts"

const endpoint = (handle: Effect.Effect<void> = Effect.void) =>
  ResolveServer.layerHttp({
    name: "Bookshop",
    version: "1.0.0",
    path: "/mcp",
    bodyTimeout: "200 millis",
    registrations: registrations(
      Effect.andThen(
        addTool("echo", () => Effect.succeed(text("echo"))),
        addTool("wait", () => Effect.as(handle, text("waited")))
      )
    )
  })

const start = (handle: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const services = yield* Layer.buildWithScope(ResolveServer.serve(endpoint(handle), { port: 0 }), scope)
    const { address } = Context.get(services, HttpServer.HttpServer)
    if (!("port" in address)) return yield* Effect.die("not a port")
    return { port: address.port, close: Scope.close(scope, Exit.void) }
  })

const headers = (method: string, name?: string) => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": modern,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name })
})

const body = (method: string, params: object) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modern,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  })

const post = (port: number, method: string, params: { readonly name?: string }) =>
  Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: headers(method, params.name),
      body: body(method, params)
    })
  )

const echo = (port: number) =>
  Effect.flatMap(post(port, "tools/call", { name: "echo" }), (response) => Effect.promise(() => response.json()))

/** Sends a body of `size` bytes, undeclared, and counts what the server took of it before it hung up. */
const flood = (port: number, size: number) =>
  Effect.callback<{ readonly status: number; readonly taken: number }>((resume) => {
    const chunk = Buffer.alloc(64 * 1_024, 0x20)
    const flooding = request({
      port,
      host: "127.0.0.1",
      path: "/mcp",
      method: "POST",
      headers: { ...headers("tools/call", "echo"), "transfer-encoding": "chunked" }
    })
    let taken = 0
    let status = 0
    const end = () => resume(Effect.succeed({ status, taken }))
    const pump = () => {
      while (taken < size && !flooding.destroyed) {
        taken += chunk.length
        if (!flooding.write(chunk)) return void flooding.once("drain", pump)
      }
      flooding.end()
    }
    flooding.on("response", (response) => {
      status = response.statusCode ?? 0
      response.resume()
    })
    flooding.on("error", () => {})
    flooding.on("close", end)
    pump()
  })

/** Sends text as it is, and gives what the server makes of it until it hangs up. */
const send = (port: number, sent: string) =>
  Effect.callback<Effect.Effect<string>>((resume) => {
    const answer = new Promise<string>((resolve) => {
      let text = ""
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(sent, () => resume(Effect.succeed(Effect.promise(() => answer))))
      )
      socket.on("data", (chunk) => (text += chunk))
      socket.on("error", () => {})
      socket.on("close", () => resolve(text))
    })
  })

const head = (more: { readonly [name: string]: string | number }) =>
  Object.entries({ host: "localhost", ...headers("tools/call", "echo"), ...more }).reduce(
    (lines, [name, value]) => `${lines}${name}: ${value}\r\n`,
    "POST /mcp HTTP/1.1\r\n"
  )

/** Sends the head of a request and a first byte, and waits for what the server makes of it. */
const dawdle = (port: number) => Effect.flatten(send(port, `${head({ "content-length": 100 })}\r\n{`))

/** A server that is called before it is up, and goes on with `then` when it has received the call. */
const early = <E>(then: Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<Effect.Effect<string>>()
    const building = Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      if (!("port" in address)) return yield* Effect.die("not a port")
      const call = body("tools/call", { name: "echo" })
      const answer = yield* send(
        address.port,
        `${head({ "content-length": call.length, connection: "close" })}\r\n${call}`
      )
      yield* Deferred.succeed(called, answer)
      // Node answers nonsense by itself, and what was sent before it has then been received
      yield* Effect.flatten(send(address.port, "nonsense\r\n\r\n"))
      yield* then
    })
    const app = Layer.provide(endpoint(), Layer.effectDiscard(building))
    const exit = yield* Effect.exit(Layer.build(ResolveServer.serve(app, { port: 0 })))
    return { exit, answer: yield* Effect.flatten(Deferred.await(called)) }
  })

describe("serve", () => {
  it.live("a call that comes before the server is up is answered when it is", () =>
    Effect.gen(function* () {
      const { answer } = yield* early(Effect.void)
      assert.include(answer, "HTTP/1.1 200 OK")
      assert.include(answer, '"text":"echo"')
    })
  )

  it.live("a call to a server that fails to come up is answered 503, and the failure is the server's", () =>
    Effect.gen(function* () {
      const { answer, exit } = yield* early(Effect.fail("no database"))
      assert.include(answer, "HTTP/1.1 503 Service Unavailable")
      assert.deepStrictEqual(exit, Exit.fail("no database"))
    })
  )

  it.live("60 MB are refused before they have arrived, and the next call is served", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const { status, taken } = yield* flood(port, 60_000_000)
      assert.strictEqual(status, 413)
      assert.isBelow(taken, 30_000_000)
      const reply: any = yield* echo(port)
      assert.strictEqual(reply.result.content[0].text, "echo")
    })
  )

  it.live("fifty bodies that do not arrive are given up, their connections closed, and calls beside them served", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const slow = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => dawdle(port)),
          { concurrency: "unbounded" }
        )
      )
      const reply: any = yield* echo(port)
      assert.strictEqual(reply.result.content[0].text, "echo")
      for (const answer of yield* Fiber.join(slow)) assert.include(answer, "408 Request Timeout")
    })
  )

  it.live("a stopping server sends the answers in flight and a listen's result before it closes", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const { close, port } = yield* start(Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(gate)))
      const waiting = yield* Effect.forkChild(post(port, "tools/call", { name: "wait" }))
      yield* Deferred.await(started)
      const listening = yield* post(port, "subscriptions/listen", { notifications: {} } as object)
      const closing = yield* Effect.forkChild(close)
      const events = yield* Effect.promise(() => listening.text())
      assert.include(events, 'resultType":"complete')
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      const response = yield* Fiber.join(waiting)
      const reply: any = yield* Effect.promise(() => response.json())
      assert.strictEqual(reply.result.content[0].text, "waited")
      yield* Fiber.join(closing)
    })
  )

  it.live("a server that is asked to end is not ready before it turns anybody away", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const app = Layer.merge(endpoint(), ResolveServer.layerReady({ path: "/ready" }))
      const serving = ResolveServer.serve(app, { port: 0, drainDelay: "3 seconds" })
      const { address } = Context.get(yield* Layer.buildWithScope(serving, scope), HttpServer.HttpServer)
      const port = "port" in address ? address.port : 0
      const ready = Effect.promise(() => fetch(`http://127.0.0.1:${port}/ready`).then(({ status }) => status))
      assert.strictEqual(yield* ready, 200)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.strictEqual(yield* ready, 503)
      assert.strictEqual(((yield* echo(port)) as any).result.content[0].text, "echo")
      yield* Fiber.join(closing)
    })
  )
})
