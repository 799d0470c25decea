/** (d) The floor of this machine: parse the request, answer with a constant. */
import { createServer } from "node:http"
import { ready } from "../lib/child.ts"
import { orderText } from "./shop.ts"

const result = { content: [{ type: "text", text: orderText("Dune", 7, "tomorrow") }], resultType: "complete" }

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    if (message.id === undefined) return response.writeHead(202).end()
    const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, result })
    return response
      .writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...(message.method === "initialize" ? { "mcp-session-id": crypto.randomUUID() } : {})
      })
      .end(body)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  ready(typeof address === "object" && address !== null ? address.port : 0)
})
