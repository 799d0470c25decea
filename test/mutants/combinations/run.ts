/**
 * `npm run test:combinations`: breaks the agreement of two parts in a copy of the repository, one at a time, and sees
 * whether the generators notice. `npm run test:combinations -- "two answers"` runs those whose name begins so.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { applied, type Combination, combinations } from "./combinations.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const copied = ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts"]
const copies = Math.min(2, availableParallelism())

const makeCopy = (parent: string, index: number) => {
  const copy = join(parent, String(index))
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** Whether a test of one of the generators' files fails. The first case that does is enough: nothing is made small. */
const noticed = (copy: string, file: string, title: string) =>
  new Promise<boolean>((resolve) => {
    const tests = [`test/difference/${file}.test.ts`, "-t", title]
    const args = ["node_modules/vitest/vitest.mjs", "run", ...tests, "--bail=1"]
    const child = spawn(process.execPath, args, {
      cwd: copy,
      stdio: "ignore",
      env: { ...process.env, FIRST_CASE: "1" }
    })
    let late = false
    const limit = setTimeout(() => {
      late = true
      child.kill("SIGKILL")
    }, 600_000)
    child.on("close", (code) => {
      clearTimeout(limit)
      resolve(code !== 0 && !late)
    })
  })

/** Those who are likely to notice first, with the cases of one seed; then the others, and then all. */
const anybodyNotices = async (copy: string, { by }: Combination): Promise<boolean> => {
  const others = by === "bodies" ? "graphs" : "bodies"
  for (const title of ["seed 1", "seed"]) {
    for (const file of [by, others]) if (await noticed(copy, file, title)) return true
  }
  return false
}

const check = async (copy: string, combination: Combination): Promise<string | undefined> => {
  const target = join(copy, combination.file)
  try {
    writeFileSync(target, applied(combination))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const seen = await anybodyNotices(copy, combination)
  return seen ? undefined : "no generator notices"
}

const wanted = process.argv.slice(2)
const queue = combinations.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
const parent = mkdtempSync(join(tmpdir(), "effect-resolve-combinations-"))
process.on("exit", () => rmSync(parent, { recursive: true, force: true }))

let failed = 0
const total = queue.length
const work = async (copy: string) => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const problem = await check(copy, next)
    if (problem !== undefined) failed++
    console.log(problem === undefined ? `killed   ${next.name}` : `SURVIVED ${next.name}: ${problem}`)
  }
}
await Promise.all(Array.from({ length: copies }, (_, index) => work(makeCopy(parent, index))))
console.log(`${total - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
