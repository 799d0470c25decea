/**
 * The package as its users get it: packed, judged by publint and attw, installed into an empty project from the
 * tarball, type-checked there, and run on this machine's Node, on 22 and on 24.
 *
 * Prints a line for each check, what a failed one said, and at the end `N passed, N failed`.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const home = mkdtempSync(join(tmpdir(), "effect-resolve-package-"))
const consumer = join(home, "consumer")
process.on("exit", () => rmSync(home, { recursive: true, force: true }))

const counts = { passed: 0, failed: 0 }
const check = (title: string, body: () => void): boolean => {
  try {
    body()
    counts.passed++
    console.log(`ok      ${title}`)
    return true
  } catch (error) {
    counts.failed++
    console.log(
      `FAILED  ${title}\n${error instanceof Error ? error.message : String(error)}`.replaceAll("\n", "\n   | ")
    )
    return false
  }
}
const finish = (): never => {
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exit(counts.failed === 0 ? 0 : 1)
}

interface Options {
  readonly cwd?: string
  readonly input?: string
}

/** What the command printed; throws all of it when the command fails. */
const run = (command: string, args: ReadonlyArray<string>, { cwd = root, input = "" }: Options = {}): string => {
  // npm tells its scripts about the package they are of, and this is another
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)_/.test(name))
  )
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    input,
    encoding: "utf8",
    timeout: 120_000,
    env: { ...env, NO_COLOR: "1", npm_config_update_notifier: "false" }
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: exit code ${status}\n${stdout}${stderr}`)
  return stdout
}
const equal = (actual: string, expected: string): void => {
  if (actual !== expected) throw new Error(`expected ${JSON.stringify(expected)}\ngot      ${JSON.stringify(actual)}`)
}
const throws = (body: () => unknown, text: string): void => {
  let message = ""
  try {
    body()
  } catch (error) {
    message = String(error)
  }
  if (!message.includes(text)) throw new Error(`expected to fail with ${text}\ngot      ${message}`)
}
const bin = (name: string) => join(root, "node_modules/.bin", name)
const manifest = (path: string) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"))
const exact = (name: string): [string, string] => [name, manifest(`node_modules/${name}`).version]

// ---------------------------------------------------------------- the tarball

const pack = (): string => {
  run("npm", ["pack", "--pack-destination", home])
  return join(home, readdirSync(home).find((name) => name.endsWith(".tgz"))!)
}
let tarball = ""
if (!check("builds and packs", () => void (tarball = pack()))) finish()

check("publint has nothing to say", () => void run(bin("publint"), ["run", tarball, "--strict"]))
check(
  "attw has nothing to say, as a package that is ESM only",
  () => void run(bin("attw"), [tarball, "--profile", "esm-only"])
)
/** Every file below a folder of the repository, by its path from the root. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
const packed = (): ReadonlyArray<string> =>
  run("tar", ["-tzf", tarball])
    .trim()
    .split("\n")
    .map((path) => path.replace("package/", ""))
check(
  "holds the built modules, their declarations, maps and sources, the guide with its examples, what they link to, and nothing else",
  () => {
    const files = packed()
    const modules = files.filter((path) => path.startsWith("src/")).map((path) => path.slice(4, -3))
    const { files: listed }: { readonly files: ReadonlyArray<string> } = manifest(".")
    const expected = [
      ...["package.json", "README.md", "LICENSE"],
      ...listed.filter((path) => /\.\w+$/.test(path)),
      ...listed
        .filter((path) => path === "examples" || (path.startsWith("test/") && !path.includes(".")))
        .flatMap(filesIn),
      ...modules.map((module) => `src/${module}.ts`),
      ...modules.flatMap((module) => [".js", ".js.map", ".d.ts", ".d.ts.map"].map((end) => `dist/${module}${end}`))
    ]
    equal([...files].sort().join("\n"), expected.sort().join("\n"))
  }
)
check("has behind every link of every page what it leads to", () => {
  const files = packed()
  const dead = files
    .filter((path) => path.endsWith(".md"))
    .flatMap((page) =>
      Array.from(readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g), ([, link]) => [
        page,
        normalize(join(dirname(page), link!))
      ])
    )
    .filter(([, target]) => !files.some((path) => path === target || path.startsWith(`${target!.replace(/\/$/, "")}/`)))
  equal(JSON.stringify(dead), "[]")
})

// ---------------------------------------------------------------- a project of its own

const install = () => {
  cpSync(join(root, "test/package/consumer"), consumer, { recursive: true })
  const { overrides } = manifest(".")
  const tools = ["@effect/vitest", "vitest", "typescript", "@types/node", "effect", "@effect/platform-node"]
  const { effect, "@effect/platform-node": platform, ...dev } = Object.fromEntries(tools.map(exact))
  const dependencies = { effect, "@effect/platform-node": platform, "effect-resolve": `file:${tarball}` }
  const json = { name: "consumer", private: true, type: "module", dependencies, devDependencies: dev, overrides }
  writeFileSync(join(consumer, "package.json"), JSON.stringify(json))
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: consumer })
}
if (!check("installs beside the versions of its peers that this repository has", install)) finish()

check(
  "type-checks in a strict project, declarations included",
  () => void run(join(consumer, "node_modules/.bin/tsc"), ["-p", "."], { cwd: consumer })
)

/** What the pages tell people to install beside the packages of Install, each on the page whose program wants it. */
const pages = { jose: "identity.md", "@effect/sql-pg": "app/README.md", "@modelcontextprotocol/client": undefined }
check(
  "the guide's programs compile with the settings of the README's Install and the packages that the pages name",
  () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    const sentence = /^.*TypeScript with (.*?);/m.exec(readme)![1]!
    const settings = Array.from(sentence.matchAll(/`("[^`]+)`/g), ([, setting]) => setting).join(", ")
    if (!settings.includes('"strict"')) throw new Error(`no settings in: ${sentence}`)
    for (const [name, page] of Object.entries(pages)) {
      if (page === undefined) continue
      if (!readFileSync(join(root, "examples", page), "utf8").includes(`npm install`))
        throw new Error(`${page}: ${name}`)
    }
    const packages = Object.keys(pages).map((name) => exact(name).join("@"))
    run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
      cwd: consumer
    })
    const guide = join(consumer, "guide")
    cpSync(join(consumer, "node_modules/effect-resolve/examples"), guide, { recursive: true })
    const tsconfig = `{ "compilerOptions": { ${settings}, "noEmit": true }, "include": ["**/*.ts"] }`
    writeFileSync(join(guide, "tsconfig.json"), tsconfig)
    run(join(consumer, "node_modules/.bin/tsc"), ["-p", "guide"], { cwd: consumer })
  }
)

