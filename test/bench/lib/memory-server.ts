/** A server without a socket, for 2026-07-28: a function from a tool call, and what a later round adds, to its answer. */
import { Context, Effect, Layer } from "effect"
import { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { HttpRouter } from "effect/http"

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
}

export const memoryServer = <A, E>(registrations: Layer.Layer<A, E, McpServer.McpServer>) => {
  const { handler } = HttpRouter.toWebHandler(
    McpServer.layerHttp({
      name: "bench",
      version: "1.0.0",
      path: "/mcp",
      protocols: [McpProtocol.v2026_07_28],
      registrations
    }),
    { disableLogger: true }
  )
  let id = 0
  return (tool: string, args: unknown, more?: Record<string, unknown>): Effect.Effect<any, Error> =>
    Effect.tryPromise({
      try: async () => {
        const response = await handler(
          new Request("http://localhost/mcp", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": "2026-07-28",
              "mcp-method": "tools/call",
              "mcp-name": tool
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: id++,
              method: "tools/call",
              params: { name: tool, arguments: args, ...more, _meta: meta }
            })
          })
        )
        return await response.json()
      },
      catch: (cause) => new Error(String(cause))
    })
}

/**
 * The handlers that a registration gives to effect/ai, without the server around them: what a call costs in the engine and in
 * `Toolkit.handle`, and nothing else. The request is one of 2026-07-28.
 */
export const handlersOf = Effect.fnUntraced(function* <A, E>(registrations: Layer.Layer<A, E, McpServer.McpServer>) {
  const handlers = new Map<string, Effect.Effect<any, unknown>>()
  const request = Context.make(McpSchema.McpRequestContext, {
    clientId: 0,
    protocolVersion: "2026-07-28",
    clientCapabilities: new McpSchema.ClientCapabilities({ elicitation: { form: {} } })
  })
  const server = yield* McpServer.McpServer
  const capturing = McpServer.McpServer.of({
    ...server,
    addTool: (registration) => {
      const context = Context.merge(registration.services ?? Context.empty(), request)
      handlers.set(
        registration.tool.name,
        Effect.suspend(() => registration.handle({})).pipe(Effect.scoped, Effect.provideContext(context))
      )
      return server.addTool(registration)
    }
  })
  yield* Layer.build(registrations.pipe(Layer.provide(Layer.succeed(McpServer.McpServer, capturing))))
  return handlers
})
