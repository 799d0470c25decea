/**
 * What an endpoint remembers of one session of 2025-11-25 and older.
 */
import type { Cause, Queue } from "effect"
import type { EventStore, StoredEvent } from "./eventStore.ts"

/** One connection that reads a call's stream. */
export interface Reader {
  readonly queue: Queue.Queue<StoredEvent, Cause.Done>
  unread: number
}

/** The stream of one call. */
export interface Relay {
  readonly id: string
  readonly session: Session
  readonly store: EventStore
  /** What one connection may leave unread. */
  readonly maxUnread: number
  reader: Reader | undefined
  /** Ids of its questions that are open. */
  readonly questions: Set<string | number>
  sent: number
  done: boolean
}

export type Wake = Queue.Queue<void, Cause.Done>

/** What the server remembers of one session; `seen` in milliseconds since the epoch. */
export interface Session {
  readonly id: string
  readonly version: string | undefined
  /** Who opened it, by what authenticates in front of the endpoint: nobody else may use it. */
  readonly principal: unknown
  /** Changes up to this revision were already in the lists that the client could read. */
  readonly revision: number
  readonly subscriptions: Set<string>
  readonly unread: Set<string>
  /** Open GET streams. The newest is the one that a client which reconnected is listening to. */
  readonly streams: Array<Wake>
  /** The streams of calls in flight. */
  readonly relays: Map<string, Relay>
  /** Requests of the client that are being answered. */
  readonly open: Set<string | number>
  /** Relays that this session has had: each has a name of its own. */
  opened: number
  busy: number
  seen: number
}
