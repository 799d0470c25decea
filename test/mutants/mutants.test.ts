/** Quick checks of the mutants: `npm run test:mutants` runs them. */
import { assert, describe, it } from "@effect/vitest"
import { names, titles } from "../titles.ts"
import { applied, mutants } from "./mutants.ts"

describe.each(mutants)("mutant $name", (mutant) => {
  it("still applies to the source", () => {
    assert.isNotEmpty(applied(mutant))
  })

  it("names tests that exist", () => {
    const known = titles.filter(({ file }) => file === mutant.file)
    assert.deepStrictEqual(
      mutant.titles.filter((wanted) => !known.some((title) => names(title, wanted))),
      []
    )
  })
})

it("a change that has no place, or several, is not applied", () => {
  const of = (...before: ReadonlyArray<string>) =>
    applied({ ...mutants[0]!, changes: [{ file: "tsconfig.json", before, after: [] }] })
  assert.throws(() => of("nowhere"), "found 0 times in tsconfig.json")
  assert.throws(() => of("],"), /found \d+ times in tsconfig.json/)
  assert.notInclude(of('"strict": true,').get("tsconfig.json"), "strict")
})

it("each of the rules I1 to I15 has a mutant", () => {
  const rules = Array.from({ length: 15 }, (_, index) => `I${index + 1}`)
  const bare = rules.filter((rule) => !mutants.some(({ name }) => name.startsWith(`${rule}-`)))
  assert.deepStrictEqual(bare, [])
})
