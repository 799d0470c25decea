/** What the tests of the journal share: a store of texts that can be down, and replicas that share a store. */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { type Journal, RequestState } from "effect-resolve"
import type { Peer } from "effect-resolve/testing"
import { Answer } from "effect-resolve/testing"
import type { Registrations } from "../rules/kit.ts"

export type Operation = "claim" | "keep" | "release"

interface Entry {
  readonly owner: string
  readonly doubt: Journal.InDoubt
  readonly found: Journal.Found<string>
}

/** A store of texts. `before` is run before each step, and may fail it or keep it waiting. */
export const textStore = () => {
  const entries = new Map<string, Entry>()
  const asked: Array<Operation> = []
  const control = { before: (_: Operation): Effect.Effect<void, unknown> => Effect.void }
  const step = <A>(operation: Operation, run: () => A): Effect.Effect<A, unknown> =>
    Effect.suspend(() => {
      asked.push(operation)
      return Effect.andThen(control.before(operation), Effect.sync(run))
    })
  const isOpen = (key: string, owner?: string) => {
    const entry = entries.get(key)
    return entry?.found._tag === "Open" && (owner === undefined || entry.owner === owner) ? entry : undefined
  }
  const store: Journal.Store = {
    claim: ({ call, key, method, owner, since, target }) =>
      step("claim", () => {
        const entry = entries.get(key)
        if (entry !== undefined) return entry.found
        entries.set(key, { owner, doubt: { key, call, method, target, since }, found: { _tag: "Open" } })
        return { _tag: "Claimed" }
      }),
    keep: ({ key, owner }, kept) =>
      step("keep", () => {
        const entry = isOpen(key, owner)
        if (entry !== undefined) entries.set(key, { ...entry, found: { _tag: "Kept", kept } })
      }),
    release: ({ key, owner }) => step("release", () => void (isOpen(key, owner) && entries.delete(key))),
    inDoubt: Effect.sync(() =>
      Array.from(entries.values())
        .filter(({ found }) => found._tag === "Open")
        .map(({ doubt }) => doubt)
    ),
    settle: (key, decision) =>
      Effect.sync(() => {
        const entry = isOpen(key)
        if (entry === undefined) return false
        if (decision === "again") entries.delete(key)
        else entries.set(key, { ...entry, found: { _tag: "Spent" } })
        return true
      })
  }
  return { store, asked, control, entries }
}

export const keyOf = (letter: string) => letter.repeat(32)

/** Registrations as one of several replicas has them. */
export const replica = (
  registrations: Registrations,
  journal: Layer.Layer<never, Journal.JournalError>,
  keys: ReadonlyArray<string> = [keyOf("a")]
) =>
  registrations.pipe(
    Layer.provide(journal),
    Layer.provide(Layer.orDie(RequestState.layer({ keys, audience: "Bookshop" })))
  )

/** The text of the last answer that a peer was given, without its id. */
export const lastReply = (peer: Peer.Peer): string => {
  const { message } = peer.transcript.findLast(({ from }) => from === "server") ?? assert.fail("no answer")
  const { id: _, ...rest } = message
  return JSON.stringify(rest)
}

export const frozen = [-32602, "Invalid or expired requestState", { reason: "invalid_request_state" }]

export const yes = { inputResponses: { ask: Answer.accept({ ok: true }) } }
export const no = { inputResponses: { ask: Answer.accept({ ok: false }) } }

/** A body that waits to be told to go on. */
export const gate = () => {
  const reached = Deferred.makeUnsafe<void>()
  const open = Deferred.makeUnsafe<void>()
  return {
    reached: Deferred.await(reached),
    open: Deferred.succeed(open, undefined),
    pass: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(open))
  }
}
