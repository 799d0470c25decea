/**
 * `npm run bench [-- --only 2,3] [--json path] [--profile [path]] [--no-build]`: one table of ratios, each measured side
 * by side in this run. The method is in README.md.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Row, render } from "./lib/report.ts"
import { type Plan, plans } from "./plans.ts"
import { profileTables } from "./profiles.ts"

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "string" },
    profile: { type: "boolean" },
    out: { type: "string" },
    "no-build": { type: "boolean" }
  },
  strict: true
})

const root = fileURLToPath(new URL("../../", import.meta.url))
const tsc = (project: string) => {
  try {
    execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", project, "--noCheck"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"]
    })
  } catch (error) {
    throw new Error(`${project}: ${String((error as { stdout?: Buffer }).stdout ?? error)}`)
  }
}

const log = (text: string) => process.stderr.write(`${text}\n`)
const seconds = (since: bigint) => (Number(process.hrtime.bigint() - since) / 1e9).toFixed(0)

const measure = async (plan: Plan): Promise<ReadonlyArray<Row>> => {
  const since = process.hrtime.bigint()
  log(`${plan.measure}. ${plan.title} ..`)
  try {
    return await plan.run(log)
  } catch (error) {
    // one that errs is not timed, and the others still are
    const reason = String(error instanceof Error ? error.message : error)
    log(`   ${reason}`)
    return [
      {
        measure: plan.measure,
        what: plan.title,
        ours: "",
        theirs: "",
        ratio: undefined,
        note: reason.split("\n")[0]!.slice(0, 160)
      }
    ]
  } finally {
    log(`   ${seconds(since)} s`)
  }
}

const main = async () => {
  const started = process.hrtime.bigint()
  if (flags["no-build"] !== true) {
    log("compiling the package and the contestants ..")
    tsc("tsconfig.build.json")
    tsc("test/bench/tsconfig.json")
  }
  if (flags.profile === true) {
    const table = await profileTables(log)
    if (flags.out === undefined) process.stdout.write(`${table}\n`)
    else writeFileSync(flags.out, table)
    return
  }
  const wanted = flags.only?.split(",").map(Number)
  const rows: Array<Row> = []
  for (const plan of plans) {
    if (wanted === undefined || wanted.includes(plan.measure)) rows.push(...(await measure(plan)))
  }
  const machine = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}`
  process.stdout.write(`${machine}, ${seconds(started)} s\n\n${render(rows)}\n`)
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`)
}

main().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error?.stack ?? error}\n`)
    process.exit(1)
  }
)
