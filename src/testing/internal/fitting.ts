/**
 * Answers that fit a question, drawn by chance: content for the JSON Schema of a form, as a client reads it.
 */
import { Arbitrary, Schema } from "effect"

type JsonSchema = { readonly [keyword: string]: any }

/** What a text of a format looks like, for those that the protocol knows. */
const formats: { readonly [format: string]: RegExp } = {
  email: /^[a-z]{1,8}@[a-z]{1,8}\.(com|org)$/,
  uri: /^https:\/\/[a-z]{1,8}\.(com|org)\/[a-z]{0,5}$/,
  date: /^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$/,
  "date-time": /^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T[01][0-9]:[0-5][0-9]:[0-5][0-9]Z$/
}

const choices = (schema: JsonSchema): ReadonlyArray<string> | undefined =>
  schema.enum ?? (schema.oneOf ?? schema.anyOf)?.map((choice: JsonSchema) => choice.const)

const text = (schema: JsonSchema): Schema.Codec<string> => {
  const format = formats[schema.format]
  if (format !== undefined) return Schema.String.check(Schema.isPattern(format))
  if (schema.pattern !== undefined) return Schema.String.check(Schema.isPattern(new RegExp(schema.pattern)))
  const least = Schema.String.check(Schema.isMinLength(schema.minLength ?? 0))
  return least.check(Schema.isMaxLength(schema.maxLength ?? (schema.minLength ?? 0) + 20))
}

const number = (schema: JsonSchema): Schema.Codec<number> => {
  const whole = schema.type === "integer" ? Schema.Int : Schema.Finite
  const minimum = schema.minimum ?? Math.min(-1_000, (schema.maximum ?? 0) - 1_000)
  const above = whole.check(Schema.isGreaterThanOrEqualTo(minimum))
  return above.check(Schema.isLessThanOrEqualTo(schema.maximum ?? Math.max(1_000, minimum + 1_000)))
}

const field = (schema: JsonSchema): Schema.Codec<any> => {
  if (schema.const !== undefined) return Schema.Literal(schema.const)
  const literals = choices(schema)
  if (literals !== undefined) return Schema.Literals(literals)
  switch (schema.type) {
    case "boolean":
      return Schema.Boolean
    case "number":
    case "integer":
      return number(schema)
    case "array": {
      const some = Schema.Array(field(schema.items)).check(Schema.isMinLength(schema.minItems ?? 0))
      return some.check(Schema.isMaxLength(schema.maxItems ?? (schema.minItems ?? 0) + 3))
    }
    default:
      return text(schema)
  }
}

/** Draws content for a form. A field that is not required is left out now and then. */
export const content = (form: JsonSchema): Arbitrary.Arbitrary<{ readonly [field: string]: unknown }> => {
  const required: ReadonlyArray<string> = form.required ?? []
  const fields = Object.entries<JsonSchema>(form.properties ?? {}).map(([name, schema]) => {
    const codec = field(schema)
    return [name, required.includes(name) ? codec : Schema.optionalKey(codec)] as const
  })
  return Arbitrary.schema(Schema.Struct(Object.fromEntries(fields)))
}
