/** What the page of `pages.test.ts` does: calls an asking tool with the official client, and says what came of it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"

declare const document: any
declare const location: any

const say = (text: string) => {
  const output = document.createElement("output")
  output.textContent = text
  document.body.append(output)
}

const order = async () => {
  const client = new Client({ name: "page", version: "1" }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { confirm: true } }))
  const url = new URL(new URLSearchParams(location.search).get("mcp") ?? "")
  await client.connect(new StreamableHTTPClientTransport(url) as any)
  const result: any = await client.callTool({ name: "order", arguments: {} })
  return result.content[0].text
}

order().then(say, (error) => say(String(error)))
