/** A client of 2026-07-28 that sends a round as often as it likes, to whichever replica. */

export interface Reply {
  readonly status: number
  /** The message without its id: what must be equal when a round is sent again. */
  readonly text: string
  readonly message: any
}

const version = "2026-07-28"
let id = 0

export const post = async (
  port: number,
  method: string,
  params: { readonly [name: string]: unknown }
): Promise<Reply> => {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(typeof params.name === "string" ? { "mcp-name": params.name } : {})
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: ++id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientInfo": { name: "replicas", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
        }
      }
    })
  })
  const body = await response.text()
  const events = body.split("\n").filter((line) => line.startsWith("data: {"))
  const { id: _, ...message } = JSON.parse(events.length > 0 ? events.at(-1)!.slice(6) : body)
  return { status: response.status, text: JSON.stringify(message), message }
}

export interface Asked {
  readonly tool: string
  readonly title: string
  readonly keys: ReadonlyArray<string>
  readonly state: string
}

const asked = (tool: string, title: string, { message, text }: Reply): Asked => {
  const { inputRequests, requestState } = message.result ?? {}
  if (typeof requestState !== "string") throw new Error(`expected a question: ${text}`)
  return { tool, title, keys: Object.keys(inputRequests), state: requestState }
}

export const begin = async (port: number, tool: string, title: string): Promise<Asked> =>
  asked(tool, title, await post(port, "tools/call", { name: tool, arguments: { title } }))

/** One round, answered with `ok`, by either name that the programs give it. */
export const answer = (port: number, { keys, state, title, tool }: Asked, ok = true): Promise<Reply> =>
  post(port, "tools/call", {
    name: tool,
    arguments: { title },
    requestState: state,
    inputResponses: Object.fromEntries(
      keys.map((key) => [key, { action: "accept", content: tool === "order_book" ? { confirm: ok } : { ok } }])
    )
  })

/** The next round, after a reply that asks again. */
export const next = ({ title, tool }: Asked, reply: Reply): Asked => asked(tool, title, reply)

export const reasonOf = ({ message }: Reply): string | undefined => message.error?.data?.reason

/** Runs them side by side, so many at a time. */
export const each = async <A, B>(items: ReadonlyArray<A>, concurrency: number, f: (item: A) => Promise<B>) => {
  const results: Array<B> = []
  let at = 0
  const worker = async () => {
    while (at < items.length) {
      const index = at++
      results[index] = await f(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}
