/** House rules about the source that a linter's pattern cannot say. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const src = new URL("../../src/", import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
const linesOf = (file: string) => readFileSync(new URL(file, src), "utf8").split("\n")
const isCode = (line: string) => line.trim() !== "" && !/^\s*(\/\/|\/\*|\*)/.test(line)

/** Notes of whoever wrote it, which nobody else has. */
const papers = /\b(DESIGN|FINDINGS|WIRE|PARITY|FOUND|SPEC)\b|\bF-\d\d/
/** Goes with the rewriting of what stands there. */
const pending = /^internal\/serve\//

describe.each(files)("src/%s", (file) => {
  it("says on the same line why it steps around the compiler", () => {
    const silent = linesOf(file).filter(
      (line) => isCode(line) && /\bas (any|unknown as|never as)\b/.test(line) && !/ \/\/ \S/.test(line)
    )
    assert.deepStrictEqual(silent, [])
  })

  it("has at most 300 lines of code", () => {
    assert.isAtMost(linesOf(file).filter(isCode).length, 300)
  })

  it.skipIf(pending.test(file))("names no paper that is not in the repository", () => {
    assert.deepStrictEqual(
      linesOf(file).filter((line) => papers.test(line)),
      []
    )
  })
})
