/** What a journal keeps of the rounds that were answered, and the store that keeps it in memory. */
import type { Exit } from "effect"
import { Context, Data, Effect } from "effect"
import * as Text from "../base/sentences.ts"

/**
 * What is written when a round is claimed. Times in milliseconds since the epoch.
 *
 * `key` is the random id of the round's state, `owner` a random text of the one request that claims it. `expiresAt` is when
 * the entry may go: when the state no longer opens anywhere.
 *
 * @category models
 * @since 0.2.0
 */
export interface Claim {
  readonly key: string
  readonly owner: string
  readonly call: string
  readonly method: string
  readonly target: string
  readonly since: number
  readonly expiresAt: number
}

/**
 * What became of an attempt to claim: it is claimed now; another request has it and has not answered yet; it was answered,
 * and this is what was kept; an operator has settled it for good.
 *
 * @category models
 * @since 0.2.0
 */
export type Found<Kept> =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Open" }
  | { readonly _tag: "Kept"; readonly kept: Kept }
  | { readonly _tag: "Spent" }

/**
 * A round that was claimed and has no reply: it is still worked on, or who worked on it is gone.
 *
 * @category models
 * @since 0.2.0
 */
export type InDoubt = Pick<Claim, "key" | "call" | "method" | "target" | "since">

/**
 * Where claims are kept. Each member is one atomic step, and may fail with anything: the failure goes to the log.
 *
 * - `claim` writes the claim if the key has no entry, and says what is there otherwise.
 * - `keep` puts what was made in place of the claim, if the claim is still this owner's.
 * - `release` removes the claim, if it is still this owner's.
 * - `inDoubt` lists claims that were neither kept nor released.
 * - `settle` ends such a claim: `"again"` removes it, `"spent"` keeps it so that nothing runs for it any more. False when
 *   there is no such claim.
 *
 * Entries are gone after `expiresAt`. A store that forgets one earlier lets its round run again.
 *
 * @category services
 * @since 0.2.0
 */
export interface Store<in out Kept = string> {
  readonly claim: (claim: Claim) => Effect.Effect<Found<Kept>, unknown>
  readonly keep: (claim: Claim, kept: Kept) => Effect.Effect<void, unknown>
  readonly release: (claim: Claim) => Effect.Effect<void, unknown>
  readonly inDoubt: Effect.Effect<ReadonlyArray<InDoubt>, unknown>
  readonly settle: (key: string, decision: "again" | "spent") => Effect.Effect<boolean, unknown>
}

/** A reply as it was made, for a store that is in this process. */
export interface Reply {
  /** A text that only the answers have for which it was given. */
  readonly answers: string
  readonly exit: Exit.Exit<unknown, unknown>
}

/** Times in milliseconds. */
export interface Limits {
  readonly claimTimeout: number
  readonly waitLimit: number
  readonly maxReplyBytes: number
}

/**
 * A journal in use: {@link layer} and {@link layerMemory} make one.
 *
 * @category services
 * @since 0.2.0
 */
export type Service = Limits & {
  /** Runs what must be tried again after the request has been answered. */
  readonly later: (effect: Effect.Effect<void>) => Effect.Effect<void>
} & (
    | { readonly where: "elsewhere"; readonly store: Store<string> }
    | { readonly where: "here"; readonly store: Store<Reply> }
  )

/**
 * The journal in use. There is none by default: then nothing is claimed, and nothing is asked of any store.
 *
 * @category services
 * @since 0.2.0
 */
export const Journal: Context.Reference<Service | undefined> = Context.Reference<Service | undefined>(
  "effect-resolve/Journal",
  { defaultValue: () => undefined }
)

/**
 * A journal's store could not be asked, or there is none: told to an operator's program, never to a client.
 *
 * @category errors
 * @since 0.2.0
 */
export class JournalError extends Data.TaggedError("JournalError")<{
  readonly description: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return Text.journal(this.description)
  }
}

interface Entry {
  readonly claim: Claim
  readonly kept: Reply | "spent" | undefined
}

const claimed = { _tag: "Claimed" } as const
const open = { _tag: "Open" } as const
const spent = { _tag: "Spent" } as const

/** Entries of one process, the oldest first. `forget` drops those whose time has come. */
export const memoryStore = (): Store<Reply> & { readonly forget: (now: number) => void } => {
  const entries = new Map<string, Entry>()
  const own = ({ key, owner }: Claim) => {
    const entry = entries.get(key)
    return entry?.claim.owner === owner && entry.kept === undefined
  }
  return {
    forget: (now) => {
      for (const [key, { claim }] of entries) if (claim.expiresAt <= now) entries.delete(key)
    },
    claim: (claim) =>
      Effect.sync((): Found<Reply> => {
        const entry = entries.get(claim.key)
        if (entry === undefined) {
          entries.set(claim.key, { claim, kept: undefined })
          return claimed
        }
        if (entry.kept === undefined) return open
        return entry.kept === "spent" ? spent : { _tag: "Kept", kept: entry.kept }
      }),
    keep: (claim, kept) => Effect.sync(() => void (own(claim) && entries.set(claim.key, { claim, kept }))),
    release: (claim) => Effect.sync(() => void (own(claim) && entries.delete(claim.key))),
    inDoubt: Effect.sync(() =>
      Array.from(entries.values())
        .filter(({ kept }) => kept === undefined)
        .map(({ claim: { key, call, method, target, since } }) => ({ key, call, method, target, since }))
    ),
    settle: (key, decision) =>
      Effect.sync(() => {
        const entry = entries.get(key)
        if (entry === undefined || entry.kept !== undefined) return false
        if (decision === "again") entries.delete(key)
        else entries.set(key, { claim: entry.claim, kept: "spent" })
        return true
      })
  }
}
