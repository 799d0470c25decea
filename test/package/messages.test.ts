/** What the library says stands in one list, what its test kit and its command line say in others, to be read as prose. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const src = new URL("../../src/", import.meta.url)

/** Texts of a source outside of comments; a template has `x` where it is filled in. */
const textsOf = (source: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let at = 0
  const quoted = (quote: string): void => {
    let text = ""
    for (at++; at < source.length && source[at] !== quote; at++) {
      if (source[at] === "\\") at++
      else if (quote === "`" && source.startsWith("${", at)) {
        at += 2
        code("}")
        text += "x"
      } else text += source[at]
    }
    texts.push(text)
  }
  const pattern = (): void => {
    let inClass = false
    for (at++; at < source.length && (source[at] !== "/" || inClass); at++) {
      if (source[at] === "\\") at++
      else if (source[at] === "[") inClass = true
      else if (source[at] === "]") inClass = false
    }
  }
  const code = (end: string | undefined): void => {
    for (let depth = 0; at < source.length; at++) {
      const char = source[at]!
      if (source.startsWith("//", at)) at = source.indexOf("\n", at)
      else if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1
      else if (char === "/" && /[=(,:[!&|?{};>]\s*$/.test(source.slice(Math.max(0, at - 40), at))) pattern()
      else if (char === '"' || char === "`") quoted(char)
      else if (char === "{") depth++
      else if (char === "}" && depth-- === 0 && end === "}") return
    }
  }
  code(undefined)
  return texts
}

const isSentence = (text: string) => /[\p{L}']+ [\p{L}']+ [\p{L}']+/u.test(text)

/** Said elsewhere: by the compiler, as the name of a reason, as the description of a metric, or by effect/ai. */
const elsewhere: { readonly [file: string]: ReadonlyArray<string> | "all" | "statements" } = {
  "internal/base/sentences.ts": "all",
  // what a value must be, put together word by word
  "internal/base/wanted.ts": "all",
  "testing/internal/messages.ts": "all",
  "bin/sentences.ts": "all",
  "bin/serve.ts": ["already declared for route '/mcp'"],
  "internal/graph/checks.ts": "all",
  "internal/question/formTypes.ts": "all",
  "testing/Answer.ts": ["x x x"],
  "testing/Rounds.ts": ["effect-resolve/testing: a secret of no worth, x"],
  "internal/graph/resolverTypes.ts": "all",
  "internal/mcp/toolTypes.ts": ["Register the toolkit with Resolve.toolkit in place of McpServer.toolkit"],
  "Resolver.ts": [
    "The text of this key is 'x'",
    "The durable schema of 'x' does not encode what its resolve returns",
    "Name the key's text in the option 'key': the compiler cannot see it in a function-style key"
  ],
  "internal/state/requestState.ts": ["not a string"],
  "internal/state/seal.ts": ["not a string", "minted in the future"],
  "internal/state/claims.ts": ["minted in the future"],
  "internal/call/telemetry.ts": [
    "Requests for tools, prompts and resources registered through Resolve",
    "Questions put to clients, by kind",
    "Answers that were a refusal, by action",
    "Request states that did not verify, by reason",
    "Milliseconds from a question to its answer: the only sign of a client that declines by itself"
  ],
  "internal/mcp/journal.ts": [
    "Replies given again to a round that was sent again",
    "Requests told that their round is claimed and not answered",
    "Rounds refused because the store could not be asked",
    "Replies sent that the store did not take in time"
  ],
  // statements of SQL, and scripts that Redis runs
  "JournalSql.ts": "statements",
  "JournalRedis.ts": "statements",
  "internal/serve/adapter/middleware.ts": ["x 'x' not found"],
  "internal/question/formField.ts": ["number of choices"]
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .sort()

describe("messages", () => {
  it.each(files)("src/%s says nothing of its own", (file) => {
    const allowed = elsewhere[file] ?? []
    if (allowed === "all" || allowed === "statements") return
    const sentences = textsOf(readFileSync(new URL(file, src), "utf8")).filter(isSentence)
    assert.deepStrictEqual(
      sentences.filter((text) => !allowed.includes(text)),
      []
    )
    assert.deepStrictEqual(
      allowed.filter((text) => !sentences.includes(text)),
      [],
      "an exception that nothing needs"
    )
  })

  const roomOf = (file: string) => /^(testing|bin)\//.exec(file)?.[1]

  it.each(["internal/base/sentences.ts", "testing/internal/messages.ts", "bin/sentences.ts"])(
    "every sentence of src/%s is said somewhere",
    (part) => {
      const list = readFileSync(new URL(part, src), "utf8")
      const names = Array.from(list.matchAll(/^export const (\w+)/gm), ([, name]) => name!)
      assert.isNotEmpty(names)
      const code = files
        .filter((file) => elsewhere[file] !== "all" && roomOf(file) === roomOf(part))
        .map((file) => readFileSync(new URL(file, src), "utf8"))
        .join("\n")
      const said = (name: string) => new RegExp(`\\bText\\.${name}\\b`).test(code) || list.includes(`{${name}(`)
      assert.deepStrictEqual(
        names.filter((name) => !said(name)),
        []
      )
    }
  )
})
