/**
 * What a schema wants, in plain words, from the side of it that is on the wire: for models, people and logs. It says what
 * a list of tools or a form says already, and never a value that came.
 */
import type * as SchemaAST from "effect/SchemaAST"
import { short } from "./printable.ts"
import { annotated, checksOf, descend, representationOf } from "./wireSide.ts"

/** The kind of a value that came. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  switch (typeof value) {
    case "string":
      return "a string"
    case "number":
      return "a number"
    case "boolean":
      return "a boolean"
    case "object":
      return "an object"
    case "undefined":
      return "nothing"
    default:
      return `a ${typeof value}`
  }
}

const maxChoices = 20
const maxName = 40

/** A name within a sentence. */
export const quoted = (name: string): string => `'${short(name, maxName)}'`

/** Some names, and how many more there are. */
export const some = (names: ReadonlyArray<string>, most: number = maxChoices): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`

const either = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`

// ---------------------------------------------------------------- bounds

interface Limits {
  readonly min?: unknown
  readonly max?: unknown
  readonly above?: unknown
  readonly below?: unknown
}

const limitsOf = (ast: SchemaAST.AST): ReadonlyArray<Limits> =>
  checksOf(ast).map(([id, p]): Limits => {
    switch (id) {
      case "effect/schema/isMinLength":
        return { min: p.minLength }
      case "effect/schema/isMaxLength":
        return { max: p.maxLength }
      case "effect/schema/isMinCodePoints":
        return { min: p.minCodePoints }
      case "effect/schema/isMaxCodePoints":
        return { max: p.maxCodePoints }
      case "effect/schema/isMinSize":
        return { min: p.minSize }
      case "effect/schema/isMaxSize":
        return { max: p.maxSize }
      case "effect/schema/isMinProperties":
        return { min: p.minProperties }
      case "effect/schema/isMaxProperties":
        return { max: p.maxProperties }
      case "effect/schema/isBetweenLength":
      case "effect/schema/isBetweenCodePoints":
      case "effect/schema/isBetweenSize":
      case "effect/schema/isBetweenProperties":
        return { min: p.minimum, max: p.maximum }
      case "effect/schema/isGreaterThanOrEqualTo":
        return { min: p.minimum }
      case "effect/schema/isLessThanOrEqualTo":
        return { max: p.maximum }
      case "effect/schema/isGreaterThan":
        return { above: p.exclusiveMinimum }
      case "effect/schema/isLessThan":
        return { below: p.exclusiveMaximum }
      case "effect/schema/isBetween":
        return {
          [p.exclusiveMinimum === true ? "above" : "min"]: p.minimum,
          [p.exclusiveMaximum === true ? "below" : "max"]: p.maximum
        }
      default:
        return {}
    }
  })

const known = new Set(["effect/schema/isInt", "effect/schema/isFinite"])

/** Whether a check is one that `wanted` puts into words. */
export const isInWords = (check: SchemaAST.Check<any>): boolean => {
  const id = representationOf(check)?.id
  return (
    id !== undefined &&
    (known.has(id) || /^effect\/schema\/is(Min|Max|Between|Greater|Less)(?!.*(Date|BigInt))/.test(id))
  )
}

const pick = (limits: ReadonlyArray<Limits>, side: keyof Limits, best: (...values: Array<number>) => number) => {
  const values = limits.map((limit) => limit[side]).filter((value): value is number => Number.isFinite(value))
  return values.length === 0 ? undefined : best(...values)
}

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** ` of at least 1 character`, ` of 2 to 5 elements`. */
const counted = (unit: string, limits: ReadonlyArray<Limits>): string => {
  const min = pick(limits, "min", Math.max)
  const max = pick(limits, "max", Math.min)
  if (min !== undefined && max !== undefined) {
    return min === max ? ` of ${plural(min, unit)}` : ` of ${min} to ${plural(max, unit)}`
  }
  if (min !== undefined && min > 0) return ` of at least ${plural(min, unit)}`
  return max === undefined ? "" : ` of at most ${plural(max, unit)}`
}

