import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result, Schema } from "effect"
import * as fc from "fast-check"
import { canonicalJson } from "../../src/internal/base/canonical.ts"
import * as Form from "../../src/internal/question/form.ts"

// ---- flat structs: a recipe can be built more than once, as two processes would

interface Kind {
  readonly build: () => Schema.Codec<any, any>
  readonly value: unknown
}

const optionally = (bounds: fc.Arbitrary<readonly [number, number]>) =>
  fc.tuple(bounds, fc.boolean(), fc.boolean()).map(([[low, high], hasLow, hasHigh]) => ({
    low,
    high,
    min: hasLow ? low : undefined,
    max: hasHigh ? high : undefined
  }))

const ordered = (arbitrary: fc.Arbitrary<number>) =>
  fc.tuple(arbitrary, arbitrary).map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a] as const)))

const text: fc.Arbitrary<Kind> = optionally(ordered(fc.nat(12))).chain(({ low, high, min, max }) =>
  fc.string({ minLength: low, maxLength: high }).map((value) => ({
    value,
    build: () => {
      const least = min === undefined ? Schema.String : Schema.String.check(Schema.isMinLength(min))
      return max === undefined ? least : least.check(Schema.isMaxLength(max))
    }
  }))
)

const int: fc.Arbitrary<Kind> = optionally(ordered(fc.maxSafeInteger())).chain(({ low, high, min, max }) =>
  fc.integer({ min: low, max: high }).map((value) => ({
    value,
    build: () => {
      const least = min === undefined ? Schema.Int : Schema.Int.check(Schema.isGreaterThanOrEqualTo(min))
      return max === undefined ? least : least.check(Schema.isLessThanOrEqualTo(max))
    }
  }))
)

const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

const finite: fc.Arbitrary<Kind> = fc.tuple(double, double, fc.boolean()).map(([value, bound, exclusive]) => ({
  value,
  build: () =>
    value > bound && exclusive
      ? Schema.Finite.check(Schema.isGreaterThan(bound))
      : Schema.Finite.check(Schema.isBetween({ minimum: Math.min(value, bound), maximum: Math.max(value, bound) }))
}))

const boolean: fc.Arbitrary<Kind> = fc.boolean().map((value) => ({ value, build: () => Schema.Boolean }))

const choices = fc.uniqueArray(fc.tuple(fc.string(), fc.option(fc.string(), { nil: undefined })), {
  minLength: 1,
  maxLength: 5,
  selector: ([value]) => value
})

type Choices = ReadonlyArray<readonly [value: string, title: string | undefined]>

const choose = (options: Choices): Schema.Codec<string> =>
  Schema.Union(
    options.map(([value, title]) =>
      title === undefined ? Schema.Literal(value) : Schema.Literal(value).annotate({ title })
    )
  )

const single: fc.Arbitrary<Kind> = choices.chain((options) =>
  fc.constantFrom(...options).map(([value]) => ({ value, build: () => choose(options) }))
)

const multiple: fc.Arbitrary<Kind> = choices.chain((options) =>
  fc.tuple(fc.subarray(options.map(([value]) => value)), fc.boolean()).map(([value, bounded]) => ({
    value,
    build: () => {
      const list = Schema.Array(choose(options))
      return bounded ? list.check(Schema.isBetweenLength(value.length, options.length)) : list
    }
  }))
)

const date: fc.Arbitrary<Kind> = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((value) => ({
    value: DateTime.fromDateUnsafe(value),
    build: () => Schema.DateTimeUtcFromString.annotate({ format: "date-time" })
  }))

const numeric: fc.Arbitrary<Kind> = double.map((value) => ({ value, build: () => Schema.FiniteFromString }))

const presence = fc.constantFrom("required", "optionalKey", "optional", "defaultKey", "defaultType", "lazyDefault")

interface Recipe {
  readonly name: string
  readonly build: () => Schema.Constraint
  readonly value: unknown
  readonly presence: string
}

const recipe: fc.Arbitrary<Omit<Recipe, "name">> = fc
  .tuple(
    fc.oneof(text, int, finite, boolean, single, multiple, date, numeric),
    presence,
    fc.option(fc.string(), { nil: undefined }),
    fc.option(fc.string(), { nil: undefined })
  )
  .map(([kind, presence, title, description]) => ({
    value: kind.value,
    presence,
    build: (): Schema.Constraint => {
      const schema = kind.build().annotate({
        ...(title === undefined ? undefined : { title }),
        ...(description === undefined ? undefined : { description })
      })
      switch (presence) {
        case "optionalKey":
          return Schema.optionalKey(schema)
        case "optional":
          return Schema.optional(schema)
        case "defaultKey":
          return schema.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(kind.value)))
        case "defaultType":
          return schema.pipe(Schema.withDecodingDefaultType(Effect.succeed(kind.value)))
        case "lazyDefault":
          return schema.pipe(Schema.withDecodingDefaultTypeKey(Effect.sync(() => kind.value)))
        default:
          return schema
      }
    }
  }))

const names = fc.oneof(
  fc.constantFrom("constructor", "toString", "valueOf", "hasOwnProperty", "length", "then", "", "0"),
  fc.string({ minLength: 1 }).filter((name) => name !== "__proto__")
)

const struct: fc.Arbitrary<ReadonlyArray<Recipe>> = fc
  .uniqueArray(fc.tuple(names, recipe), { maxLength: 6, selector: ([name]) => name })
  .map((fields) => fields.map(([name, recipe]) => ({ name, ...recipe })))

type Values = Record<string, unknown>

const build = (recipes: ReadonlyArray<Recipe>): Schema.Codec<Values, Values> =>
  Schema.Struct(Object.fromEntries(recipes.map(({ name, build }) => [name, build()]))) as any

