/**
 * One field of a question: from the encoded side of an Effect Schema to the definition a client can show.
 *
 * The protocol knows strings, numbers, booleans and choices, and few keywords of each
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation). Effect's own JSON Schema output says
 * more than that (`allOf`, `pattern`, exclusive bounds, null for an absent value) and less (half of a minimum length),
 * so fields are read from the public `SchemaAST`. What the keywords cannot say is left to decoding.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Text from "../base/sentences.ts"
import { annotated, checksOf, type Descent, descend, representationOf } from "../base/wireSide.ts"
import * as Format from "./formFormat.ts"

/** The definition of one field, as sent. */
export type Field = { readonly [keyword: string]: Schema.Json }

/** Why a field cannot be shown: the rest of a sentence that starts with the field's name. */
export type Problem = string

type Rendered<A> = Result.Result<A, Problem>

interface Choice {
  readonly const: string
  readonly title: string | undefined
}

const text = (layers: ReadonlyArray<SchemaAST.AST>, key: string): string | undefined => {
  const value = annotated(layers, key)
  return typeof value === "string" ? value : undefined
}

const compact = (entries: { readonly [keyword: string]: Schema.Json | undefined }): Field => {
  const field: { [keyword: string]: Schema.Json } = {}
  for (const [keyword, value] of Object.entries(entries)) {
    if (value !== undefined) field[keyword] = value
  }
  return field
}

// ---- bounds

interface Bounds {
  readonly minimum: number | undefined
  readonly maximum: number | undefined
}

const bound = (name: string, bounds: ReadonlyArray<readonly [min: unknown, max: unknown]>): Rendered<Bounds> => {
  const finite = (values: ReadonlyArray<unknown>) => values.filter((value) => Number.isFinite(value)) as Array<number>
  const minimums = finite(bounds.map(([min]) => min))
  const maximums = finite(bounds.map(([, max]) => max))
  const minimum = minimums.length > 0 ? Math.max(...minimums) : undefined
  const maximum = maximums.length > 0 ? Math.min(...maximums) : undefined
  return minimum !== undefined && maximum !== undefined && minimum > maximum
    ? Result.fail(Text.impossible(name, minimum, maximum))
    : Result.succeed({ minimum, maximum })
}

// The decoder's own numbers. Effect counts UTF-16 units and JSON Schema code points, and its JSON Schema halves a
// minimum for that; a form says what the author wrote, and a text of rare characters is judged by decoding.
const lengths = (ast: SchemaAST.AST): ReadonlyArray<readonly [unknown, unknown]> =>
  checksOf(ast).map(([id, payload]) => {
    switch (id) {
      case "effect/schema/isMinLength":
        return [payload.minLength, undefined]
      case "effect/schema/isMaxLength":
        return [undefined, payload.maxLength]
      case "effect/schema/isMinCodePoints":
        return [payload.minCodePoints, undefined]
      case "effect/schema/isMaxCodePoints":
        return [undefined, payload.maxCodePoints]
      case "effect/schema/isBetweenLength":
      case "effect/schema/isBetweenCodePoints":
        return [payload.minimum, payload.maximum]
      default:
        return [undefined, undefined]
    }
  })

const ranges = (ast: SchemaAST.AST): ReadonlyArray<readonly [unknown, unknown]> =>
  checksOf(ast).map(([id, payload]) => {
    switch (id) {
      case "effect/schema/isGreaterThanOrEqualTo":
        return [payload.minimum, undefined]
      case "effect/schema/isLessThanOrEqualTo":
        return [undefined, payload.maximum]
      case "effect/schema/isBetween":
        return [
          payload.exclusiveMinimum === true ? undefined : payload.minimum,
          payload.exclusiveMaximum === true ? undefined : payload.maximum
        ]
      default:
        return [undefined, undefined]
    }
  })

// ---- kinds

const string = (node: SchemaAST.AST, layers: ReadonlyArray<SchemaAST.AST>): Rendered<Field> =>
  Result.map(bound("length", lengths(node)), ({ minimum, maximum }) => {
    const format = text(layers, "format")
    return compact({
      minLength: minimum,
      maxLength: maximum,
      format: format !== undefined && Format.names.includes(format) ? format : undefined
    })
  })

const number = (node: SchemaAST.AST): Rendered<Field> => {
  // NaN and the infinities are no answers: a form shows the numbers that a client can send
  const integer = checksOf(node).some(([id]) => id === "effect/schema/isInt")
  return Result.map(bound("value", ranges(node)), (bounds) =>
    compact({ type: integer ? "integer" : "number", ...bounds })
  )
}

