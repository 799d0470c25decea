/** A quick check of the combinations: `npm run test:combinations` runs them. */
import { assert, describe, it } from "@effect/vitest"
import { applied, combinations } from "./combinations.ts"

describe.each(combinations)("combination: $name", (combination) => {
  it("still applies to the source", () => {
    assert.notStrictEqual(applied(combination), "")
  })
})

it("there are at least thirty combinations, each of its own name", () => {
  const names = new Set(combinations.map(({ name }) => name))
  assert.isAtLeast(names.size, 30)
  assert.strictEqual(names.size, combinations.length)
})
