/**
 * The default that a form shows for a field.
 *
 * Two things are called default. A decoding default (`Schema.withDecodingDefaultKey` and its kin) fills an absent
 * answer, so it is what the form shows, if it is known: `Effect.succeed(..)` is, an Effect that has to run (a clock, a
 * random id, a service) is not and never runs here, where it would give every rendering another digest. Otherwise a
 * `default` annotation is shown: a suggestion that decides nothing, so its field stays required. A constructor default
 * says nothing about answers.
 */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Text from "../base/sentences.ts"
import { annotated, type Descent } from "../base/wireSide.ts"
import type { Field, Problem } from "./formField.ts"

type Member = Schema.ConstraintCodec<Record<string, unknown>, Record<string, unknown>>

const wrong: Problem = Text.badDefault

// A schema that has nothing to wait for answers with an Exit; whatever is still to be run, or throws, stays unknown.
const settled = <A, E>(evaluate: () => Effect.Effect<A, E>): Option.Option<Exit.Exit<A, E>> =>
  Option.filter(Result.getSuccess(Result.try(evaluate)), Exit.isExit) as Option.Option<Exit.Exit<A, E>>

const own = (record: unknown, name: string): unknown =>
  typeof record === "object" && record !== null && Object.hasOwn(record, name)
    ? (record as { readonly [key: string]: unknown })[name]
    : undefined

const options = (field: Field): ReadonlyArray<unknown> | undefined => {
  const consts = (list: Schema.Json | undefined) =>
    Array.isArray(list) ? list.map((option: Field) => option.const) : undefined
  const items = field.items as Field | undefined
  return (
    (field.enum as ReadonlyArray<string> | undefined) ??
    consts(field.oneOf) ??
    (items?.enum as ReadonlyArray<string> | undefined) ??
    consts(items?.anyOf)
  )
}

const fits = (value: unknown, field: Field): value is Schema.Json => {
  const allowed = options(field)
  switch (field.type) {
    case "string":
      return typeof value === "string" && (allowed === undefined || allowed.includes(value))
    case "boolean":
      return typeof value === "boolean"
    case "array":
      return Array.isArray(value) && value.every((item) => allowed?.includes(item))
    default:
      return Number.isFinite(value)
  }
}

const check = (value: unknown, field: Field): Result.Result<Schema.Json | undefined, Problem> =>
  value === undefined ? Result.succeed(undefined) : fits(value, field) ? Result.succeed(value) : Result.fail(wrong)

const member = (property: SchemaAST.PropertySignature): Member =>
  Schema.make<Member & Schema.Constraint>(new SchemaAST.Objects([property], []))

/** The encoded default of a field, if it has one that is known without running anything. */
export const find = (
  name: string,
  property: SchemaAST.PropertySignature,
  optional: boolean,
  descent: Descent,
  field: Field
): Result.Result<Schema.Json | undefined, Problem> => {
  const schema = member(property)
  const encode = (value: unknown) => settled(() => Schema.encodeUnknownEffect(schema)({ [name]: value }))
  const decode = (fields: unknown) => settled(() => Schema.decodeUnknownEffect(schema)(fields))

  const absent = optional ? decode(Object.create(null)) : Option.none()
  if (Option.isSome(absent)) {
    if (Exit.isFailure(absent.value)) return Result.fail(wrong)
    const filled = own(absent.value.value, name)
    if (filled !== undefined) {
      const encoded = encode(filled)
      const shown = Option.isSome(encoded) && Exit.isSuccess(encoded.value) ? own(encoded.value.value, name) : undefined
      // `encodingStrategy: "omit"` encodes to nothing: then the value itself, where it is one that a client can send
      if (shown !== undefined || fits(filled, field)) return check(shown ?? filled, field)
    }
  }

  const suggested = annotated(descent.decoded, "default")
  if (suggested !== undefined) {
    const encoded = encode(suggested)
    if (Option.isNone(encoded)) return Result.succeed(undefined)
    return Exit.isSuccess(encoded.value) ? check(own(encoded.value.value, name), field) : Result.fail(wrong)
  }
  const plain = annotated(descent.encoded, "default")
  if (plain === undefined) return Result.succeed(undefined)
  const decoded = decode({ [name]: plain })
  return Option.isSome(decoded) && Exit.isFailure(decoded.value) ? Result.fail(wrong) : check(plain, field)
}
