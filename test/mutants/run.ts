/**
 * `npm run test:mutants`: breaks one rule at a time in a copy of the repository, and sees whether exactly the tests
 * that a mutant names notice. `npm run test:mutants -- I7 I8-audience` runs some of them.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { applied, type Mutant, mutants, withoutEra } from "./mutants.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const copied = ["src", "test", "examples", "package.json", "tsconfig.json", "vitest.config.ts"]
const copies = Math.min(2, availableParallelism())

interface Assertion {
  readonly title: string
  readonly status: "passed" | "failed" | "pending" | "skipped" | "todo"
}
interface Report {
  readonly testResults: ReadonlyArray<{ readonly message: string; readonly assertionResults: ReadonlyArray<Assertion> }>
}

const makeCopy = (parent: string, index: number) => {
  const copy = join(parent, String(index))
  const skipped = /[\\/](node_modules|dist)$/
  for (const name of copied) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !skipped.test(path) })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

const runTests = (copy: string, { file }: Mutant) => {
  const output = join(copy, "report.json")
  rmSync(output, { force: true })
  const reporter = ["--reporter=json", `--outputFile=${output}`]
  // a mutant may turn an end into a wait
  const args = ["node_modules/vitest/vitest.mjs", "run", file, ...reporter, "--testTimeout=10000"]
  return new Promise<Report | string>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "ignore", "pipe"] })
    let errors = ""
    child.stderr.on("data", (chunk) => {
      errors += chunk
    })
    const limit = setTimeout(() => child.kill("SIGKILL"), 180_000)
    child.on("close", () => {
      clearTimeout(limit)
      try {
        resolve(JSON.parse(readFileSync(output, "utf8")))
      } catch {
        resolve(errors.trim() || "no report: it ran for more than three minutes")
      }
    })
  })
}

/** What is wrong with a mutant's report, or nothing. */
const judge = ({ titles }: Mutant, report: Report): string | undefined => {
  const assertions = report.testResults.flatMap((result) => result.assertionResults)
  if (assertions.length === 0) return `no test ran: ${report.testResults.map(({ message }) => message).join(" ")}`
  const failed = new Set(assertions.filter(({ status }) => status === "failed").map(({ title }) => withoutEra(title)))
  const survived = titles.filter((title) => !failed.has(title))
  const others = [...failed].filter((title) => !titles.includes(title))
  const problems = [
    ...survived.map((title) => `survives '${title}'`),
    ...others.map((title) => `is also noticed by '${title}'`)
  ]
  return problems.length === 0 ? undefined : problems.join("; ")
}

const check = async (copy: string, mutant: Mutant): Promise<string | undefined> => {
  let files: ReadonlyMap<string, string>
  try {
    files = applied(mutant)
  } catch (error) {
    return `does not apply: ${error instanceof Error ? error.message : String(error)}`
  }
  for (const [file, text] of files) writeFileSync(join(copy, file), text)
  const report = await runTests(copy, mutant)
  for (const file of files.keys()) cpSync(join(root, file), join(copy, file))
  return typeof report === "string" ? report : judge(mutant, report)
}

const wanted = process.argv.slice(2)
const queue = mutants.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
const parent = mkdtempSync(join(tmpdir(), "effect-resolve-mutants-"))
process.on("exit", () => rmSync(parent, { recursive: true, force: true }))

let failed = 0
const total = queue.length
const work = async (copy: string) => {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const problem = await check(copy, mutant)
    if (problem !== undefined) failed++
    console.log(problem === undefined ? `killed   ${mutant.name}` : `SURVIVED ${mutant.name}: ${problem}`)
  }
}
await Promise.all(Array.from({ length: copies }, (_, index) => work(makeCopy(parent, index))))
console.log(`${total - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
