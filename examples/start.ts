/**
 * `npm start`: the bookshop server in a process of its own, driven by the official MCP client on both protocol eras.
 * One program on the server; on 2026-07-28 a question rides back inside the result, on 2025-11-25 the server asks
 * mid-call. `npm start -- --ask` lets the person at the keyboard answer.
 */
import { createInterface } from "node:readline/promises"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const interactive = process.argv.includes("--ask")
const print = (line = "") => process.stdout.write(`${line}\n`)

type Answer = { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | { action: "cancel" }
const yes: Answer = { action: "accept", content: { confirm: true } }
const no: Answer = { action: "accept", content: { confirm: false } }
const decline: Answer = { action: "decline" }
const cancel: Answer = { action: "cancel" }

const show = (answer: Answer) =>
  answer.action === "accept" ? `accept ${JSON.stringify(answer.content)}` : answer.action

const keyboard = async (): Promise<Answer> => {
  const line = createInterface({ input: process.stdin, output: process.stdout })
  const typed = (await line.question("      yes, no, decline or cancel? ")).trim().toLowerCase()
  line.close()
  return typed.startsWith("y") ? yes : typed.startsWith("n") ? no : typed.startsWith("c") ? cancel : decline
}

/** The calls, each with what the person will answer if asked. */
const calls: ReadonlyArray<readonly [tool: string, title: string, answer?: Answer]> = [
  ["reserve_book", "Dune"],
  ["reserve_book", "Neuromancer"],
  ["order_book", "Dune"],
  ["order_book", "Neuromancer", yes],
  ["order_book", "Neuromancer", no],
  ["order_book", "Neuromancer", decline],
  ["order_book", "Neuromancer", cancel]
]

const run = async (era: "2026-07-28" | "2025-11-25") => {
  const client = new Client(
    { name: "npm-start", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" }
    }
  )
  let answer: Answer = yes
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    print(`    ? ${params.message}`)
    const given = interactive ? await keyboard() : answer
    print(`    > ${show(given)}`)
    return given
  })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["--import", "tsx", fileURLToPath(new URL("server.ts", import.meta.url))],
      stderr: "inherit"
    })
  )
  print(`Protocol ${era}`)
  const { tools } = await client.listTools()
  for (const tool of tools) {
    print(`  tool ${tool.name}(${Object.keys(tool.inputSchema.properties ?? {}).join(", ")}): ${tool.description}`)
  }
  for (const [name, title, scripted] of calls) {
    answer = scripted ?? decline
    print(`  ${name} ${JSON.stringify({ title })}`)
    const result = await client.callTool({ name, arguments: { title } })
    const [block] = result.content
    print(`    ${result.isError === true ? "! " : "= "}${block?.type === "text" ? block.text : JSON.stringify(block)}`)
  }
  await client.close()
}

await run("2026-07-28")
print()
await run("2025-11-25")
