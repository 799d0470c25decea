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

const scalar = (value: unknown): string => {
  if (typeof value === "string") return escape(value)
  // JSON.stringify would write null, and a digest must not take two values for one
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(Text.noJson(String(value)))
  if (typeof value === "bigint") throw new TypeError(Text.noJson("a bigint"))
  return isAbsent(value) ? "null" : JSON.stringify(value)
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol"

const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
    ? value.toJSON()
    : value

/** A value that is still to be written, after the text that comes before it and before the one that comes after. */
interface Step {
  readonly before: string
  readonly value: unknown
  readonly depth: number
}

/** Its members, each after its comma and its name. */
const membersOf = (value: object, depth: number): Array<Step> => {
  if (Array.isArray(value)) {
    return Array.from(value, (value, index) => ({ before: index === 0 ? "" : ",", value: plain(value), depth }))
  }
  const own = value as { readonly [name: string]: unknown }
  return Object.keys(value)
    .sort()
    .map((name) => ({ name, value: plain(own[name]) }))
    .filter(({ value }) => !isAbsent(value))
    .map(({ name, value }, index) => ({ before: `${index === 0 ? "" : ","}${escape(name)}:`, value, depth }))
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
  const rest: Array<Step | string> = [{ before: "", value: plain(value), depth: 0 }]
  let text = ""
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") text += next
    else {
      const { before, depth, value } = next
      text += before
      if (typeof value !== "object" || value === null) text += scalar(value)
      else {
        if (depth > maxDepth) throw new RangeError(Text.tooDeep(maxDepth))
        const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
        text += open
        rest.push(close)
        for (const member of membersOf(value, depth + 1).reverse()) rest.push(member)
      }
    }
  }
  return text
}
