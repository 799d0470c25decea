/**
 * What one call remembers, on the wire between its rounds and in memory within one. Calls made inside a call share it
 * (FINDINGS b10).
 *
 * Answers and durable values are only ever added to: a round that does not reach them carries them forward (I15).
 */
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Method } from "../../Question.ts"
import type { Parked } from "./asker.ts"
import type { Stopwatch } from "./stopwatch.ts"

/** How an answer was recorded: refusals and answers that did not fit are outcomes too, so that a retry replays alike. */
export type Recorded = "accept" | "decline" | "cancel" | "answer" | "invalid"

/** A recorded outcome, pinned to the digest of the question that was shown (I3). */
export interface Outcome {
  readonly digest: string
  readonly kind: Recorded
  /** As parsed from the wire, never a re-encoding of the decoded value. */
  readonly data?: unknown
}

/** A question of this round that waits for its answer. */
export interface Pending {
  /** Whose it is: the resolver's own key, and that on the wire, which is the question's without its label. */
  readonly resolver: string
  readonly wireKey: string
  readonly index: number
  readonly order: number
  readonly method: Method
  readonly params: { readonly [key: string]: unknown } | undefined
  /** The canonical text of the question; its digest is made when it is first needed. */
  readonly text: string
  digest: string | undefined
}

export interface Session {
  readonly id: string
  readonly startedAt: number
  readonly outcomes: Map<string, Array<Outcome>>
  /** The digests of what was shown in the last round. */
  readonly asked: ReadonlyMap<string, string>
  /** Answers that came with this request, by wire key; taken once. */
  readonly fresh: Map<string, unknown>
  readonly stale: Map<string, number>
  /** Encoded durable values, by path and key. */
  readonly durable: Map<string, unknown>
  readonly pending: Map<string, Pending>
  /** How often this run has put each question of a call inside a call: one made again after a failure counts on. */
  readonly put: Map<string, number>
  readonly parked: Parked
  /** Clocks of resolvers with a time limit: they stand still while a question is open. */
  readonly stopwatches: Set<Stopwatch>
  /** Arguments re-encoded after decoding, when decoding added to what was sent (I6). */
  args: unknown
  /** Done once the call has ended or will be refused for want of a capability: nothing is sent, what is open ends. */
  readonly stopped: Deferred.Deferred<void>
  ended: boolean
}

const none: ReadonlyMap<string, string> = new Map()

/** Made anew for each call, and most calls touch nothing of it: its parts are made when they are first looked at. */
class Fresh implements Session {
  readonly startedAt: number
  readonly asked = none
  args: unknown = undefined
  ended = false
  private made: { -readonly [K in keyof Session]?: Session[K] } = {}
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }
  get id() {
    return (this.made.id ??= uuidV4Unsafe())
  }
  get outcomes() {
    return (this.made.outcomes ??= new Map())
  }
  get fresh() {
    return (this.made.fresh ??= new Map())
  }
  get stale() {
    return (this.made.stale ??= new Map())
  }
  get durable() {
    return (this.made.durable ??= new Map())
  }
  get pending() {
    return (this.made.pending ??= new Map())
  }
  get put() {
    return (this.made.put ??= new Map())
  }
  get parked() {
    return (this.made.parked ??= { resumes: new Set() })
  }
  get stopped() {
    return (this.made.stopped ??= Deferred.makeUnsafe())
  }
  get stopwatches() {
    return (this.made.stopwatches ??= new Set())
  }
}

export const make = (startedAt: number): Session => new Fresh(startedAt)

export const stopAsking = (session: Session): void => {
  Deferred.doneUnsafe(session.stopped, Effect.void)
}

export const hasStoppedAsking = (session: Session): boolean => Deferred.isDoneUnsafe(session.stopped)

// ---------------------------------------------------------------- between rounds

const kinds: ReadonlyArray<Recorded> = ["accept", "decline", "cancel", "answer", "invalid"]

const Sealed = Schema.Struct({
  /** call id */
  c: Schema.String,
  /** outcomes: digest, kind, data */
  o: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Array(Schema.Tuple([Schema.String, Schema.Literals([0, 1, 2, 3, 4]), Schema.optionalKey(Schema.Unknown)]))
    )
  ),
  /** what was shown last */
  a: Schema.Record(Schema.String, Schema.String),
  /** stale answers */
  n: Schema.optionalKey(Schema.Record(Schema.String, Schema.Number)),
  /** durable values */
  d: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** arguments with generated defaults */
  g: Schema.optionalKey(Schema.Unknown),
  /** trace and span of this round */
  t: Schema.optionalKey(Schema.Tuple([Schema.String, Schema.String]))
})

const decodeSealed = Schema.decodeUnknownEffect(Sealed)

/** `Object.entries` and `Object.fromEntries` treat `__proto__` as any other own key. */
const record = <A, B>(map: ReadonlyMap<string, A>, f: (value: A) => B): { readonly [key: string]: B } =>
  Object.fromEntries(Array.from(map, ([key, value]) => [key, f(value)]))

export const pack = (session: Session, trace: readonly [string, string] | undefined): Schema.Json => {
  const sealed = {
    c: session.id,
    ...(session.outcomes.size === 0
      ? {}
      : {
          o: record(session.outcomes, (outcomes) =>
            outcomes.map(({ digest, kind, data }) =>
              data === undefined ? [digest, kinds.indexOf(kind)] : [digest, kinds.indexOf(kind), data]
            )
          )
        }),
    a: record(session.pending, (pending) => pending.digest),
    ...(session.stale.size === 0 ? {} : { n: record(session.stale, (count) => count) }),
    ...(session.durable.size === 0 ? {} : { d: record(session.durable, (value) => value) }),
    ...(session.args === undefined ? {} : { g: session.args }),
    ...(trace === undefined ? {} : { t: trace })
  }
  return sealed as unknown as Schema.Json // texts, numbers, and what was parsed from JSON or encoded to it
}

/** `answers` are those that came with the request, by wire key. */
export const unpack = (payload: unknown, startedAt: number, answers: { readonly [key: string]: unknown }) =>
  Effect.map(decodeSealed(payload), (sealed) => {
    const session: Session = {
      id: sealed.c,
      startedAt,
      outcomes: new Map(
        Object.entries(sealed.o ?? {}).map(([key, outcomes]) => [
          key,
          outcomes.map(([digest, kind, data]) => ({ digest, kind: kinds[kind]!, data }))
        ])
      ),
      asked: new Map(Object.entries(sealed.a)),
      fresh: new Map(Object.entries(answers)),
      stale: new Map(Object.entries(sealed.n ?? {})),
      durable: new Map(Object.entries(sealed.d ?? {})),
      pending: new Map(),
      put: new Map(),
      parked: { resumes: new Set() },
      stopwatches: new Set(),
      args: sealed.g,
      stopped: Deferred.makeUnsafe(),
      ended: false
    }
    return { session, trace: sealed.t }
  })

/** The key whose recorded values weigh most, for the error that a state too large ends with. */
export const heaviest = (session: Session): string | undefined => {
  let found: readonly [string, number] | undefined
  const weigh = (key: string, value: unknown) => {
    const weight = JSON.stringify(value)?.length ?? 0
    if (found === undefined || weight > found[1]) found = [key, weight]
  }
  for (const [key, outcomes] of session.outcomes) weigh(key, outcomes)
  for (const [key, value] of session.durable) weigh(key, value)
  return found?.[0]
}
