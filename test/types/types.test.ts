/**
 * What a program of a user's that is wired wrongly makes the compiler say. In a fixture each failing use
 * stands under `// ERROR: <what the diagnostic says>`, on the line where the diagnostic must stand; nothing else of it
 * may fail. The TS number and the column are not compared: they vary with the reader's flags.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { by, type Diagnostic } from "./compile.ts"

const folder = new URL("./fixtures/", import.meta.url)
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".ts"))
const marker = /^\s*\/\/ ERROR: (.*)$/

interface Expected {
  readonly line: number
  readonly sentence: string
}

const expectedOf = (fixture: string): ReadonlyArray<Expected> => {
  const lines = readFileSync(new URL(fixture, folder), "utf8").split("\n")
  return lines.flatMap((text, index) => {
    const sentence = marker.exec(text)?.[1]
    // the line below, which is the next number, counted from one
    return sentence === undefined ? [] : [{ line: index + 2, sentence }]
  })
}

const compare = (fixture: string, found: ReadonlyArray<Diagnostic>) => {
  const expected = expectedOf(fixture)
  const silent = expected.filter(
    // compilers differ in which member of a union they name first
    ({ line, sentence }) =>
      !sentence.split(" // or ").some((one) => found.some((d) => d.line === line && d.text.includes(one)))
  )
  const unexpected = found.filter((d) => !expected.some(({ line }) => line === d.line))
  return {
    silent: silent.map(
      ({ line, sentence }) =>
        `${fixture}:${line} should say: ${sentence}\n  it says: ${found.find((d) => d.line === line)?.text ?? "nothing"}`
    ),
    unexpected: unexpected.map(({ line, text }) => `${fixture}:${line} ${text}`)
  }
}

describe.each([
  ["TypeScript 7", true],
  ["TypeScript 7", false],
  ["TypeScript 5.9", true]
] as const)("by %s, with exactOptionalPropertyTypes %s", (compiler, exact) => {
  const found = by(compiler, "-p", "test/types/tsconfig.json", "--exactOptionalPropertyTypes", String(exact))
  it.each(fixtures)("each wrong use in %s is told in its sentence on its line, and all else compiles", (fixture) => {
    const here = found.filter(({ file }) => file.endsWith(`test/types/fixtures/${fixture}`))
    assert.deepStrictEqual(compare(fixture, here), { silent: [], unexpected: [] })
  })
})

// one sentence of each form, and one case for each mistake that it leaves to TypeScript's own words
const promised: ReadonlyArray<readonly [what: string, fixture: string, sentence: RegExp]> = [
  ["a missing argument", "arguments.ts", /^"Tool '\w+' has no argument '\w+', which resolver '[\w/]+' reads"$/],
  [
    "an argument of another type",
    "arguments.ts",
    /: argument 'title' is a number, but resolver '[\w/]+' reads a string"$/
  ],
  ["an optional argument", "arguments.ts", /: argument 'title' is optional, but resolver '[\w/]+' reads a string"$/],
  ["an argument of several types", "arguments.ts", /: argument 'title' is of several types, but resolver/],
  ["an unlisted read", "lists.ts", /^"Resolver '[\w/]+' reads '[\w/]+', which is not in its dependencies"$/],
  [
    "an undeclared failure",
    "failures.ts",
    /can fail with 'SqlError', which the failure schema does not declare; declare it, list .result, or use Effect.orDie in the resolver"$/
  ],
  [
    "a question field",
    "questions.ts",
    /^"Question field '\w+' must be a string, a number, a boolean or a list of choices"$/
  ],
  [
    "a question schema",
    "questions.ts",
    /^"A question schema must be a struct of strings, numbers, booleans or lists of choices"$/
  ],
  ["a durable schema", "durable.ts", /^"The durable schema of '[\w/]+' does not encode what its resolve returns"$/],
  ["a nameless key", "requestLevel.ts", /^"Name the key's text in the option 'key'/],
  [
    "a handler that yields an unlisted resolver",
    "bodies.ts",
    /^Property '"a body reads the resolvers that its tool lists, and in every case of the list"' is missing in type 'Deep'/
  ],
  [
    "a body that asks without saying so",
    "bodies.ts",
    /^Property '"a body reads services of the app in the Effect that is given to toLayer, and asks when its tool lists the service"' is missing in type 'Elicitation'/
  ],
  ["a missing app service", "registration.ts", /'Inventory' is not assignable to type 'never'/],
  ["a missing middleware", "requestLevel.ts", /McpRequest<"Requires", CurrentUser>' is not assignable to type 'never'/],
  ["a cycle of classes", "lists.ts", /'CycleA' is referenced directly or indirectly in its own base expression/]
]

it.each(promised)("%s has a fixture", (_, fixture, sentence) => {
  assert.isTrue(expectedOf(fixture).some((expected) => sentence.test(expected.sentence)))
})
