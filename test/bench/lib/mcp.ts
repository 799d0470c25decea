/** Raw MCP over HTTP, both eras: just enough for a load generator. */
import { Connection, type Reply } from "./http.ts"

export type Era = "2026-07-28" | "2025-11-25"

export interface Client {
  readonly connection: Connection
  readonly era: Era
  readonly session: string | undefined
  readonly capabilities: unknown
}

const clientInfo = { name: "bench", version: "1.0.0" }
let nextId = 0

export const open = async (port: number, era: Era, capabilities: unknown = {}, session?: string): Promise<Client> => {
  const connection = await Connection.open(port)
  if (era === "2026-07-28") return { connection, era, session: undefined, capabilities }
  if (session !== undefined) return { connection, era, session, capabilities }
  const reply = await connection.post(
    "",
    JSON.stringify({
      jsonrpc: "2.0",
      id: nextId++,
      method: "initialize",
      params: { protocolVersion: era, capabilities, clientInfo }
    })
  )
  const id = /\r\nmcp-session-id: *([^\r\n]+)/.exec(reply.headers)?.[1]
  if (reply.status !== 200) throw new Error(`initialize: HTTP ${reply.status} ${reply.body}`)
  const client = { connection, era, session: id, capabilities }
  await connection.post(
    headersOf(client, undefined),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
  )
  return client
}

const headersOf = (client: Client, tool: string | undefined): string =>
  client.era === "2026-07-28"
    ? `mcp-protocol-version: ${client.era}\r\nmcp-method: tools/call\r\nmcp-name: ${tool}\r\n`
    : `mcp-protocol-version: ${client.era}\r\n${client.session === undefined ? "" : `mcp-session-id: ${client.session}\r\n`}`

/** A call of a tool whose arguments are a title; `more` is what a later round adds. */
export const call = (client: Client, tool: string, title: string, more?: Record<string, unknown>): Promise<Reply> => {
  const params: Record<string, unknown> = { name: tool, arguments: { title }, ...more }
  if (client.era === "2026-07-28") {
    params._meta = {
      "io.modelcontextprotocol/protocolVersion": client.era,
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": client.capabilities
    }
  }
  return client.connection.post(
    headersOf(client, tool),
    JSON.stringify({ jsonrpc: "2.0", id: nextId++, method: "tools/call", params })
  )
}

/** The JSON-RPC message of a reply, be it a JSON body or the last event of a stream. */
export const message = (reply: Reply): any => {
  if (!reply.headers.includes("text/event-stream")) return JSON.parse(reply.body)
  const events = reply.body.split("\n").filter((line) => line.startsWith("data: {"))
  return JSON.parse(events[events.length - 1]!.slice(6))
}

/**
 * The text of a tool's answer. effect/ai's toolkits quote a string success in `content` and carry it plain in
 * `structuredContent`: either way it is one answer.
 */
export const answer = (reply: Reply): string => {
  const { error, result } = message(reply)
  if (error !== undefined) return `error ${JSON.stringify(error)}`
  if (result.resultType === "input_required") return `input_required`
  const text = typeof result.structuredContent === "string" ? result.structuredContent : result.content?.[0]?.text
  return result.isError === true ? `isError ${text}` : String(text)
}

/** One call that asks a single question, answered with `content`, to its last round. */
export const callAnswering = async (client: Client, tool: string, title: string, content: unknown): Promise<Reply> => {
  const first = await call(client, tool, title)
  const { result } = message(first)
  if (result?.resultType !== "input_required") return first
  return call(client, tool, title, answers(result, content))
}

/** What the next round sends: every question accepted with `content`, and the state as it came. */
export const answers = (result: any, content: unknown): Record<string, unknown> => ({
  inputResponses: Object.fromEntries(
    Object.keys(result.inputRequests ?? {}).map((key) => [key, { action: "accept", content }])
  ),
  ...(result.requestState === undefined ? {} : { requestState: result.requestState })
})
