/** Arguments as they were sent: what is wrong with them, and what decoding added to them. */

import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ParseOptions } from "effect/SchemaAST"
import * as Faults from "../base/faults.ts"
import * as Text from "../base/sentences.ts"

/** Every fault of arguments as the client sent them. */
export const problems = (
  schema: Schema.Constraint,
  payload: unknown,
  onExcessProperty: ParseOptions["onExcessProperty"]
): Effect.Effect<string> => {
  const decode = Schema.decodeUnknownEffect(schema as Schema.Codec<unknown, unknown>)
  const sent = payload ?? {}
  return Effect.match(decode(sent, { errors: "all", onExcessProperty }), {
    onSuccess: () => Text.argumentsInvalid,
    onFailure: ({ issue }) => Faults.inWords(schema, issue, sent, Faults.ofArguments)
  })
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
