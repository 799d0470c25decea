/** House rules about the source that a linter's pattern cannot say. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const src = new URL("../../src/", import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
const linesOf = (file: string) => readFileSync(new URL(file, src), "utf8").split("\n")
const isCode = (line: string) => line.trim() !== "" && !/^\s*(\/\/|\/\*|\*)/.test(line)

/** Notes of whoever wrote it, which nobody else has. */
const papers = /\b(DESIGN|FINDINGS|WIRE|PARITY|FOUND|SPEC|PROGRAMS)\b|\bF-\d\d/
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
})

describe("nobody is sent to a paper that is not in the repository", () => {
  const root = new URL("../../", import.meta.url)
  const written = ["src", "test", "examples"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.(ts|md)$/.test(name) && !name.includes("node_modules"))
  )
  // the rows of parity.md have ids of that form
  const own = ["test/lint/source.test.ts", "test/parity.md"]
  const read = [...written, "README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter((name) => !own.includes(name))

  it.each(read)("%s", (name) => {
    const lines = readFileSync(new URL(name, root), "utf8").split("\n")
    assert.deepStrictEqual(
      lines.filter((line) => papers.test(line)),
      []
    )
  })
})
