/**
 * Lets the client's odd answers through to the table that decides about them of the call.
 *
 * effect/ai refuses a call whose `inputResponses` or `requestState` stray from the dated schema before any handler
 * runs. Here they are put into a shape its handlers accept, once, as part of the request's own payload schema.
 */
import { Predicate, Schema, SchemaTransformation } from "effect"

/** Stands for a `requestState` that is not a string. No seal looks like this, so opening it fails like any other. */
export const notAState = "~not-a-string"

/** An answer that is not an object carries nothing: an empty one is "of the wrong kind" whatever was asked. */
const entry = (answer: unknown): unknown => (Predicate.isReadonlyObject(answer) ? answer : {})

// entries are own properties, so an answer under "__proto__" stays an answer
const entries = (responses: unknown): unknown =>
  Predicate.isReadonlyObject(responses)
    ? Object.fromEntries(Object.entries(responses).map(([key, answer]) => [key, entry(answer)]))
    : responses

/** What the protocol leaves to others: a `null` in there is theirs. */
const free = ["arguments", "inputResponses"]

const tidied = (value: unknown, levels: number): unknown =>
  levels > 0 && Predicate.isReadonlyObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, tidied(member, levels - 1)]]))
      )
    : value

const isOfTheProtocol = (key: string) => key === "progressToken" || key.startsWith("io.modelcontextprotocol/")

const tidiedMeta = (meta: unknown): unknown =>
  Predicate.isReadonlyObject(meta)
    ? Object.fromEntries(
        Object.entries(meta).flatMap(([key, member]) =>
          isOfTheProtocol(key) ? (member === null ? [] : [[key, tidied(member, 2)]]) : [[key, member]]
        )
      )
    : meta

/** `_meta` of a request, in which a `null` of the protocol's own is absence. */
export const withoutNullsInMeta = tidiedMeta

/** A member of the protocol that is `null` is absent. Nothing is looked at deeper than the protocol has members. */
const withoutNulls = (payload: unknown): unknown =>
  Predicate.isReadonlyObject(payload)
    ? Object.fromEntries(
        Object.entries(payload).flatMap(([key, member]) => {
          if (member === null) return []
          return [[key, free.includes(key) ? member : key === "_meta" ? tidiedMeta(member) : tidied(member, 2)]]
        })
      )
    : payload

/** `null` is absence; a state that is no string becomes {@link notAState}; every answer becomes an object. */
const normalise = (payload: unknown): unknown => {
  const tidy = withoutNulls(payload)
  if (!Predicate.isReadonlyObject(tidy)) return tidy
  const { inputResponses, requestState, ...rest } = tidy
  return {
    ...rest,
    ...(inputResponses === undefined ? {} : { inputResponses: entries(inputResponses) }),
    ...(requestState === undefined ? {} : { requestState: Predicate.isString(requestState) ? requestState : notAState })
  }
}

const continuation = {
  inputResponses: Schema.optional(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))),
  requestState: Schema.optional(Schema.String)
}

const readBy = (decode: (payload: unknown) => unknown) =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.Unknown, SchemaTransformation.transform({ decode, encode: (payload) => payload }))
  )

const Normalised = readBy(normalise)
const Tidied = readBy(withoutNulls)

/** The payload schema of a call that may be a retry, with lenient `inputResponses` and `requestState`. */
export const lenient = (fields: Schema.Struct.Fields) =>
  Normalised.pipe(Schema.decodeTo(Schema.Struct({ ...fields, ...continuation })))

/** Any other payload schema, for which a `null` of the protocol's own is absence. */
export const tolerant = (payload: Schema.Constraint) => Tidied.pipe(Schema.decodeTo(Schema.toCodecJson(payload)))
