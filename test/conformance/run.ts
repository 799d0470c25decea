/**
 * `npm run conformance`: the official suite against `server.ts`, for both requirement sets.
 *
 * Prints a line per scenario. Fails when a required scenario failed, did not run, or when the suite says so.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const revisions = ["2026-07-28", "2025-11-25"]
const root = fileURLToPath(new URL("../../", import.meta.url))
const suite = join(root, "node_modules/@modelcontextprotocol/conformance")
// read here and not by the suite, whose own option counts warnings as failures
const expectedFailures = [
  ...readFileSync(new URL("expected-failures.yml", import.meta.url), "utf8").matchAll(/^ +- (\S+)/gm)
].map(([, name]) => name!)

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

const exited = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve))

/** Scenarios that the suite does not ask for and this server has what they need for. */
const optional: { readonly [revision: string]: ReadonlyArray<string> } = {
  "2026-07-28": ["http-custom-header-server-validation"]
}

/** The scenarios that decide, read from the suite's own frozen list. */
const required = (revision: string): ReadonlyArray<string> => {
  const yaml = readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8")
  const section = /^server:\n((?: {2}- .*\n|\n)*)/m.exec(yaml)?.[1] ?? ""
  const own = section.split("\n").flatMap((line) => /^ {2}- (\S+)/.exec(line)?.[1] ?? [])
  return own.length === 0 ? own : [...own, ...(optional[revision] ?? [])]
}

const startServer = async () => {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", join(root, process.argv[2] ?? "test/conformance/server.ts")],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  process.once("exit", () => child.kill("SIGKILL"))
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening (\S+)/.exec(line)?.[1]
    if (url !== undefined) return { url, child }
  }
  throw new Error("The server under test ended before it listened")
}

// the suite needs a newer Node than this project's oldest
const node24 = Number(process.versions.node.split(".")[0]) >= 24 ? [process.execPath] : ["npx", "--yes", "node@24"]

const runSuite = async (url: string, revision: string, results: string) => {
  const [command, ...args] = node24
  const child = spawn(
    command!,
    [
      ...args,
      join(suite, "dist/index.js"),
      ...["server", "--url", url, "--requirements", revision, "--output-dir", results]
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] }
  )
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (output += chunk))
  return { code: await exited(child), output }
}

const checksOf = (results: string): Map<string, ReadonlyArray<Check>> =>
  new Map(
    readdirSync(results).map((directory) => [
      /^server-(.*)-\d{4}-\d\d-\d\dT.*$/.exec(directory)?.[1] ?? directory,
      JSON.parse(readFileSync(join(results, directory, "checks.json"), "utf8")) as ReadonlyArray<Check>
    ])
  )

const report = (revision: string, checks: Map<string, ReadonlyArray<Check>>) => {
  const names = required(revision)
  let failed = 0
  for (const name of new Set([...names, ...checks.keys()])) {
    const all = checks.get(name)
    const count = (status: Check["status"]) => all?.filter((check) => check.status === status).length ?? 0
    const ok = all !== undefined && (count("SUCCESS") > 0 || !names.includes(name)) && count("FAILURE") === 0
    const scored = names.includes(name)
    const expected = expectedFailures.includes(name)
    // one that is expected to fail and passes is a stale entry
    if (scored && ok === expected) failed++
    const verdict = ok ? "ok    " : all === undefined ? "NOT RUN" : scored ? "FAILED" : "failed"
    const note = scored ? "" : " (not scored)"
    const warnings = count("WARNING") === 0 ? "" : `, ${count("WARNING")} warnings`
    // only the summary says "N passed, N failed": whoever adds such lines up must not count a scenario twice
    const counted = `${count("SUCCESS")} of ${count("SUCCESS") + count("FAILURE")} checks`
    console.log(`${verdict} ${revision} ${name}: ${counted}${warnings}${note}`)
    for (const check of scored ? (all ?? []) : []) {
      if (check.status === "FAILURE" || check.status === "WARNING") {
        console.log(`         ${check.status} ${check.id}: ${check.errorMessage ?? ""}`)
      }
    }
  }
  return { passed: names.length - failed, failed, empty: names.length === 0 }
}

const main = async () => {
  const { url, child } = await startServer()
  const ended = exited(child)
  let bad = false
  const summary: Array<string> = []
  try {
    for (const revision of revisions) {
      const results = mkdtempSync(join(tmpdir(), "conformance-"))
      try {
        const { code, output } = await runSuite(url, revision, results)
        const { passed, failed, empty } = report(revision, checksOf(results))
        summary.push(`${revision}: ${passed} passed, ${failed} failed`)
        const disagrees = code !== 0 && failed === 0 && expectedFailures.length === 0
        if (disagrees) console.log(`The suite itself ended with ${code}:\n${output.slice(-4000)}`)
        bad ||= failed > 0 || empty || disagrees
      } finally {
        rmSync(results, { recursive: true, force: true })
      }
    }
  } finally {
    child.kill("SIGTERM")
    const stuck = setTimeout(() => child.kill("SIGKILL"), 5000)
    await ended
    clearTimeout(stuck)
  }
  console.log(`\nrequired scenarios\n${summary.join("\n")}`)
  process.exitCode = bad ? 1 : 0
}

await main()
