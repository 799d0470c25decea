/**
 * What was sent on the streams of a session, for a client that lost its connection and asks for the rest.
 */
import { Clock, Context, Effect, Option } from "effect"

/** One event of a stream, as it was sent. */
export interface StoredEvent {
  readonly id: string
  /** A JSON-RPC message as text, or nothing: the event that begins a stream. */
  readonly data: string
}

/** What `ResolveServer.EventStore` holds. */
export interface EventStore {
  readonly append: (session: string, stream: string, event: StoredEvent) => Effect.Effect<void>
  /** The later events of the stream that the event with this id belongs to; none when it is not kept. */
  readonly after: (session: string, id: string) => Effect.Effect<Option.Option<ReadonlyArray<StoredEvent>>>
  /** The session has ended. */
  readonly drop: (session: string) => Effect.Effect<void>
}

/** How much a store in memory keeps: of each session, and in all. */
const limits = { events: 1_000, bytes: 4 * 1_024 * 1_024, millis: 5 * 60_000, totalBytes: 256 * 1_024 * 1_024 }

interface Entry {
  readonly session: string
  readonly stream: string
  readonly event: StoredEvent
  readonly bytes: number
  readonly at: number
}

interface Kept {
  /** The oldest first. */
  readonly entries: Set<Entry>
  bytes: number
}

const oldest = <A>(set: Set<A>): A | undefined => set.values().next().value

/** A store in the memory of this process. */
export const makeMemoryStore = (): EventStore => {
  const sessions = new Map<string, Kept>()
  const all = new Set<Entry>()
  let total = 0

  const forget = (entry: Entry): void => {
    all.delete(entry)
    total -= entry.bytes
    const kept = sessions.get(entry.session)
    if (kept === undefined || !kept.entries.delete(entry)) return
    kept.bytes -= entry.bytes
    if (kept.entries.size === 0) sessions.delete(entry.session)
  }

  const prune = (now: number): void => {
    for (const entry of all) {
      if (total <= limits.totalBytes && now - entry.at < limits.millis) return
      forget(entry)
    }
  }

  return {
    append: (session, stream, event) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const kept = sessions.get(session) ?? { entries: new Set(), bytes: 0 }
        sessions.set(session, kept)
        // a character of a message is a byte or two in memory
        const entry = { session, stream, event, bytes: event.data.length * 2 + 200, at: now }
        kept.entries.add(entry)
        kept.bytes += entry.bytes
        all.add(entry)
        total += entry.bytes
        while (kept.entries.size > limits.events || kept.bytes > limits.bytes) forget(oldest(kept.entries)!)
        prune(now)
      }),
    after: (session, id) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        prune(now)
        const entries = Array.from(sessions.get(session)?.entries ?? [])
        const at = entries.findIndex(({ event }) => event.id === id)
        if (at === -1) return Option.none()
        const { stream } = entries[at]!
        return Option.some(
          entries
            .slice(at + 1)
            .filter((entry) => entry.stream === stream)
            .map(({ event }) => event)
        )
      }),
    drop: (session) =>
      Effect.sync(() => {
        for (const entry of sessions.get(session)?.entries ?? []) forget(entry)
      })
  }
}

/** The store of an endpoint: one in memory unless another is provided to its layer. */
export const CurrentEventStore = Context.Reference<EventStore | undefined>("effect-resolve/ResolveServer/EventStore", {
  defaultValue: () => undefined
})
