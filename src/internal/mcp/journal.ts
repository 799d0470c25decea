/**
 * A round is answered once: it is claimed before anything runs, and its reply is kept for whoever sends it again. What
 * each party sees in each case is the table of `Journal`.
 */
import * as Cause from "effect/Cause"
import { Clock } from "effect/Clock"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../base/canonical.ts"
import * as Text from "../base/sentences.ts"
import { skew } from "../state/claims.ts"
import type { Claim, Found, Reply, Service, Store } from "../state/journal.ts"
import type { Service as Seal } from "../state/requestState.ts"
import * as Refusal from "./refusal.ts"

/** A round that has been opened and waits to be run. */
export interface Round<A, E> {
  /** The id inside its state. */
  readonly id: string
  readonly call: string
  readonly method: string
  readonly target: string
  readonly expiresAt: number
  /** What the client answered, as it was sent. */
  readonly answers: unknown
  readonly run: Effect.Effect<A, E>
  /** Whether a body or a durable resolver has begun, or an interim reply has been made: then it must not run again. */
  readonly begun: (exit: Exit.Exit<A, E>) => boolean
  /** A reply as JSON, and back: what was made of it comes out of `encode` again. */
  readonly encode: (exit: Exit.Exit<A, E>) => Effect.Effect<unknown, unknown>
  readonly decode: (json: unknown) => Effect.Effect<Exit.Exit<A, E>, unknown>
}

/** What to do with a round: `refuse` answers a state that is spent, `givenBack` is told when nothing was run. */
export interface Told {
  readonly refuse: (reason: string) => Effect.Effect<never, Refusal.Refusal>
  readonly givenBack: Effect.Effect<void>
}

// ---------------------------------------------------------------- metrics

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })
const givenBack = counter("effect_resolve_journal_given_back", "Replies given again to a round that was sent again")
const inDoubt = counter("effect_resolve_journal_in_doubt", "Requests told that their round is claimed and not answered")
const unclaimed = counter("effect_resolve_journal_claims_failed", "Rounds refused because the store could not be asked")
const unkept = counter("effect_resolve_journal_replies_not_kept", "Replies sent that the store did not take in time")
const count = (metric: typeof givenBack) => Metric.update(metric, 1)

// ---------------------------------------------------------------- what is kept

const Sealed = Schema.fromJsonString(
  Schema.Struct({
    /** whose it is: an entry moved to another key is not taken */
    k: Schema.String,
    a: Schema.String,
    /** absent when it was too large */
    r: Schema.optionalKey(Schema.Unknown)
  })
)
const decodeSealed = Schema.decodeUnknownEffect(Sealed)

const tooLarge: Exit.Exit<unknown, unknown> = Exit.fail(Refusal.replyTooLarge)

/** How a reply is kept by a store of either kind. */
interface Keeping<Kept> {
  readonly store: Store<Kept>
  /** One text per answers. */
  readonly nameOf: (answers: unknown) => Effect.Effect<string>
  readonly write: (reply: Reply) => Effect.Effect<Kept, unknown>
  readonly read: (kept: Kept) => Effect.Effect<Reply, unknown>
}

const textOf = (answers: unknown) => canonicalJson(answers ?? {})

const asItIs = (store: Store<Reply>): Keeping<Reply> => ({
  store,
  nameOf: (answers) => Effect.sync(() => textOf(answers)),
  write: Effect.succeed,
  read: Effect.succeed
})

const sealedBy = <A, E>(
  seal: Seal,
  { maxReplyBytes, store }: Extract<Service, { readonly where: "elsewhere" }>,
  { decode, encode, id }: Round<A, E>
): Keeping<string> => ({
  store,
  nameOf: (answers) => Effect.suspend(() => seal.digest(textOf(answers))),
  write: ({ answers: a, exit }) =>
    // only what `run` gave is ever written
    Effect.flatMap(encode(exit as Exit.Exit<A, E>), (r) => {
      const text = JSON.stringify({ k: id, a, r })
      return seal.sealRecord(text.length > maxReplyBytes ? JSON.stringify({ k: id, a }) : text)
    }),
  read: (kept) =>
    Effect.flatMap(
      Effect.flatMap(seal.openRecord(kept), decodeSealed),
      ({ a, k, r }): Effect.Effect<Reply, unknown> => {
        if (k !== id) return Effect.fail(new Error(Text.keptForAnother))
        return r === undefined
          ? Effect.succeed({ answers: a, exit: tooLarge })
          : Effect.map(decode(r), (exit) => ({ answers: a, exit }))
      }
    )
})

// ---------------------------------------------------------------- a round

/** Runs a round unless it was run before; gives the reply, whoever made it. */
export const once = <A, E>(
  journal: Service,
  seal: Seal,
  round: Round<A, E>,
  told: Told
): Effect.Effect<A, E | Refusal.Refusal> =>
  journal.where === "here"
    ? settle(journal, asItIs(journal.store), round, told)
    : settle(journal, sealedBy(seal, journal, round), round, told)

const firstPause = 20
const longestPause = 250

