/** A server without a socket, for 2026-07-28: a function from a tool call to its JSON-RPC answer. */
import { Effect, type Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
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
  return (tool: string, args: unknown): Effect.Effect<any, Error> =>
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
              params: { name: tool, arguments: args, _meta: meta }
            })
          })
        )
        return await response.json()
      },
      catch: (cause) => new Error(String(cause))
    })
}
