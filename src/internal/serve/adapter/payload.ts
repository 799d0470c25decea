/**
 * Lets the client's odd answers through to the table that decides about them (DESIGN.md 9, WIRE.md 19).
 *
 * effect/ai refuses a call whose `inputResponses` or `requestState` stray from the dated schema before any handler
 * runs. Here they are put into a shape its handlers accept, once, as part of the request's own payload schema.
 */
import { Predicate, Schema, SchemaTransformation } from "effect"

/** Stands for a `requestState` that is not a string. No seal looks like this, so opening it fails like any other. */
export const notAState = "~not-a-string"

/** An answer that is not an object carries nothing: an empty one is "of the wrong kind" whatever was asked. */
const entry = (answer: unknown): unknown => (Predicate.isReadonlyObject(answer) ? answer : {})

// entries are own properties, so an answer under "__proto__" stays an answer (SPEC F-34)
const entries = (responses: unknown): unknown =>
  Predicate.isReadonlyObject(responses)
    ? Object.fromEntries(Object.entries(responses).map(([key, answer]) => [key, entry(answer)]))
    : responses

/** `null` is absence; a state that is no string becomes {@link notAState}; every answer becomes an object. */
const normalise = (payload: unknown): unknown => {
  if (!Predicate.isReadonlyObject(payload)) return payload
  const { inputResponses, requestState, ...rest } = payload
  return {
    ...rest,
    ...(Predicate.isNullish(inputResponses) ? {} : { inputResponses: entries(inputResponses) }),
    ...(Predicate.isNullish(requestState)
      ? {}
      : { requestState: Predicate.isString(requestState) ? requestState : notAState })
  }
}

const continuation = {
  inputResponses: Schema.optional(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))),
  requestState: Schema.optional(Schema.String)
}

const Normalised = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.Unknown, SchemaTransformation.transform({ decode: normalise, encode: (payload) => payload }))
)

/** The payload schema of a call that may be a retry, with lenient `inputResponses` and `requestState`. */
export const lenient = (fields: Schema.Struct.Fields) =>
  Normalised.pipe(Schema.decodeTo(Schema.Struct({ ...fields, ...continuation })))
