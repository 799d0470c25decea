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

const keyboard = async (question: string) => {
  const line = createInterface({ input: process.stdin, output: process.stdout })
  const typed = (await line.question(`      ${question} `)).trim()
  line.close()
  return typed
}

const decide = async (): Promise<Answer> => {
  const typed = (await keyboard("yes, no, decline or cancel?")).toLowerCase()
  return typed.startsWith("y") ? yes : typed.startsWith("n") ? no : typed.startsWith("c") ? cancel : decline
}

/** The calls, each with what the person will answer if asked. */
const calls: ReadonlyArray<readonly [tool: string, args: Record<string, string>, answer?: Answer]> = [
  ["reserve_book", { title: "Dune" }],
  ["reserve_book", { title: "Neuromancer" }],
  ["order_book", { title: "Dune" }],
  ["order_book", { title: "Neuromancer" }, yes],
  ["order_book", { title: "Neuromancer" }, no],
  ["order_book", { title: "Neuromancer" }, decline],
  ["order_book", { title: "Neuromancer" }, cancel],
  ["recommend_book", { genre: "fantasy" }],
  ["search_books", { query: "dune" }],
  ["describe_catalog", {}]
]

const run = async (era: "2026-07-28" | "2025-11-25") => {
  const client = new Client(
    { name: "npm-start", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} }, sampling: {} },
      versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" }
    }
  )
  let answer: Answer = yes
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    print(`    ? ${params.message}`)
    const given = interactive ? await decide() : answer
    print(`    > ${show(given)}`)
    return given
  })
  client.setRequestHandler("sampling/createMessage", async ({ params }) => {
    const { content } = params.messages[0]!
    print(`    ? (to the client's model) ${"text" in content ? content.text : ""}`)
    const text = interactive ? await keyboard("its answer?") : "The Hobbit"
    print(`    > ${text}`)
    return { role: "assistant", model: "a model of the client's", content: { type: "text", text } }
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
  for (const [name, args, scripted] of calls) {
    answer = scripted ?? decline
    print(`  ${name} ${JSON.stringify(args)}`)
    const result = await client.callTool({ name, arguments: args })
    const [block] = result.content
    print(`    ${result.isError === true ? "! " : "= "}${block?.type === "text" ? block.text : JSON.stringify(block)}`)
  }
  await client.close()
}

await run("2026-07-28")
print()
await run("2025-11-25")
