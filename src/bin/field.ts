/** One value at the keyboard, as its JSON Schema wants it: a field of a form, an argument of a tool. */
import { Effect, Option, Result, Schema, type Terminal } from "effect"
import { Prompt } from "effect/cli"
import * as Text from "./sentences.ts"

/** JSON Schema as it came over the wire. */
export type Json = { readonly [keyword: string]: any }

/** A value, or none for what is left out. */
export type Asked = Effect.Effect<Option.Option<unknown>, Terminal.QuitError, Prompt.Environment>

interface Choice {
  readonly value: unknown
  readonly title: string
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The choices of a schema, in whichever of the protocol's ways they are written. */
const choicesOf = (schema: Json): ReadonlyArray<Choice> | undefined => {
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value: unknown, index: number) => ({
      value,
      title: text(schema.enumNames?.[index] ?? value)
    }))
  }
  const options = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(options) || options.length === 0) return undefined
  const choices = options.map((option: Json): ReadonlyArray<Choice> | undefined =>
    "const" in option ? [{ value: option.const, title: text(option.title ?? option.const) }] : choicesOf(option)
  )
  return choices.includes(undefined) ? undefined : choices.flatMap((some) => some ?? [])
}

const formats: { readonly [format: string]: (value: string) => boolean } = {
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  "date-time": (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)
}

const number = (schema: Json, value: string): Result.Result<number, string> => {
  const read = value.trim() === "" ? Number.NaN : Number(value)
  const whole = schema.type === "integer"
  if (!Number.isFinite(read) || (whole && !Number.isInteger(read))) return Result.fail(Text.wantsNumber(whole))
  if (read < (schema.minimum ?? -Infinity)) return Result.fail(Text.atLeast(schema.minimum))
  if (read > (schema.maximum ?? Infinity)) return Result.fail(Text.atMost(schema.maximum))
  return Result.succeed(read)
}

const string = (schema: Json, value: string): Result.Result<string, string> => {
  const { length } = [...value]
  if (length < (schema.minLength ?? 0)) return Result.fail(Text.longer(schema.minLength))
  if (length > (schema.maxLength ?? Infinity)) return Result.fail(Text.shorter(schema.maxLength))
  if (formats[schema.format]?.(value) === false) return Result.fail(Text.wantsFormat(schema.format))
  return Result.succeed(value)
}

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const anything = (_: Json, value: string): Result.Result<unknown, string> =>
  Result.mapError(parse(value), () => Text.wantsJson)

const readerOf = (schema: Json): ((schema: Json, value: string) => Result.Result<unknown, string>) => {
  if (schema.type === "number" || schema.type === "integer") return number
  return schema.type === "string" ? string : anything
}

/** What may be left out is, by an empty line, unless it has a default: then that is taken. */
const typed = (schema: Json, message: string, required: boolean): Asked => {
  const read = readerOf(schema)
  const leftOut = (value: string) => value === "" && !required && schema.default === undefined
  const prompt = Prompt.String({
    message,
    ...(schema.default === undefined ? {} : { default: text(schema.default) }),
    validate: (value) =>
      leftOut(value) ? Effect.succeed(value) : Effect.as(Effect.fromResult(read(schema, value)), value)
  })
  return Effect.map(Prompt.run(prompt), (value) =>
    leftOut(value) ? Option.none() : Result.getSuccess(read(schema, value))
  )
}

const chosen = (schema: Json, choices: ReadonlyArray<Choice>, message: string, required: boolean): Asked => {
  const all = [
    ...choices.map(({ title, value }) => ({ title, value: Option.some(value), selected: value === schema.default })),
    ...(required ? [] : [{ title: Text.leaveOut, value: Option.none<unknown>(), selected: false }])
  ]
  return Prompt.run(Prompt.Select({ message, choices: all }))
}

const several = (schema: Json, choices: ReadonlyArray<Choice>, message: string, required: boolean): Asked => {
  const given: ReadonlyArray<unknown> = schema.default ?? []
  const prompt = Prompt.MultiSelect({
    message,
    choices: choices.map(({ title, value }) => ({ title, value, selected: given.includes(value) })),
    ...(required && schema.minItems !== undefined ? { min: schema.minItems } : {}),
    ...(schema.maxItems === undefined ? {} : { max: schema.maxItems })
  })
  return Effect.map(Prompt.run(prompt), (values) =>
    values.length === 0 && !required ? Option.none() : Option.some(values)
  )
}

const yesOrNo: ReadonlyArray<Choice> = [
  { value: true, title: "yes" },
  { value: false, title: "no" }
]

/** Asks for one value, by its title or name, and lets what is optional be left out. */
export const ask = (name: string, schema: Json, required: boolean): Asked => {
  const told = schema.title ?? name
  const message = `${told}${schema.description === undefined ? "" : ` (${schema.description})`}${required ? "" : ` ${Text.optional}`}`
  if (schema.type === "boolean") return chosen(schema, yesOrNo, message, required)
  const choices = choicesOf(schema)
  if (choices !== undefined) return chosen(schema, choices, message, required)
  const items = schema.type === "array" ? choicesOf(schema.items ?? {}) : undefined
  return items === undefined ? typed(schema, message, required) : several(schema, items, message, required)
}

/** The properties of an object schema, each asked for in order; `wanted` says which. */
export const askAll = Effect.fnUntraced(function* (schema: Json, wanted: (name: string, required: boolean) => boolean) {
  const values: { [name: string]: unknown } = {}
  for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true
    if (!wanted(name, required)) continue
    const value = yield* ask(name, property, required)
    if (Option.isSome(value)) values[name] = value.value
  }
  return values
})
