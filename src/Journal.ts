/**
 * Makes "at most once" hold against a client that sends a round twice, to one replica or to several: a round is claimed in
 * a store before anything runs, and its first reply is kept and given again.
 *
 * Optional; there is none by default. {@link layerMemory} is for one process, `JournalRedis.layer` and `JournalSql.layer`
 * are for several, {@link layer} for a store of yours. Provide it to the server, or to its registrations, together with
 * the keys of `RequestState`.
 *
 * It covers requests of 2026-07-28 that carry a `requestState`. A *first* round sent again carries none and is a new call:
 * give tools that must not be called twice an argument that makes them idempotent. Sessions of 2025-11-25 and older have
 * no state, and no store is asked for them.
 *
 * What each party sees, for one `requestState` that is sent more than once:
 *
 * | the round is | the same answers | other answers |
 * | --- | --- | --- |
 * | not claimed | it is claimed and run | it is claimed and run |
 * | claimed, and running | waits up to `waitLimit`; then the first reply, byte for byte, or `round_in_progress` | waits likewise; then the frozen refusal of a bad state |
 * | released: no body or durable resolver had begun, and no question was sent | of those that wait one runs it | the same |
 * | answered | the first reply, byte for byte | the frozen refusal; the log says why |
 * | answered with more than `maxReplyBytes` | `reply_not_kept` | the frozen refusal |
 * | claimed by a process that died, before or after the effect | `round_in_progress`, until it is settled | the same |
 * | interrupted (a client that cancelled) after a body had begun | `round_in_progress`, until it is settled | the same |
 * | settled as `"again"` | it is claimed and run | it is claimed and run |
 * | settled as `"spent"` | the frozen refusal | the frozen refusal |
 * | the store is down, or slower than `claimTimeout`, before the claim | `journal_unavailable`; nothing runs | the same |
 * | the store is down after the claim | the one who claimed has its reply; others `journal_unavailable`, then `round_in_progress` until the store has taken the reply, then the reply | the same, then the frozen refusal |
 *
 * The words in code are `data.reason` of a JSON-RPC error -32603. A claim is as durable as its store: storage that is
 * lost, and failover to a replica that was behind, are not covered. The clocks of replicas may differ by 60 seconds.
 *
 * @since 0.2.0
 */
import { Clock, Duration, Effect, FiberSet, Layer, Option, type Scope } from "effect"
import * as Text from "./internal/base/sentences.ts"
import {
  type InDoubt,
  Journal,
  JournalError,
  type Limits,
  memoryStore,
  type Service,
  type Store
} from "./internal/state/journal.ts"

export {
  type Claim,
  type Found,
  type InDoubt,
  Journal,
  JournalError,
  type Service,
  type Store
} from "./internal/state/journal.ts"

/**
 * How long and how much.
 *
 * - `claimTimeout`: 2 seconds for the store to answer. A round that cannot be claimed in that time is refused.
 * - `waitLimit`: 30 seconds for which a request waits for another one that has claimed its round.
 * - `maxReplyBytes`: 1 MiB of JSON; a larger reply is sent and not kept. `layerMemory` keeps all.
 *
 * @category models
 * @since 0.2.0
 */
export interface Options {
  readonly claimTimeout?: Duration.Input | undefined
  readonly waitLimit?: Duration.Input | undefined
  readonly maxReplyBytes?: number | undefined
}

const invalid = (description: string) => Effect.fail(new JournalError({ description }))

const readTime = (name: string, input: Duration.Input | undefined, otherwise: number) => {
  const millis = Option.match(Duration.fromInput(input ?? otherwise), {
    onNone: () => Number.NaN,
    onSome: Duration.toMillis
  })
  return millis > 0 && Number.isFinite(millis) ? Effect.succeed(millis) : invalid(Text.badTime(name))
}

const readLimits = Effect.fnUntraced(function* (options: Options) {
  const maxReplyBytes = options.maxReplyBytes ?? 1_048_576
  if (!(Number.isSafeInteger(maxReplyBytes) && maxReplyBytes > 0)) return yield* invalid(Text.badReplySize)
  return {
    maxReplyBytes,
    claimTimeout: yield* readTime("claimTimeout", options.claimTimeout, 2_000),
    waitLimit: yield* readTime("waitLimit", options.waitLimit, 30_000)
  } satisfies Limits
})

const makeLater: Effect.Effect<Service["later"], never, Scope.Scope> = Effect.map(
  FiberSet.make<void>(),
  (fibers) => (effect) => Effect.asVoid(FiberSet.run(fibers, effect))
)

/**
 * Layer of a journal on a store of yours. What the store is given to keep is sealed by the keys of `RequestState`. Fails
 * with {@link JournalError} when an option cannot be used.
 *
 * What the store did not take in time (a reply, a claim taken back) is tried again every second in the scope of the layer.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (store: Store, options: Options = {}): Layer.Layer<never, JournalError> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      return { ...(yield* readLimits(options)), later: yield* makeLater, where: "elsewhere", store } as const
    })
  )

/**
 * Layer of a journal in this process: for one process, and for tests. It keeps each reply as long as its state is good.
 * Fails with {@link JournalError} when an option cannot be used.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerMemory = (options: Pick<Options, "waitLimit"> = {}): Layer.Layer<never, JournalError> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const store = memoryStore()
      yield* Effect.forkScoped(
        Effect.delay(Effect.map(Clock.currentTimeMillis, store.forget), "1 minute").pipe(Effect.forever)
      )
      return { ...(yield* readLimits(options)), later: yield* makeLater, where: "here", store } as const
    })
  )

const using = <A>(
  operation: string,
  use: (store: Store | Extract<Service, { where: "here" }>["store"]) => Effect.Effect<A, unknown>
) =>
  Effect.flatMap(
    Journal,
    (journal): Effect.Effect<A, JournalError> =>
      journal === undefined
        ? invalid(Text.noJournal)
        : Effect.mapError(
            use(journal.store),
            (cause) => new JournalError({ description: Text.journalFailed(operation), cause })
          )
  )

/**
 * The rounds that are claimed and have no reply, the oldest first: those at work at this moment, and those whose process
 * died or whose client cancelled after a body had begun. `olderThan` (1 minute) leaves out the ones that may still be at
 * work. `call` is the `Call.id` that spans and logs of the call carry.
 *
 * Fails with {@link JournalError} when there is no journal or its store cannot be asked.
 *
 * @category combinators
 * @since 0.2.0
 */
export const inDoubt = (
  options: { readonly olderThan?: Duration.Input | undefined } = {}
): Effect.Effect<ReadonlyArray<InDoubt>, JournalError> =>
  Effect.gen(function* () {
    const all = yield* using(Text.listDoubts, (store) => store.inDoubt)
    const until = (yield* Clock.currentTimeMillis) - Duration.toMillis(options.olderThan ?? "1 minute")
    return all.filter(({ since }) => since <= until).sort((a, b) => a.since - b.since)
  })

/**
 * Settles a round that is in doubt, after somebody has looked at what it did. `"again"`: it did nothing; whoever sends it
 * again runs it. `"spent"`: it did its work; whoever sends it again is refused. False when no claim of that key is open.
 *
 * Fails with {@link JournalError} when there is no journal or its store cannot be asked. A process that still works on
 * the round cannot keep its reply afterwards, and `"again"` lets it run beside another.
 *
 * @category combinators
 * @since 0.2.0
 */
export const settle = (key: string, decision: "again" | "spent"): Effect.Effect<boolean, JournalError> =>
  using(Text.settleRound, (store) => store.settle(key, decision))