/** ` of at least 1`, ` from 1 to 5`, ` greater than 0`. */
const ranged = (limits: ReadonlyArray<Limits>): string => {
  const min = pick(limits, "min", Math.max)
  const max = pick(limits, "max", Math.min)
  const above = pick(limits, "above", Math.max)
  const below = pick(limits, "below", Math.min)
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  const parts = [
    min === undefined ? undefined : `of at least ${min}`,
    above === undefined ? undefined : `greater than ${above}`,
    max === undefined ? undefined : `of at most ${max}`,
    below === undefined ? undefined : `less than ${below}`
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`
}

// ---------------------------------------------------------------- kinds

const declarations: { readonly [id: string]: string } = {
  "effect/schema/Date": `a date and time such as "2026-01-31T12:00:00Z"`,
  "effect/schema/DateTimeUtc": `a date and time such as "2026-01-31T12:00:00Z"`,
  "effect/schema/DateTimeZoned": `a date and time with its zone such as "2026-01-31T12:00:00+01:00[Europe/Berlin]"`,
  "effect/schema/Duration": `a duration such as {"_tag":"Millis","value":1000}`,
  "effect/schema/URL": "a URL",
  "effect/schema/Uint8Array": "bytes in base64"
}

/** The formats of text that a form knows, and what each wants. */
export const formats: { readonly [format: string]: string } = {
  email: "an email address",
  uri: "a URI",
  date: `a date such as "2026-01-31"`,
  "date-time": `a date and time such as "2026-01-31T12:00:00Z"`
}

const literal = (value: unknown): string =>
  typeof value === "bigint"
    ? `"${value}"`
    : typeof value === "string"
      ? JSON.stringify(short(value, maxName))
      : String(value)

const number = (ast: SchemaAST.AST): string => {
  const whole = checksOf(ast).some(([id]) => id === "effect/schema/isInt")
  return `${whole ? "a whole number" : "a number"}${ranged(limitsOf(ast))}`
}

const template = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "TemplateLiteral":
      return ast.parts.map(template).join("")
    case "Literal":
      return String(ast.literal)
    default:
      return `<${ast._tag.toLowerCase()}>`
  }
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  switch (ast._tag) {
    case "Literal":
      return [literal(ast.literal)]
    case "Enum":
      return ast.enums.map(([, value]) => literal(value))
    case "Union": {
      const found = ast.types.map((type) => literalsOf(descend(type).node))
      return found.every((literals) => literals !== undefined) ? found.flat() : undefined
    }
    default:
      return undefined
  }
}

const choice = (literals: ReadonlyArray<string>): string =>
  literals.length === 1 ? literals[0]! : `one of ${some(literals)}`

/** What tells one object of a union from the others. */
const memberOf = (ast: SchemaAST.AST): string => {
  const { node } = descend(ast)
  if (node._tag !== "Objects" || node.propertySignatures.length === 0) return wanted(ast)
  for (const { name, type } of node.propertySignatures) {
    const literals = literalsOf(descend(type).node)
    if (literals?.length === 1) return `an object with ${quoted(String(name))}: ${literals[0]}`
  }
  return `an object with ${some(
    node.propertySignatures.map(({ name }) => quoted(String(name))),
    5
  )}`
}

const union = (node: SchemaAST.Union): string => {
  const literals = literalsOf(node)
  if (literals !== undefined) return choice(literals)
  const types = node.types.filter((type) => descend(type).node._tag !== "Undefined")
  return either(Array.from(new Set(types.map(memberOf))))
}

const textOf = (ast: SchemaAST.AST, format: unknown): string =>
  (typeof format === "string" && Object.hasOwn(formats, format) ? formats[format]! : "a string") +
  counted("character", limitsOf(ast))

const ofNode = (node: SchemaAST.AST): string => {
  switch (node._tag) {
    case "String":
      return textOf(node, annotated([node], "format"))
    case "TemplateLiteral":
      return `a string of the form ${JSON.stringify(short(template(node), maxName))}`
    case "Number":
      return number(node)
    case "Boolean":
      return "a boolean"
    case "Null":
      return "null"
    case "Literal":
    case "Enum":
      return choice(literalsOf(node)!)
    case "Union":
      return union(node)
    case "Arrays": {
      const { elements, rest } = node
      const own = rest.length === 0 ? [{ min: elements.length, max: elements.length }] : [{ min: elements.length }]
      return `a list${counted("element", [...own, ...limitsOf(node)])}`
    }
    case "Objects":
      return "an object"
    case "Suspend":
      return ofNode(descend(node.thunk()).node)
    case "Never":
      return "left out"
    default:
      return "a JSON value"
  }
}

/** How the words end for what is a number, or a boolean, in the handler and a text on the wire. */
export const inText = " written as a string"

/** What a schema wants, as the rest of a sentence: `a whole number of at least 1`, `one of "s", "m", "l"`. */
export const wanted = (ast: SchemaAST.AST): string => {
  const { layers, node } = descend(ast)
  for (const layer of layers) {
    const words = declarations[representationOf(layer)?.id ?? ""]
    if (words !== undefined) return words
    if (layer === node) break
    // what is a number for the handler, and text on the wire
    if (layer._tag === "Number" || layer._tag === "BigInt" || layer._tag === "Boolean") {
      const words = layer._tag === "BigInt" ? "a whole number" : ofNode(layer)
      return node._tag === "String" || node._tag === "TemplateLiteral" ? words + inText : words
    }
  }
  if (node._tag === "String") {
    return textOf(layers.find((layer) => checksOf(layer).length > 0) ?? node, annotated(layers, "format"))
  }
  // limits of a set or a map stand on its own side
  const limits = layers.flatMap(limitsOf)
  return node._tag === "Arrays" && layers.length > 1 && node.checks === undefined
    ? `a list${counted("element", limits)}`
    : ofNode(node)
}
