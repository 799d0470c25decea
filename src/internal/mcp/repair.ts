/**
 * Arguments that a model wrote as text: `"[1,2]"` for a list, `"{..}"` for an object, `"3"` for a number. Where decoding
 * fails at a text whose JSON, itself no text, decodes there, the text is read as that JSON.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { places } from "../base/faults.ts"

// what a text holds has not been through the limits of whoever read the request
const maxDepth = 100

const isDeep = (value: unknown): boolean => {
  const rest: Array<readonly [value: unknown, depth: number]> = [[value, 0]]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, depth] = next
    if (!Predicate.isObjectOrArray(value)) continue
    if (depth > maxDepth) return true
    for (const member of Object.values(value)) rest.push([member, depth + 1])
  }
  return false
}

const parse = (text: string): Option.Option<unknown> =>
  Option.filter(
    Result.getSuccess(Result.try((): unknown => JSON.parse(text))),
    (json) => typeof json !== "string" && !isDeep(json)
  )

/** Sets a member of a value that may be shared: whatever is on the way is copied once. */
const writer = (root: unknown) => {
  const owned = new Set<unknown>()
  const own = (value: unknown): object => {
    if (owned.has(value)) return value as object
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
    owned.add(copy)
    return copy
  }
  const whole = { root }
  owned.add(whole)
  return {
    whole,
    set: (path: ReadonlyArray<PropertyKey>, value: unknown): void => {
      let at: object = whole
      let key: PropertyKey = "root"
      const put = (value: unknown) =>
        // a member named `__proto__` is one like any other
        Object.defineProperty(at, key, { value, configurable: true, enumerable: true, writable: true })
      for (const next of path) {
        const inner = own((at as { readonly [key: PropertyKey]: unknown })[key])
        put(inner)
        at = inner
        key = next
      }
      put(value)
    }
  }
}

/** `sent` with such texts read as JSON; `undefined` where there is none. */
export const repair = (
  schema: Schema.Constraint,
  issue: SchemaIssue.Issue,
  sent: unknown
): Effect.Effect<{ readonly repaired: unknown } | undefined> =>
  Effect.gen(function* () {
    const { set, whole } = writer(sent)
    const seen = new Set<string>()
    let changed = false
    for (const { ast, path, value } of places(schema.ast, issue, sent, true)) {
      const at = JSON.stringify(path.map(String))
      if (typeof value !== "string" || path.length === 0 || seen.has(at)) continue
      const json = parse(value)
      if (Option.isNone(json)) continue
      const decode = Schema.decodeUnknownEffect(Schema.make<Schema.Codec<unknown, unknown>>(ast))
      if (Exit.isFailure(yield* Effect.exit(decode(json.value)))) continue
      seen.add(at)
      set(path, json.value)
      changed = true
    }
    return changed ? { repaired: whole.root } : undefined
  })
