/**
 * The README's program, from the packed tarball, on every runtime that the guide names: over stdio on Node 22 and 24, Bun
 * and Deno; over HTTP on Node; as a fetch handler on Bun, Deno and workerd, where `@effect/platform-node` is not installed.
 * The official client calls it on 2026-07-28 and on 2025-11-25, and answers what it asks.
 *
 * Prints a line for each check, what a failed one said, and at the end `N passed, N failed`.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const root = fileURLToPath(new URL("../../", import.meta.url))
const home = mkdtempSync(join(tmpdir(), "effect-resolve-runtimes-"))
const started = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of started) child.kill("SIGKILL")
  rmSync(home, { recursive: true, force: true })
})

/** Installed without their scripts: the programs themselves are in packages that these depend on. */
const runtimes = { bun: "~1.4.5", deno: "~2.9.6", miniflare: "^4.20260426.0", esbuild: "^0.25.0" }

const counts = { passed: 0, failed: 0 }
const check = async (title: string, body: () => unknown): Promise<boolean> => {
  try {
    await body()
    counts.passed++
    console.log(`ok      ${title}`)
    return true
  } catch (error) {
    counts.failed++
    console.log(`FAILED  ${title}\n${error instanceof Error ? error.stack : error}`.replaceAll("\n", "\n   | "))
    return false
  }
}
const finish = (): never => {
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exit(counts.failed === 0 ? 0 : 1)
}
const equal = (actual: unknown, expected: unknown): void => {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`expected ${b}\ngot      ${a}`)
}

// npm tells its scripts about the package they are of, and this is another
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name))),
  NO_COLOR: "1",
  STATE_KEYS: "a-secret-of-at-least-thirty-two-bytes!"
} as Record<string, string> // no value is undefined: they are this process's own

const run = (command: string, args: ReadonlyArray<string>, cwd = home): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8", timeout: 240_000 })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: exit code ${status}\n${stdout}${stderr}`)
  return stdout
}

const install = (): void => {
  const version = (name: string): string =>
    JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version
  run("npm", ["pack", "--pack-destination", home], root)
  const tarball = readdirSync(home).find((name) => name.endsWith(".tgz"))!
  const peers = Object.fromEntries(["effect", "@effect/platform-node"].map((name) => [name, version(name)]))
  const dependencies = { ...runtimes, ...peers, "effect-resolve": `file:${tarball}` }
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
  // Node strips no types in node_modules
  cpSync(join(home, "node_modules/effect-resolve/examples"), join(home, "examples"), { recursive: true })
}
if (!(await check("packs, and installs beside the runtimes", install))) finish()

// ---------------------------------------------------------------- a client

const eras = ["2026-07-28", "2025-11-25"] as const

/** The official client, which calls the program three times: nothing to ask, somebody agrees, somebody declines. */
const drive = async (transport: () => StdioClientTransport | StreamableHTTPClientTransport): Promise<void> => {
  for (const era of eras) {
    const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const)
    const capabilities = { elicitation: { form: {} } }
    const client = new Client(
      { name: "runtimes", version: "1.0.0" },
      { capabilities, versionNegotiation: { mode }, defaultRequestTimeout: 30_000 } as ConstructorParameters<
        typeof Client
      >[1] // an option that older releases of the client do not name
    )
    const asked: Array<string> = []
    let agrees = true
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message)
      return agrees ? { action: "accept", content: { confirm: true } } : { action: "decline" }
    })
    const order = async (title: string) => {
      const { content } = await client.callTool({ name: "order_book", arguments: { title } })
      return content.map((block) => (block.type === "text" ? block.text : block.type)).join()
    }
    try {
      await client.connect(transport())
      equal(await order("Dune"), "Ordered 'Dune'; it arrives tomorrow.")
      equal(asked, [])
      equal(await order("Emma"), "Ordered 'Emma'; it arrives in 2-3 weeks.")
      agrees = false
      const sentence = "Resolver for 'bookshop/Delivery' could not resolve: elicitation was decline"
      equal(await order("Emma"), `Error executing tool order_book: ${sentence}`)
      equal(
        asked,
        Array.from({ length: 2 }, () => "'Emma' is out of stock. Order anyway?")
      )
    } finally {
      await client.close()
    }
  }
}

type Command = readonly [program: string, ...args: ReadonlyArray<string>]

const overStdio = ([command, ...args]: Command) =>
  drive(() => new StdioClientTransport({ command, args, cwd: home, env, stderr: "inherit" }))

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const answers = async (url: string): Promise<boolean> => {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}

