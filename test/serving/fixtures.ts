import { type Cause, Context, Effect, Layer, Queue, type Scope, Sink, Stdio, Stream } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpEffect, HttpRouter, type HttpServerRequest } from "effect/http"

export const modern = "2026-07-28"

const metaOf = (capabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
})

/** What a stdio client writes: `_meta` of 2026-07-28, a call with it, and the start of a session of 2025-11-25. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {}
}
export const call = (name: string, id: string | number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, _meta: meta }
})
export const initialize = (capabilities: object) => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } }
})

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly messages: ReadonlyArray<any>
}

const parse = (text: string): ReadonlyArray<any> =>
  text.startsWith("id:") || text.startsWith(":") || text.startsWith("data:") || text.includes("\ndata:")
    ? text
        .split("\n")
        .flatMap((line) => (line.startsWith("data: ") && line !== "data: " ? [JSON.parse(line.slice(6))] : []))
    : text === ""
      ? []
      : [JSON.parse(text)]

/** A raw client of one server in memory: JSON in, frames out, the test's own clock. */
export interface Peer {
  readonly fetch: (init: {
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly body?: any
    readonly signal?: AbortSignal
  }) => Effect.Effect<Response>
  readonly send: (message: unknown, headers?: Record<string, string>) => Effect.Effect<Reply>
  readonly modern: (
    method: string,
    params: Record<string, unknown>,
    options?: { readonly id?: string | number; readonly capabilities?: object }
  ) => Effect.Effect<Reply>
  /** Opens a session and returns the headers of its requests. */
  readonly initialize: (version?: string, capabilities?: object) => Effect.Effect<Record<string, string>>
}

const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" }

export const peer = <A, E>(layer: Layer.Layer<A, E, HttpRouter.HttpRouter>): Effect.Effect<Peer, E, Scope.Scope> =>
  Effect.gen(function* () {
    // built in the test's own fiber, so that its clock is the server's as well
    const context = yield* Layer.build(Layer.provideMerge(layer, HttpRouter.layer))
    const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(
      Context.get(context, HttpRouter.HttpRouter).asHttpEffect()
    )
    const fetch: Peer["fetch"] = (init) =>
      Effect.contextWith((context) =>
        Effect.promise(() => handler(new Request("http://localhost/mcp", { duplex: "half", ...init } as any), context))
      )
    const send: Peer["send"] = Effect.fnUntraced(function* (message, headers = {}) {
      const response = yield* fetch({
        method: "POST",
        headers: { ...accept, ...headers },
        body: typeof message === "string" ? message : JSON.stringify(message)
      })
      const text = yield* Effect.promise(() => response.text())
      return { status: response.status, headers: response.headers, messages: parse(text) }
    })
    return {
      fetch,
      send,
      modern: (method, params, options = {}) =>
        send(
          {
            jsonrpc: "2.0",
            id: options.id ?? 1,
            method,
            params: { ...params, _meta: metaOf(options.capabilities ?? {}) }
          },
          {
            "mcp-protocol-version": modern,
            "mcp-method": method,
            ...(typeof (params.name ?? params.uri) === "string"
              ? { "mcp-name": String(params.name ?? params.uri) }
              : {})
          }
        ),
      initialize: Effect.fnUntraced(function* (version = "2025-11-25", capabilities = {}) {
        const reply = yield* send({
          jsonrpc: "2.0",
          id: 0,
          method: "initialize",
          params: { protocolVersion: version, capabilities, clientInfo: { name: "test", version: "1" } }
        })
        const headers = {
          "mcp-session-id": reply.headers.get("mcp-session-id") ?? "",
          "mcp-protocol-version": version
        }
        yield* send({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)
        return headers
      })
    }
  })

/** A tool registered straight with effect/ai. */
export const addTool = (
  name: string,
  handle: (
    payload: any
  ) => Effect.Effect<
    McpSchema.CallToolResult | McpSchema.InputRequired,
    McpSchema.InvalidParams,
    McpSchema.McpRequestContext
  >
) =>
  McpServer.McpServer.use((server) =>
    server.addTool({
      tool: new McpSchema.Tool({ name, inputSchema: { type: "object" } }),
      annotations: Context.empty(),
      handle
    })
  )

export const text = (text: string) =>
  new McpSchema.CallToolResult({ content: [McpSchema.TextContent.make({ type: "text", text })] })

/** Registrations that are run once, when the server starts. */
export const registrations = <E>(effect: Effect.Effect<unknown, E, McpServer.McpServer>) => Layer.effectDiscard(effect)

/** A raw client of a stdio server in memory. The server runs in a fiber of the test, which it ends itself. */
export const stdioPeer = <A, E>(layer: Layer.Layer<A, E, Stdio.Stdio> | Layer.Layer<A, E>) =>
  Effect.gen(function* () {
    const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
    const written: Array<string> = []
    const news = yield* Queue.sliding<void>(1)
    const stdio = Stdio.layerTest({
      stdin: Stream.fromQueue(stdin),
      stdout: () =>
        Sink.forEach((chunk: string | Uint8Array) => {
          written.push(
            ...String(chunk)
              .split("\n")
              .filter((line) => line !== "")
          )
          return Queue.offer(news, undefined)
        })
    })
    const server = yield* Layer.build(Layer.provide(layer, stdio)).pipe(
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.forkChild
    )
    const messages = () => written.map((line) => JSON.parse(line))
    const until = (count: number): Effect.Effect<void> =>
      Effect.suspend(() =>
        written.length >= count
          ? Effect.void
          : Effect.andThen(
              Queue.take(news),
              Effect.suspend(() => until(count))
            )
      )
    const writeBytes = (bytes: Uint8Array) => Queue.offer(stdin, bytes)
    return {
      server,
      messages,
      until,
      writeBytes,
      /** Writes lines in one chunk, objects as JSON. */
      write: (...lines: ReadonlyArray<unknown>) =>
        writeBytes(
          new TextEncoder().encode(
            lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")
          )
        ),
      end: Queue.end(stdin)
    }
  })