// ---------------------------------------------------------------- on every Node

/** The Node of a release line; nothing where it cannot be had. */
const nodeOf = (line: string): string | undefined => {
  try {
    return run("npx", ["--yes", `--package=node@${line}`, "--", "node", "-p", "process.execPath"], { cwd: home }).trim()
  } catch {
    console.log(`not had  Node ${line}: nothing was run on it`)
    return undefined
  }
}
const nodes = [process.execPath, nodeOf("22"), nodeOf("24")].filter((node) => node !== undefined)

const calls = [
  {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } }
  },
  { method: "tools/call", params: { name: "order_book", arguments: { title: "Dune" } } }
]
const lines = calls.map((call, id) => `${JSON.stringify({ jsonrpc: "2.0", id, ...call })}\n`)
const initialized = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`

/** What `effect/Schema` loads is nobody's server, though a few data types of effect/http are among it. */
const server =
  /\/effect\/dist\/(ai|http|rpc|socket|process)\/|\/@effect\/|\/node_modules\/(?!effect\/|effect-resolve\/)/
const light = ["Resolver", "Elicitation", "Question", "Call", "McpContext"]
const loadsNoServer = (node: string): void => {
  const imports = (specifier: string) => `await import("${specifier}"); console.log("-- ${specifier}")`
  const source = [imports("effect/Schema"), ...light.map((name) => imports(`effect-resolve/${name}`))].join("\n")
  const text = run(node, ["--import", "./loaded.mjs", "--input-type=module", "-e", source], { cwd: consumer })
  const [, ...loaded] = text.split("-- effect/Schema\n")
  const lines = loaded.join("").trim().split("\n")
  for (const name of light) {
    if (!lines.some((line) => line.endsWith(`/effect-resolve/dist/${name}.js`))) throw new Error(`${name}: not loaded`)
  }
  equal(lines.filter((line) => server.test(line)).join("\n"), "")
}

for (const node of nodes) {
  const on = `Node ${run(node, ["--version"]).trim()}`
  const program = (...args: ReadonlyArray<string>) => run(node, args, { cwd: consumer })
  check(`${on}: runs a graph that asks`, () =>
    equal(program("out/main.js"), "Ordered 'Dune' (3 here).\nOrdered 'Emma' (0 here).\n")
  )
  check(`${on}: serves a call over stdio`, () => {
    const input = lines[0] + initialized + lines[1]
    const answers = run(node, ["out/serve.js"], { cwd: consumer, input }).trim().split("\n")
    equal(JSON.parse(answers.at(-1)!).result.content[0].text, "Ordered 'Dune' (3 here).")
  })
  check(
    `${on}: passes a test with the test kit`,
    () => void program("node_modules/vitest/vitest.mjs", "run", "--dir", ".", "shop.spec.ts")
  )
  check(
    `${on}: every module can be imported by its own path, and is the same one`,
    () => void program("out/subpaths.js")
  )
  check(`${on}: effect-resolve/internal cannot be imported`, () => {
    const source = `import("effect-resolve/internal/call/nodes").then(() => "imported", (e) => e.code).then(console.log)`
    equal(program("-e", source), "ERR_PACKAGE_PATH_NOT_EXPORTED\n")
  })
  check(`${on}: the command line runs, or says what it needs`, () => {
    const command = join(consumer, "node_modules/.bin/effect-resolve")
    const drawn = () => run(node, [command, "graph", "out/shop.js"], { cwd: consumer })
    if (/^Node v2[01]\./.test(on)) {
      throws(drawn, "which takes Node 22.19 or later")
    } else {
      equal(drawn().split("\n")[0]!, "tool order_book(title)")
    }
  })
  check(`${on}: importing ${light.join(", ")} loads no server`, () => loadsNoServer(node))
}
finish()
