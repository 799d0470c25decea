/** Arguments as they were sent: what is wrong with them, and what decoding added to them. */

import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ParseOptions } from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Text from "../base/sentences.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Which arguments are wrong, in our own words: a validator's may say too much (PARITY N-04). `payload` as the client sent
 * it.
 */
export const problems = (
  schema: Schema.Constraint,
  payload: unknown,
  onExcessProperty: ParseOptions["onExcessProperty"]
): Effect.Effect<string> => {
  const decode = Schema.decodeUnknownEffect(schema as Schema.Codec<unknown, unknown>)
  const sent = payload ?? {}
  return Effect.match(decode(sent, { errors: "all", onExcessProperty }), {
    onSuccess: () => Text.argumentsInvalid,
    onFailure: ({ issue }) =>
      Array.from(new Set(format(issue).issues.map(({ path = [] }) => describe(sent, path)))).join("; ")
  })
}

const describe = (payload: unknown, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  if (keys.length === 0) return Text.argumentsInvalid
  let value: unknown = payload
  for (const key of keys) {
    if (!Predicate.isObject(value) || !Object.hasOwn(value, key)) return Text.argumentMissing(keys.join("."))
    value = (value as { readonly [key: PropertyKey]: unknown })[key]
  }
  return Text.argumentInvalid(keys.join("."))
}

/**
 * Re-encoded arguments, when decoding added something to what was sent (I6); a schema that cannot encode adds nothing.
 */
export const generated =
  (schema: Schema.Constraint, sent: unknown) =>
  (decoded: unknown): Effect.Effect<unknown> =>
    Effect.match(Schema.encodeUnknownEffect(schema as Schema.Codec<unknown, unknown>)(decoded), {
      onFailure: () => undefined,
      onSuccess: (encoded) => (addsTo(encoded, sent ?? {}) ? encoded : undefined)
    })

const addsTo = (encoded: unknown, sent: unknown): boolean =>
  Predicate.isObject(encoded) && !Array.isArray(encoded)
    ? !Predicate.isObject(sent) ||
      Object.entries(encoded).some(
        ([key, value]) =>
          value !== undefined && (!Object.hasOwn(sent, key) || addsTo(value, (sent as Record<string, unknown>)[key]))
      )
    : false
