/** Examples 01 to 03b in a process of their own, with effect/ai's own layers, driven by the official client. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const script = fileURLToPath(new URL("server.ts", import.meta.url))
const args = (example: string, transport: string) => ["--import", "tsx", script, example, transport]

type Era = "2026-07-28" | "2025-11-25"
type Answer = { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | { action: "cancel" }
const accept = (confirm: boolean): Answer => ({ action: "accept", content: { confirm } })

const children: Array<ChildProcess> = []
afterAll(() => {
  for (const child of children) child.kill()
})

/** One server per example serves both eras. */
const servers = new Map<string, Promise<URL>>()
const listening = (example: string): Promise<URL> => {
  const known =
    servers.get(example) ??
    new Promise<URL>((resolve, reject) => {
      const child = spawn(process.execPath, args(example, "http"), { stdio: ["ignore", "pipe", "inherit"] })
      children.push(child)
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
      createInterface({ input: child.stdout! }).on("line", (line) => {
        const [, url] = /^listening (\S+)$/.exec(line) ?? []
        if (url !== undefined) resolve(new URL(url))
      })
    })
  servers.set(example, known)
  return known
}

const connect = async (example: string, era: Era, transport: "stdio" | "http", answers: Array<Answer>) => {
  const client = new Client(
    { name: "process-test", version: "1.0.0" },
    {
      capabilities: answers.length === 0 ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" }
    }
  )
  const asked: Array<string> = []
  if (answers.length > 0) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message)
      return answers[asked.length - 1]!
    })
  }
  const line =
    transport === "http"
      ? new StreamableHTTPClientTransport(await listening(example))
      : new StdioClientTransport({ command: process.execPath, args: args(example, "stdio"), stderr: "inherit" })
  // frames as they leave the client: what it sends for one call is what the server made it send
  const sent: Array<string> = []
  const send: (...all: ReadonlyArray<any>) => Promise<void> = line.send.bind(line)
  line.send = (...all: ReadonlyArray<any>) => {
    if (typeof all[0].method === "string") sent.push(all[0].method)
    return send(...all)
  }
  await client.connect(line)
  assert.strictEqual(client.getNegotiatedProtocolVersion(), era)
  const call = async (name: string, title: string) => {
    const result = await client.callTool({ name, arguments: { title } })
    const [block] = result.content
    return `${result.isError === true ? "! " : ""}${block?.type === "text" ? block.text : block?.type}`
  }
  return { client, call, asked, sent }
}

const described = async (client: Client, name: string, description: string) => {
  const { tools } = await client.listTools()
  assert.deepStrictEqual(
    tools.map((tool) => [tool.name, tool.description, Object.keys(tool.inputSchema.properties ?? {})]),
    [[name, description, ["title"]]]
  )
  assert.notMatch(JSON.stringify(tools), /\$defs|bookshop\/|CheckStock|Delivery|Backorder/)
}

const refused = (action: string) =>
  `! Error executing tool order_book: Resolver for 'bookshop/ConfirmBackorder' could not resolve: elicitation was ${action}`

for (const era of ["2026-07-28", "2025-11-25"] as const) {
  for (const transport of ["stdio", "http"] as const) {
    describe(`${era} over ${transport}, effect/ai's own layers, official client`, () => {
      it(`01 prints what the example promises [${era} ${transport}]`, async () => {
        const { call, client } = await connect("01", era, transport, [])
        await described(client, "reserve_book", "Reserve a copy of a book.")
        assert.strictEqual(await call("reserve_book", "Dune"), "Reserved 'Dune' (6 copies left).")
        assert.strictEqual(await call("reserve_book", "Neuromancer"), "'Neuromancer' is out of stock.")
        await client.close()
      })

      it(`02 prints what the example promises [${era} ${transport}]`, async () => {
        const { call, client } = await connect("02", era, transport, [])
        await described(client, "order_book", "Order a book from the shop.")
        assert.strictEqual(await call("order_book", "Dune"), "Ordered 'Dune'; it arrives tomorrow.")
        const neuromancer = "'Neuromancer' is on backorder; it would arrive in 2-3 weeks."
        assert.strictEqual(await call("order_book", "Neuromancer"), neuromancer)
        await client.close()
      })

      it(`03 asks only out of stock, once, and honours each answer [${era} ${transport}]`, async () => {
        const answers: Array<Answer> = [accept(true), accept(false), { action: "decline" }, { action: "cancel" }]
        const { asked, call, client, sent } = await connect("03", era, transport, answers)
        await described(client, "order_book", "Order a book from the shop.")
        sent.length = 0
        assert.strictEqual(await call("order_book", "Dune"), "Ordered 'Dune'.")
        assert.deepStrictEqual([asked, sent], [[], ["tools/call"]])
        sent.length = 0
        const backordered = "Backordered 'Neuromancer'; it ships in 2-3 weeks."
        assert.strictEqual(await call("order_book", "Neuromancer"), backordered)
        assert.deepStrictEqual(asked, ["'Neuromancer' is out of stock (2-3 weeks). Order anyway?"])
        assert.deepStrictEqual(sent, era === "2026-07-28" ? ["tools/call", "tools/call"] : ["tools/call"])
        assert.strictEqual(await call("order_book", "Neuromancer"), "No order placed.")
        assert.strictEqual(await call("order_book", "Neuromancer"), refused("decline"))
        assert.strictEqual(await call("order_book", "Neuromancer"), refused("cancel"))
        assert.strictEqual(asked.length, 4)
        await client.close()
      })

      it(`03b branches on a refusal [${era} ${transport}]`, async () => {
        const answers: Array<Answer> = [{ action: "decline" }, { action: "cancel" }]
        const { asked, call, client } = await connect("03b", era, transport, answers)
        const declined = "Not ordered (declined). In stock instead: Dune."
        assert.strictEqual(await call("order_book", "Neuromancer"), declined)
        assert.strictEqual(await call("order_book", "Neuromancer"), "Not ordered (cancelled).")
        assert.strictEqual(asked.length, 2)
        await client.close()
      })
    })
  }
}