/** Starts a server on a free port, drives it, and ends it. */
const overHttp = async (commandOf: (port: number) => Command): Promise<void> => {
  const port = await freePort()
  const [command, ...args] = commandOf(port)
  const child = spawn(command, args, { cwd: home, env: { ...env, PORT: `${port}` }, stdio: ["ignore", "pipe", "pipe"] })
  started.add(child)
  let said = ""
  child.stdout.on("data", (chunk) => (said += chunk))
  child.stderr.on("data", (chunk) => (said += chunk))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    const url = `http://127.0.0.1:${port}/mcp`
    const until = Date.now() + 60_000
    while (!(await answers(url))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error("the server does not answer")
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await drive(() => new StreamableHTTPClientTransport(new URL(url)))
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${said}`)
  } finally {
    child.kill("SIGKILL")
    await ended
    started.delete(child)
  }
}

// ---------------------------------------------------------------- the runtimes

const bin = (pattern: RegExp, path: string): string => {
  const scope = join(home, "node_modules", path)
  const found = readdirSync(scope).find((name) => pattern.test(name))
  if (found === undefined) throw new Error(`no program for this machine in ${path}`)
  return join(scope, found)
}
const nodeOf = (line: string) =>
  run("npx", ["--yes", `--package=node@${line}`, "--", "node", "-p", "process.execPath"]).trim()

/** The lines of the guide's page: each was run by this. */
const program = (name: string) => `examples/${name}.ts`

for (const line of ["22", "24"]) {
  let node = ""
  if (!(await check(`Node ${line} can be had`, () => void (node = nodeOf(line))))) continue
  await check(`Node ${line}: over stdio`, () => overStdio([node, program("main")]))
  const serve = `import { ResolveServer } from "effect-resolve"
    import { registrations } from "./${program("shop")}"
    const endpoint = ResolveServer.layerHttp({ name: "bookshop", version: "1.0.0", path: "/mcp", registrations })
    ResolveServer.run(ResolveServer.serve(endpoint, { port: +process.env.PORT }))`
  await check(`Node ${line}: over HTTP`, () => overHttp(() => [node, "--input-type=module", "-e", serve]))
}
const bun = join(bin(/^bun-/, "@oven"), "bin/bun")
const deno = join(bin(/./, "@deno"), "deno")
await check("Bun: over stdio", () => overStdio([bun, program("main")]))
await check("Deno: over stdio", () => overStdio([deno, "run", "--allow-env", "--allow-read", program("main")]))

for (const name of ["platform-node", "platform-node-shared"]) {
  rmSync(join(home, "node_modules/@effect", name), { recursive: true, force: true })
}
await check("every module of the package can be imported without @effect/platform-node", () => {
  const { exports } = JSON.parse(readFileSync(join(home, "node_modules/effect-resolve/package.json"), "utf8"))
  const paths = Object.keys(exports).filter((path) => !/internal|package\.json|testing/.test(path))
  const source = paths.map((path) => `await import("effect-resolve${path.slice(1)}")`).join("\n")
  equal(existsSync(join(home, "node_modules/@effect/platform-node")), false)
  run(nodeOf("24"), ["--input-type=module", "-e", source])
})
await check("Bun: as a fetch handler", () => overHttp(() => [bun, program("fetch")]))
await check("Deno: as a fetch handler", () =>
  overHttp((port) => [
    ...([deno, "serve", "--allow-env", "--allow-read", "--host=127.0.0.1"] as const),
    `--port=${port}`,
    program("fetch")
  ])
)
await check("workerd: as a fetch handler", async () => {
  // what the bundle does not need is not looked for
  const externals = ["--external:node:*", "--external:@effect/platform-node/*"]
  const conditions = "--conditions=workerd,worker,import"
  run("npx", [
    ...["esbuild", program("worker"), "--bundle", "--format=esm", conditions, ...externals],
    "--outfile=worker.mjs"
  ])
  equal(readFileSync(join(home, "worker.mjs"), "utf8").includes("@effect/platform-node"), false)
  const settings = `{
    modules: true,
    scriptPath: "worker.mjs",
    compatibilityDate: "2026-01-01",
    compatibilityFlags: ["nodejs_compat"],
    bindings: { STATE_KEYS: process.env.STATE_KEYS },
    host: "127.0.0.1",
    port: +process.env.PORT
  }`
  const source = `import { Miniflare } from "miniflare"; await new Miniflare(${settings}).ready`
  await overHttp(() => [process.execPath, "--input-type=module", "-e", source])
})
finish()
