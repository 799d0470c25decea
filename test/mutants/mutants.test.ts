/** Quick checks of the mutants: `npm run test:mutants` runs them. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { names, titles } from "../titles.ts"
import { mutants } from "./mutants.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe.each(mutants)("mutant $name", (mutant) => {
  it("still applies to the source", () => {
    const args = ["apply", "--check", "-"]
    const { stderr } = spawnSync("git", args, { cwd: root, input: mutant.patch, encoding: "utf8" })
    assert.strictEqual(stderr, "")
  })

  it("names tests that exist", () => {
    const known = titles.filter(({ file }) => file === mutant.file)
    assert.deepStrictEqual(
      mutant.titles.filter((wanted) => !known.some((title) => names(title, wanted))),
      []
    )
  })
})

it("each of the rules I1 to I15 has a mutant", () => {
  const rules = Array.from({ length: 15 }, (_, index) => `I${index + 1}`)
  const bare = rules.filter((rule) => !mutants.some(({ name }) => name.startsWith(`${rule}-`)))
  assert.deepStrictEqual(bare, [])
})
