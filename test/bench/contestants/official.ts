/**
 * (b) over HTTP, as its documentation wires a server for both eras: `createMcpHandler` for 2026-07-28, and a map of
 * sessions for the older revisions, without which a tool could not ask there. `@hono/node-server` is the bridge to
 * `node:http` that its own `@modelcontextprotocol/node` uses.
 */
import { createServer } from "node:http"
import { getRequestListener } from "@hono/node-server"
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { ready } from "../lib/child.ts"
import { makeServer } from "./official-server.ts"

const modern = createMcpHandler(makeServer, { legacy: "reject" })
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

const legacy = async (request: Request): Promise<Response> => {
  const known = sessions.get(request.headers.get("mcp-session-id") ?? "")
  if (known !== undefined) return known.handleRequest(request)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    },
    onsessionclosed: (id) => {
      sessions.delete(id)
    }
  })
  await makeServer().connect(transport)
  return transport.handleRequest(request)
}

const server = createServer(
  getRequestListener(async (request) => {
    // a session id names an old session: no need to read the body to know
    if (request.headers.has("mcp-session-id") || (await isLegacyRequest(request))) return legacy(request)
    return modern.fetch(request)
  })
)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  ready(typeof address === "object" && address !== null ? address.port : 0)
})