const collect = (ast: SchemaAST.AST): Rendered<ReadonlyArray<Choice>> => {
  const { node, layers } = descend(ast)
  switch (node._tag) {
    case "Literal":
      return typeof node.literal === "string"
        ? Result.succeed([{ const: node.literal, title: text(layers, "title") }])
        : Result.fail(Text.noText(node.literal))
    case "Enum": {
      const values = node.enums.map(([, value]) => value)
      const other = values.find((value) => typeof value !== "string")
      return other === undefined
        ? Result.succeed(values.map((value) => ({ const: String(value), title: undefined })))
        : Result.fail(Text.noText(other))
    }
    case "Union":
      if (node.types.some(SchemaAST.isNull)) return Result.fail(Text.nullable)
      return Result.gen(function* () {
        const found: Array<Choice> = []
        for (const type of node.types) {
          if (!SchemaAST.isUndefined(type)) found.push(...(yield* collect(type)))
        }
        return found.filter((choice, at) => found.findIndex((other) => other.const === choice.const) === at)
      })
    default:
      return Result.fail(Text.severalTypes)
  }
}

const choices = (ast: SchemaAST.AST): Rendered<ReadonlyArray<Choice>> =>
  Result.flatMap(collect(ast), (found) => (found.length > 0 ? Result.succeed(found) : Result.fail(Text.noChoices)))

// Either every option has a title or none: a missing one is the value itself
const titled = (found: ReadonlyArray<Choice>): ReadonlyArray<Field> | undefined =>
  found.some((choice) => choice.title !== undefined)
    ? found.map((choice) => ({ const: choice.const, title: choice.title ?? choice.const }))
    : undefined

const single = (node: SchemaAST.AST, layers: ReadonlyArray<SchemaAST.AST>): Rendered<Field> =>
  Result.map(choices(node), (found) => {
    // the deprecated spelling of titles, for clients that know no other: only where a schema is annotated with it
    const names = annotated(layers, "enumNames")
    if (Array.isArray(names) && names.length === found.length && names.every((name) => typeof name === "string")) {
      return { enum: found.map((choice) => choice.const), enumNames: names }
    }
    // the annotations of a lone literal are those of the field
    const oneOf = SchemaAST.isLiteral(node) ? undefined : titled(found)
    return oneOf === undefined ? { enum: found.map((choice) => choice.const) } : { oneOf }
  })

const multiple = (node: SchemaAST.Arrays): Rendered<Field> => {
  const item = node.rest[0]
  // `NonEmptyArray` is one element of the same schema before the rest
  if (item === undefined || node.rest.length > 1 || node.elements.some((element) => element !== item)) {
    return Result.fail(Text.tuple)
  }
  const inner = descend(item).node
  if (!SchemaAST.isLiteral(inner) && !SchemaAST.isUnion(inner) && !SchemaAST.isEnum(inner))
    return Result.fail(Text.freeList)
  return Result.gen(function* () {
    const found = yield* choices(item)
    const least = node.elements.length > 0 ? node.elements.length : undefined
    const { minimum, maximum } = yield* bound("number of choices", [[least, undefined], ...lengths(node)])
    if (minimum !== undefined && minimum > found.length) {
      return yield* Result.fail(Text.tooFewChoices(minimum, found.length))
    }
    const anyOf = titled(found)
    return compact({
      minItems: minimum,
      maxItems: maximum,
      items: anyOf === undefined ? { type: "string", enum: found.map((choice) => choice.const) } : { anyOf }
    })
  })
}

const whyNot = (node: SchemaAST.AST): Problem => {
  switch (node._tag) {
    case "Objects":
      return Text.objectField
    case "Suspend":
      return Text.recursiveField
    case "Null":
      return Text.nullable
    case "BigInt":
      return Text.bigintField
    case "Declaration":
      return Text.unsendable
    default:
      return Text.noField
  }
}

const keywords = (node: SchemaAST.AST, layers: ReadonlyArray<SchemaAST.AST>): Rendered<readonly [string, Field]> => {
  const as = (type: string, rendered: Rendered<Field>) => Result.map(rendered, (field) => [type, field] as const)
  switch (node._tag) {
    case "String":
    case "TemplateLiteral":
      return as("string", string(node, layers))
    case "Number":
      return as("number", number(node))
    case "Boolean":
      return as("boolean", Result.succeed({}))
    case "Literal":
    case "Enum":
    case "Union":
      return as("string", single(node, layers))
    case "Arrays":
      return as("array", multiple(node))
    default:
      return Result.fail(whyNot(node))
  }
}

// Secrets must not pass through a form
// (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
const isSecret = (layers: ReadonlyArray<SchemaAST.AST>): boolean =>
  layers.some((layer) => representationOf(layer)?.id === "effect/schema/Redacted")

/** Renders one field, without its default. */
export const render = ({ node, layers }: Descent): Rendered<Field> => {
  if (isSecret(layers)) {
    return Result.fail(Text.secretField)
  }
  return Result.map(keywords(node, layers), ([type, field]) =>
    compact({ type, title: text(layers, "title"), description: text(layers, "description"), ...field })
  )
}
