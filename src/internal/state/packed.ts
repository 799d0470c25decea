/** What a call remembers as it rides in the sealed state, and back. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const kinds = ["accept", "decline", "cancel", "answer", "invalid", "taken"] as const

interface Recorded {
  readonly digest: string
  readonly kind: (typeof kinds)[number]
  readonly data?: unknown
}

/** Trace and span of a round. */
export type Trace = readonly [traceId: string, spanId: string]

/** What is packed: the record of a call, and what this round shows. */
export interface Contents {
  readonly id: string
  readonly recorded: ReadonlyMap<string, ReadonlyArray<Recorded>>
  /** The digests of the questions that are shown. */
  readonly shown: ReadonlyMap<string, string>
  readonly stale: ReadonlyMap<string, number>
  readonly durable: ReadonlyMap<string, unknown>
  readonly args: unknown
  readonly trace: Trace | undefined
}

const Sealed = Schema.Struct({
  /** call id */
  c: Schema.String,
  /** answers: digest, kind, data */
  o: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Array(
        Schema.Tuple([Schema.String, Schema.Literals([0, 1, 2, 3, 4, 5]), Schema.optionalKey(Schema.Unknown)])
      )
    )
  ),
  /** what was shown last */
  a: Schema.Record(Schema.String, Schema.String),
  /** stale rounds */
  n: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  /** durable values */
  d: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** arguments with generated defaults */
  g: Schema.optionalKey(Schema.Unknown),
  /** trace and span of this round */
  t: Schema.optionalKey(Schema.Tuple([Schema.String, Schema.String]))
})

const decode = Schema.decodeUnknownEffect(Sealed)

/** `Object.entries` and `Object.fromEntries` treat `__proto__` as any other own key. */
const record = <A, B>(map: ReadonlyMap<string, A>, f: (value: A) => B): { readonly [key: string]: B } =>
  Object.fromEntries(Array.from(map, ([key, value]) => [key, f(value)]))

const some = <A, B>(name: string, map: ReadonlyMap<string, A>, f: (value: A) => B) =>
  map.size === 0 ? {} : { [name]: record(map, f) }

export const pack = ({ args, durable, id, recorded, shown, stale, trace }: Contents): Schema.Json => {
  const sealed = {
    c: id,
    ...some("o", recorded, (answers) =>
      answers.map(({ digest, kind, data }) =>
        data === undefined ? [digest, kinds.indexOf(kind)] : [digest, kinds.indexOf(kind), data]
      )
    ),
    a: record(shown, (digest) => digest),
    ...some("n", stale, (count) => count),
    ...some("d", durable, (value) => value),
    ...(args === undefined ? {} : { g: args }),
    ...(trace === undefined ? {} : { t: trace })
  }
  return sealed as unknown as Schema.Json // texts, numbers, and what was parsed from JSON or encoded to it
}

const map = <A, B>(record: { readonly [key: string]: A } | undefined, f: (value: A) => B): Map<string, B> =>
  new Map(Object.entries(record ?? {}).map(([key, value]) => [key, f(value)]))

export const unpack = (payload: unknown) =>
  Effect.map(decode(payload), ({ a, c, d, g, n, o, t }) => ({
    id: c,
    recorded: map(o, (answers) =>
      answers.map(([digest, kind, data]): Recorded => ({ digest, kind: kinds[kind], data }))
    ),
    shown: map(a, (digest) => digest),
    stale: map(n, (count) => count),
    durable: map(d, (value) => value),
    args: g as unknown,
    trace: t
  }))