const settle = <A, E, Kept>(
  journal: Service,
  keeping: Keeping<Kept>,
  round: Round<A, E>,
  told: Told
): Effect.Effect<A, E | Refusal.Refusal> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber((fiber) => {
      const began = fiber.getRef(Clock).currentTimeMillisUnsafe()
      const claim: Claim = {
        key: round.id,
        owner: uuidV4Unsafe(),
        call: round.call,
        method: round.method,
        target: round.target,
        since: began,
        expiresAt: round.expiresAt + skew
      }
      const attempt = (waited: number, pause: number): Effect.Effect<A, E | Refusal.Refusal> =>
        Effect.flatMap(ask(journal, keeping.store, claim, restore), (found): Effect.Effect<A, E | Refusal.Refusal> => {
          switch (found._tag) {
            case "Claimed":
              return run(journal, keeping, round, claim, restore)
            case "Kept":
              return giveBack(keeping, found.kept, round, told)
            case "Spent":
              return told.refuse(Text.spentState)
            case "Open":
              return waited >= journal.waitLimit
                ? doubtful(round)
                : Effect.andThen(
                    restore(Effect.sleep(pause)),
                    attempt(waited + pause, Math.min(pause * 2, longestPause))
                  )
          }
        })
      return attempt(0, firstPause)
    })
  )

const doubtful = ({ call, method, target }: Pick<Claim, "call" | "method" | "target">) =>
  Effect.logWarning(Text.roundInDoubt(method, target, call)).pipe(
    Effect.andThen(count(inDoubt)),
    Effect.andThen(Effect.fail(Refusal.roundOpen))
  )

/** A store in this process answers at once. */
const within = <A, E>(journal: Service, effect: Effect.Effect<A, E>): Effect.Effect<A, unknown> =>
  journal.where === "here" ? effect : Effect.timeout(effect, journal.claimTimeout)

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Tries until it is done or the entry is gone by itself. */
const insist = (journal: Service, claim: Claim, effect: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  journal.later(
    within(journal, effect).pipe(
      Effect.retry(Schedule.spaced("1 second")),
      Effect.timeout(claim.expiresAt - claim.since),
      Effect.ignore
    )
  )

/** Whoever does not know whether the claim was written takes it back: it may be written yet. */
const ask = <Kept>(
  journal: Service,
  store: Store<Kept>,
  claim: Claim,
  restore: Restore
): Effect.Effect<Found<Kept>, Refusal.Refusal> =>
  restore(within(journal, store.claim(claim))).pipe(
    Effect.onInterrupt(() => insist(journal, claim, store.release(claim))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>) // holds interruptions only
        : Effect.logError(Text.unclaimed(claim.method, claim.target, claim.call), cause).pipe(
            Effect.andThen(count(unclaimed)),
            Effect.andThen(insist(journal, claim, store.release(claim))),
            Effect.andThen(Effect.fail(Refusal.unclaimed))
          )
    )
  )

const run = <A, E, Kept>(
  journal: Service,
  { nameOf, store, write }: Keeping<Kept>,
  round: Round<A, E>,
  claim: Claim,
  restore: Restore
): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.exit(restore(round.run)), (exit): Effect.Effect<A, E> => {
    if (!round.begun(exit)) return Effect.andThen(insistSoon(journal, claim, store.release(claim)), exit)
    // without a reply there is nothing to keep: the claim stays, and the round is in doubt
    if (Exit.isFailure(exit) && !Cause.hasFails(exit.cause)) {
      return Effect.andThen(Effect.logWarning(Text.leftInDoubt(round.method, round.target, round.call)), exit)
    }
    const kept = Effect.flatMap(nameOf(round.answers), (answers) => write({ answers, exit }))
    return Effect.andThen(
      Effect.matchCauseEffect(kept, {
        onFailure: (cause) => notKept(claim, cause),
        onSuccess: (kept) => insistSoon(journal, claim, store.keep(claim, kept))
      }),
      exit
    )
  })

const notKept = ({ call, method, target }: Claim, cause: Cause.Cause<unknown>) =>
  Effect.andThen(Effect.logError(Text.replyNotKept(method, target, call), cause), count(unkept))

/** Tried before the reply goes out, for as long as a claim may take; then once more and again behind it. */
const insistSoon = (journal: Service, claim: Claim, effect: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.catchCause(within(journal, effect), (cause) =>
    Effect.andThen(notKept(claim, cause), insist(journal, claim, effect))
  )

const giveBack = <A, E, Kept>(
  { nameOf, read }: Keeping<Kept>,
  kept: Kept,
  round: Round<A, E>,
  told: Told
): Effect.Effect<A, E | Refusal.Refusal> =>
  Effect.matchCauseEffect(Effect.all([read(kept), nameOf(round.answers)]), {
    onFailure: (cause) =>
      Effect.andThen(
        Effect.logError(Text.unreadableReply(round.method, round.target, round.call), cause),
        doubtful(round)
      ),
    onSuccess: ([reply, answers]): Effect.Effect<A, E | Refusal.Refusal> =>
      reply.answers === answers
        ? Effect.logInfo(Text.givenBack(round.method, round.target, round.call)).pipe(
            Effect.andThen(count(givenBack)),
            Effect.andThen(told.givenBack),
            // only what `run` gave was ever written
            Effect.andThen(reply.exit as Exit.Exit<A, E>)
          )
        : told.refuse(Text.otherAnswers)
  })
