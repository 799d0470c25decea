/** Holds parity.md to the checklist it answers and to the suite it points at. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { names, titles } from "./titles.ts"

// how many rows the checklist has in each area: 257 in all
const areas: Readonly<Record<string, number>> = {
  A: 17,
  B: 16,
  C: 10,
  D: 29,
  E: 13,
  F: 4,
  G: 12,
  H: 27,
  I: 19,
  J: 37,
  K: 21,
  L: 24,
  M: 10,
  N: 12,
  O: 6
}
const ids = Object.entries(areas).flatMap(([area, rows]) =>
  Array.from({ length: rows }, (_, index) => `${area}-${String(index + 1).padStart(2, "0")}`)
)

const lines = readFileSync(new URL("./parity.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("- "))
const entries = lines.flatMap((line) => {
  const match = /^- ([A-O]-\d\d) (pass|differs|n\.a\.) (\S.*)$/.exec(line)
  return match === null ? [] : [{ line, id: match[1]!, state: match[2]!, text: match[3]! }]
})

it("parity.md has one well-formed line for each row of the checklist, in its order", () => {
  assert.strictEqual(ids.length, 257)
  assert.deepStrictEqual(
    entries.map(({ line }) => line),
    lines
  )
  assert.deepStrictEqual(
    entries.map(({ id }) => id),
    ids
  )
})

it("parity.md names tests that exist and run", () => {
  const running = titles.filter(({ skipped }) => !skipped)
  const wrong = entries.filter(({ state, text }) => state === "pass" && !running.some((title) => names(title, text)))
  assert.deepStrictEqual(
    wrong.map(({ line }) => line),
    []
  )
})

it("a row that effect/ai makes impossible is shown by a probe of effect/ai alone", () => {
  const probes = titles.filter(({ file }) => file.startsWith("test/upstream/")).map(({ title }) => title)
  const unproved = entries.filter(
    ({ state, text }) => state !== "pass" && /impossible/.test(text) && !probes.some((title) => text.includes(title))
  )
  assert.deepStrictEqual(
    unproved.map(({ line }) => line),
    []
  )
})