const values = (recipes: ReadonlyArray<Recipe>): Values =>
  Object.fromEntries(recipes.map(({ name, value }) => [name, value]))

// ---- what the protocol allows in a form, written down a second time

type Definition = { readonly [keyword: string]: any }

const common = ["type", "title", "description"]
const allowed = (field: Definition, old: boolean): ReadonlyArray<string> => {
  const dflt = old ? [] : ["default"]
  switch (field.type) {
    case "string":
      if ("oneOf" in field) return old ? [] : [...common, "oneOf", "default"]
      if ("enum" in field) return [...common, "enum", ...(old ? ["enumNames"] : dflt)]
      return [...common, "minLength", "maxLength", "format", ...dflt]
    case "number":
    case "integer":
      return [...common, "minimum", "maximum", ...dflt]
    case "boolean":
      return [...common, "default"]
    case "array":
      return old ? [] : [...common, "minItems", "maxItems", "items", "default"]
    default:
      return []
  }
}

const assertKeywords = (shown: Definition, old: boolean) => {
  assert.includeMembers(["type", "properties", "required"], Object.keys(shown))
  assert.strictEqual(shown.type, "object")
  for (const field of Object.values(shown.properties as Definition)) {
    assert.includeMembers([...allowed(field, old)], Object.keys(field))
    for (const option of field.oneOf ?? field.items?.anyOf ?? []) {
      assert.deepStrictEqual(Object.keys(option), ["const", "title"])
    }
    if (field.items?.enum) assert.deepStrictEqual(Object.keys(field.items), ["type", "enum"])
    if (field.items?.anyOf) assert.deepStrictEqual(Object.keys(field.items), ["anyOf"])
  }
}

/** A client's check of one value before it is sent. */
const admits = (field: Definition, value: any): boolean => {
  const options = (schema: Definition): ReadonlyArray<string> | undefined =>
    schema.enum ?? (schema.oneOf ?? schema.anyOf)?.map((option: Definition) => option.const)
  const within = (size: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) =>
    size >= min && size <= max
  switch (field.type) {
    case "string":
      return (
        typeof value === "string" &&
        (options(field)?.includes(value) ?? within(value.length, field.minLength, field.maxLength))
      )
    case "boolean":
      return typeof value === "boolean"
    case "array":
      return (
        Array.isArray(value) &&
        within(value.length, field.minItems, field.maxItems) &&
        value.every((item) => options(field.items)?.includes(item))
      )
    default:
      return (
        typeof value === "number" &&
        within(value, field.minimum, field.maximum) &&
        (field.type === "number" || Number.isInteger(value))
      )
  }
}

const holds =
  <A>(arbitrary: fc.Arbitrary<A>, property: (value: A) => Effect.Effect<void, unknown>) =>
  () =>
    fc.assert(
      fc.asyncProperty(arbitrary, (value) => Effect.runPromise(property(value))),
      { numRuns: 150 }
    )

describe("for any flat struct", () => {
  it(
    "only the protocol's keywords are rendered, on every version that can ask",
    holds(struct, (recipes) =>
      Effect.gen(function* () {
        const form = yield* Effect.fromResult(Form.render(build(recipes)))
        assertKeywords(form.requestedSchema, false)
        const old = Form.project(form, "2025-06-18")
        const list = recipes.find(({ value }) => Array.isArray(value))
        if (list === undefined) assertKeywords(Result.getOrThrow(old), true)
        else assert.isTrue(Result.isFailure(old))
      })
    )
  )

  it(
    "two builds render the same text",
    holds(struct, (recipes) =>
      Effect.gen(function* () {
        const first = yield* Effect.fromResult(Form.render(build(recipes)))
        const second = yield* Effect.fromResult(Form.render(build(recipes)))
        assert.strictEqual(JSON.stringify(first.requestedSchema), JSON.stringify(second.requestedSchema))
        assert.strictEqual(canonicalJson(first.requestedSchema), canonicalJson(second.requestedSchema))
      })
    )
  )

  it(
    "what the schema encodes passes the form and decodes back, whatever else is sent along",
    holds(fc.tuple(struct, fc.dictionary(fc.string(), fc.jsonValue())), ([recipes, strangers]) =>
      Effect.gen(function* () {
        const schema = build(recipes)
        const value = values(recipes)
        const form = yield* Effect.fromResult(Form.render(schema))
        const encoded = yield* Schema.encodeEffect(schema)(value)
        const content = JSON.parse(JSON.stringify({ ...strangers, ...encoded }))
        for (const [name, field] of form.fields) assert.isTrue(admits(field, content[name]), name)
        assert.deepStrictEqual(yield* Form.decode(schema, content), value)
      })
    )
  )

  it(
    "what may be left out is what is not required, and comes back as its default or absent",
    holds(struct, (recipes) =>
      Effect.gen(function* () {
        const schema = build(recipes)
        const form = yield* Effect.fromResult(Form.render(schema))
        const needed = recipes.filter(({ presence }) => presence === "required")
        assert.sameMembers(
          [...form.required],
          needed.map(({ name }) => name)
        )
        assert.strictEqual(form.allOptional, needed.length === 0)
        const filled = recipes.filter(({ presence }) => !presence.startsWith("optional"))
        const encoded = yield* Schema.encodeEffect(schema)(values(recipes))
        const content = Object.fromEntries(needed.map(({ name }) => [name, encoded[name]]))
        assert.deepStrictEqual(yield* Form.decode(schema, content), values(filled))
        for (const { name, presence } of recipes) {
          const known = presence === "defaultKey" || presence === "defaultType"
          assert.deepStrictEqual(form.fields.get(name)?.default, known ? (encoded[name] as Schema.Json) : undefined)
        }
      })
    )
  )
})
