/**
 * What one call remembers, on the wire between its rounds and in memory within one. Calls made inside a call share it
 * (FINDINGS b10).
 *
 * Answers and durable values are only ever added to: a round that does not reach them carries them forward (I15).
 */
import { uuidV4Unsafe } from "effect/crypto/SecureRandom";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
export const make = (startedAt) => {
    let id;
    return {
        // made when first read: most calls never look
        get id() {
            return (id ??= uuidV4Unsafe());
        },
        startedAt,
        outcomes: new Map(),
        asked: new Map(),
        fresh: new Map(),
        stale: new Map(),
        durable: new Map(),
        pending: new Map(),
        parked: { resumes: new Set() },
        stopwatches: new Set(),
        args: undefined,
        refused: false,
        ended: false
    };
};
// ---------------------------------------------------------------- between rounds
const kinds = ["accept", "decline", "cancel", "answer", "invalid"];
const Sealed = Schema.Struct({
    v: Schema.Literal(1),
    /** call id */
    c: Schema.String,
    /** outcomes: digest, kind, data */
    o: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.Tuple([Schema.String, Schema.Literals([0, 1, 2, 3, 4]), Schema.optionalKey(Schema.Unknown)])))),
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
});
const decodeSealed = Schema.decodeUnknownEffect(Schema.fromJsonString(Sealed));
/** `Object.entries` and `Object.fromEntries` treat `__proto__` as any other own key. */
const record = (map, f) => Object.fromEntries(Array.from(map, ([key, value]) => [key, f(value)]));
export const pack = (session, trace) => JSON.stringify({
    v: 1,
    c: session.id,
    ...(session.outcomes.size === 0
        ? {}
        : {
            o: record(session.outcomes, (outcomes) => outcomes.map(({ digest, kind, data }) => data === undefined ? [digest, kinds.indexOf(kind)] : [digest, kinds.indexOf(kind), data]))
        }),
    a: record(session.pending, (pending) => pending.digest),
    ...(session.stale.size === 0 ? {} : { n: record(session.stale, (count) => count) }),
    ...(session.durable.size === 0 ? {} : { d: record(session.durable, (value) => value) }),
    ...(session.args === undefined ? {} : { g: session.args }),
    ...(trace === undefined ? {} : { t: trace })
});
export const unpack = (payload, startedAt) => Effect.map(decodeSealed(payload), (sealed) => {
    const session = {
        ...make(startedAt),
        id: sealed.c,
        outcomes: new Map(Object.entries(sealed.o ?? {}).map(([key, outcomes]) => [
            key,
            outcomes.map(([digest, kind, data]) => ({ digest, kind: kinds[kind], data }))
        ])),
        asked: new Map(Object.entries(sealed.a)),
        stale: new Map(Object.entries(sealed.n ?? {})),
        durable: new Map(Object.entries(sealed.d ?? {})),
        args: sealed.g
    };
    return { session, trace: sealed.t };
});
/** The key whose recorded values weigh most, for the error that a state too large ends with. */
export const heaviest = (session) => {
    let found;
    const weigh = (key, value) => {
        const weight = JSON.stringify(value)?.length ?? 0;
        if (found === undefined || weight > found[1])
            found = [key, weight];
    };
    for (const [key, outcomes] of session.outcomes)
        weigh(key, outcomes);
    for (const [key, value] of session.durable)
        weigh(key, value);
    return found?.[0];
};
