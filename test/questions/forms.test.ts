/** What a form says of its fields reaches the client, on every revision that has words for it. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { observed, resolver, tool } from "../rules/kit.ts"

const title = (text: string) => ({ title: text })

const Order = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(10), Schema.isMaxLength(20)).annotate({
    title: "Name",
    description: "As on your card."
  }),
  email: Schema.String.annotate({ title: "Mail", format: "email" }),
  copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(2)),
    Schema.annotateKey({ title: "Copies", description: "How many?" })
  ),
  weight: Schema.optionalKey(Schema.Number.annotate({ description: "In kilograms." })),
  gift: Schema.Boolean.annotate({ title: "Gift" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  size: Schema.Union([
    Schema.Literal("s").annotate(title("Small")),
    Schema.Literal("l").annotate(title("Large"))
  ]).annotate({ title: "Size", description: "Of the parcel." })
})

const answer = { name: "Ada Lovelace", email: "ada@example.com", size: "s" }

const shown = (era: { protocol: Peer.ProtocolVersion }, schema: any, content: any) =>
  Effect.gen(function* () {
    const q = resolver("q", {}, () => Elicitation.form({ message: "?", schema }))
    const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
    const peer = yield* Peer.make({ ...era, registrations, answers: { q: Answer.accept(content) } })
    assert.strictEqual((yield* peer.callTool("t")).text, "done")
    return peer.questions[0]!.params.requestedSchema
  })

const fields = {
  name: { type: "string", title: "Name", description: "As on your card.", minLength: 10, maxLength: 20 },
  email: { type: "string", title: "Mail", format: "email" },
  weight: { type: "number", description: "In kilograms." },
  gift: { type: "boolean", title: "Gift", default: true }
}

describe("forms", () => {
  eras("show titles, descriptions, limits, formats, defaults and titles of choices", (era) =>
    Effect.gen(function* () {
      const { properties, required, type } = yield* shown(era, Order, answer)
      assert.deepStrictEqual(
        { type, required, properties },
        {
          type: "object",
          required: ["name", "email", "size"],
          properties: {
            ...fields,
            copies: {
              type: "integer",
              title: "Copies",
              description: "How many?",
              minimum: 1,
              maximum: 9,
              default: 2
            },
            size: {
              type: "string",
              title: "Size",
              description: "Of the parcel.",
              oneOf: [
                { const: "s", title: "Small" },
                { const: "l", title: "Large" }
              ]
            }
          }
        }
      )
    })
  )

  eras("show titles of several choices", (era) =>
    Effect.gen(function* () {
      const choice = Schema.Union([
        Schema.Literal("a").annotate(title("First")),
        Schema.Literal("b").annotate(title("Second"))
      ])
      const schema = Schema.Struct({ tags: Schema.Array(choice).check(Schema.isMinLength(1)).annotate(title("Tags")) })
      const { properties } = yield* shown(era, schema, { tags: ["a"] })
      assert.deepStrictEqual(properties.tags, {
        type: "array",
        title: "Tags",
        minItems: 1,
        items: {
          anyOf: [
            { const: "a", title: "First" },
            { const: "b", title: "Second" }
          ]
        }
      })
    })
  )

  eras.of("2025-06-18")("show what that revision has: names of choices, and the default of a boolean", (era) =>
    Effect.gen(function* () {
      const { properties, required } = yield* shown(era, Order, answer)
      assert.deepStrictEqual(required, ["name", "email", "size"])
      assert.deepStrictEqual(properties, {
        ...fields,
        copies: { type: "integer", title: "Copies", description: "How many?", minimum: 1, maximum: 9 },
        size: {
          type: "string",
          title: "Size",
          description: "Of the parcel.",
          enum: ["s", "l"],
          enumNames: ["Small", "Large"]
        }
      })
    })
  )

  eras(
    "a text that is shorter than its form says fails here if the client lets it pass; the log names the field",
    (era) =>
      observed(({ logs }) =>
        Effect.gen(function* () {
          const q = resolver("q", {}, () => Elicitation.form({ message: "?", schema: Order }))
          const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
          const answers = { q: Answer.accept({ ...answer, name: "Ada" }) }
          const peer = yield* Peer.make({ ...era, registrations, answers })
          assert.include((yield* peer.callTool("t")).text, "'name' must be a string of 10 to 20 characters")
          assert.lengthOf(
            logs.filter(
              (line) => line.includes("Resolver 'q'") && line.includes("'name' must be a string of 10 to 20")
            ),
            1
          )
          assert.notInclude(logs.join(), "Ada")
        })
      )
  )
})
