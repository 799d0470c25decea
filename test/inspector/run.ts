/**
 * The Inspector's command-line mode lists tools and calls one, over stdio and over HTTP.
 *
 * `tsx test/inspector/run.ts`. Needs Node 24 and the Inspector, both by npx; nothing is written outside a directory of
 * its own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const npx = ["--yes", "--loglevel=error", "--package", "node@24", "--package", "@modelcontextprotocol/inspector@2.12.0"]

const exited = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve))

const inspect = async (home: string, ...args: ReadonlyArray<string>): Promise<any> => {
  const child = spawn("npx", [...npx, "mcp-inspector", "--cli", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      MCP_CATALOG_PATH: join(home, "mcp.json"),
      MCP_CLIENT_CONFIG_PATH: join(home, "client.json"),
      MCP_INSPECTOR_SECRET_STORE: "memory"
    }
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (output.stdout += chunk))
  child.stderr.on("data", (chunk) => (output.stderr += chunk))
  const code = await exited(child)
  if (code !== 0) throw new Error(`The Inspector ended with ${code}: ${output.stderr}${output.stdout}`)
  return JSON.parse(output.stdout)
}

/** The server's command and what to expect of it. */
interface Target {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly http?: ReadonlyArray<string>
  readonly tool: string
  readonly call: Record<string, string>
  readonly text: string
}
const everything = join(root, "test/interop/server.ts")
const targets: ReadonlyArray<Target> = [
  {
    name: "bookshop",
    args: [join(root, "examples/server.ts")],
    tool: "reserve_book",
    call: { title: "Dune" },
    text: "Reserved 'Dune' (6 copies left)."
  },
  {
    name: "everything-server",
    args: [everything, "stdio"],
    http: [everything, "http"],
    tool: "echo",
    call: { text: "hello" },
    text: "hello"
  }
]

const listAndCall = async (name: string, home: string, target: Target, where: ReadonlyArray<string>) => {
  // a server's command line ends the Inspector's options, a URL stands before them
  const [before, after] = where.length > 1 ? [[], ["--", ...where]] : [where, []]
  const { tools } = await inspect(home, ...before, "--method", "tools/list", ...after)
  if (!tools.some((tool: { name: string }) => tool.name === target.tool)) {
    throw new Error(`${name} does not list ${target.tool}`)
  }
  const args = Object.entries(target.call).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`])
  const result = await inspect(home, ...before, "--method", "tools/call", "--tool-name", target.tool, ...args, ...after)
  if (result.isError === true || result.content[0].text !== target.text) {
    throw new Error(`${name}: ${target.tool} gave ${JSON.stringify(result)}`)
  }
  console.log(`ok     ${name}: ${tools.length} tools listed, ${target.tool} called`)
}

const overHttp = async (home: string, target: Target, args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, ["--import", "tsx", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  process.once("exit", () => child.kill("SIGKILL"))
  const ended = exited(child)
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^listening (\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      await listAndCall(`${target.name} over HTTP`, home, target, [url])
      return
    }
    throw new Error(`${target.name} ended before it listened`)
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

const home = mkdtempSync(join(tmpdir(), "inspector-"))
try {
  for (const target of targets) {
    await listAndCall(`${target.name} over stdio`, home, target, [process.execPath, "--import", "tsx", ...target.args])
    if (target.http !== undefined) await overHttp(home, target, target.http)
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
