/**
 * One text per JSON value, for digests: two values have the same text exactly when they are the same JSON value,
 * in every process and whatever order their members were written in.
 *
 * It is RFC 8785 (member names sorted by UTF-16 code units, ECMAScript numbers) followed by ASCII escaping.
 * The escaping is what makes it safe to hash: UTF-8 encoders turn every lone surrogate into the same U+FFFD, so two
 * arguments that differ only there would share a digest. Never hash a text with non-ASCII characters that did not come
 * from here.
 */
import * as Text from "./sentences.ts"

// far above what a client can send through the decoders around us; a cyclic value ends here instead of filling memory
const maxDepth = 10_000

const escape = (text: string): string =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const number = (value: number): string => {
  // JSON.stringify would write null, and a digest must not take two values for one
  if (!Number.isFinite(value)) throw new TypeError(Text.noJson(String(value)))
  return JSON.stringify(value)
}

const scalar = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return escape(value)
    case "number":
      return number(value)
    case "boolean":
      return value ? "true" : "false"
    case "bigint":
      throw new TypeError(Text.noJson("a bigint"))
    default:
      return "null"
  }
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol"

const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON()
    : value

/** Text to write as it is, or a value to expand with what follows it still on the stack. */
type Step = { readonly text: string } | { readonly value: unknown; readonly depth: number }

const expand = (steps: Array<Step>, value: object, depth: number): void => {
  if (depth > maxDepth) throw new RangeError(Text.tooDeep(maxDepth))
  const isArray = Array.isArray(value)
  const members: Array<Step> = [{ text: isArray ? "[" : "{" }]
  const add = (name: string, member: unknown) => {
    members.push({ text: members.length === 1 ? name : `,${name}` }, { value: member, depth: depth + 1 })
  }
  if (isArray) for (const element of value) add("", element)
  else {
    const own = value as { readonly [name: string]: unknown }
    for (const name of Object.keys(value).sort()) {
      const member = plain(own[name])
      if (!isAbsent(member)) add(`${escape(name)}:`, member)
    }
  }
  members.push({ text: isArray ? "]" : "}" })
  for (let index = members.length - 1; index >= 0; index--) steps.push(members[index]!)
}

/**
 * The canonical, pure ASCII JSON text of a value.
 *
 * What JSON.stringify leaves out is left out here (undefined, functions and symbols; null in their place in a list);
 * only own members count, an own `__proto__` among them.
 *
 * Throws on what has no JSON form (NaN, infinities, bigints) and on nesting deeper than 10,000 levels, cycles included.
 */
export const canonicalJson = (value: unknown): string => {
  // an explicit stack: nesting that a client chose must not become the depth of ours
  const steps: Array<Step> = [{ value, depth: 0 }]
  const parts: Array<string> = []
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ("text" in step) parts.push(step.text)
    else {
      const current = plain(step.value)
      if (typeof current === "object" && current !== null) expand(steps, current, step.depth)
      else parts.push(scalar(current))
    }
  }
  return parts.join("")
}
