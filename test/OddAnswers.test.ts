/** Answers as no client should send them: what they mean is decided by one table (DESIGN.md 9), on both eras. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { resolver, tool } from "./rules/kit.ts"

const key = "shop/Gift"
const ask = (schema: Schema.Codec<any, any>) => {
  const gift = resolver(key, {}, () => Elicitation.form({ message: "Wrap it?", schema: schema as any }))
  return tool("wrap", { dependencies: [gift] }, () => Effect.map(gift.get, (value) => JSON.stringify(value)))
}
const failed = (sentence: string) => `Error executing tool wrap: ${sentence}`

const noContent = failed(`Resolver '${key}' received an accepted elicitation with no content`)
const wrongContent = failed(
  `Resolver '${key}' received an accepted elicitation whose content does not match the requested schema`
)
const wrongKind = failed(`Resolver '${key}' received a response of the wrong kind`)
const declined = failed(`Resolver for '${key}' could not resolve: elicitation was decline`)
const cancelled = failed(`Resolver for '${key}' could not resolve: elicitation was cancel`)

const Required = Schema.Struct({ wrap: Schema.Boolean })
const Optional = Schema.Struct({ note: Schema.optionalKey(Schema.String) })

const cases: ReadonlyArray<readonly [string, Schema.Codec<any, any>, unknown, string]> = [
  ["accept without content", Required, { action: "accept" }, noContent],
  ["accept with null", Required, { action: "accept", content: null }, noContent],
  ["accept without content, nothing required", Optional, { action: "accept" }, "{}"],
  ["accept with null, nothing required", Optional, { action: "accept", content: null }, "{}"],
  ["a field of another type", Required, { action: "accept", content: { wrap: "true" } }, wrongContent],
  ["a field of null", Required, { action: "accept", content: { wrap: null } }, wrongContent],
  ["a field of an object", Required, { action: "accept", content: { wrap: { deep: true } } }, wrongContent],
  ["content that is a list", Required, { action: "accept", content: [true] }, wrongContent],
  ["content that is a string", Required, { action: "accept", content: "yes" }, wrongContent],
  [
    "a field nobody asked for",
    Required,
    { action: "accept", content: { wrap: true, more: { deep: 1 } } },
    '{"wrap":true}'
  ],
  ["a decline with null", Required, { action: "decline", content: null }, declined],
  ["a decline with content", Required, { action: "decline", content: { wrap: true } }, declined],
  ["a cancel with a list", Required, { action: "cancel", content: [1] }, cancelled],
  ["an action that is none", Required, { action: "maybe" }, wrongKind],
  ["no action", Required, {}, wrongKind],
  ["roots", Required, { roots: [] }, wrongKind],
  ["a completion", Required, { role: "assistant", content: { type: "text", text: "yes" }, model: "m" }, wrongKind]
]

describe("odd answers to a form", () => {
  eras("an answer to a form means the same however oddly it is written", (era) =>
    Effect.forEach(cases, ([name, schema, answer, expected]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: ask(schema),
            answers: { [key]: Answer.result(answer) }
          })
          assert.strictEqual((yield* peer.callTool("wrap", {})).text, expected, name)
        })
      )
    )
  )
})
