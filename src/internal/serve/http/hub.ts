/**
 * The sessions of one HTTP endpoint, for what effect/ai keeps no place for: the GET stream of 2025-11-25 and older,
 * resource subscriptions over HTTP, and the end of sessions that nobody uses.
 *
 * A change is kept per session until one stream takes it: each message goes out once, equal changes that nobody has read
 * yet are one, and a client that reconnects has missed nothing.
 */
import { type Cause, Deferred, type Duration, Effect, Queue, Stream } from "effect"
import type { Listening } from "../adapter/middleware.ts"
import type { Change } from "../adapter/seam.ts"
import { finish } from "./relay.ts"
import type { Session } from "./session.ts"

/** The state of one endpoint. `busy` counts requests being answered, of both eras. */
export interface Hub {
  readonly sessions: Map<string, Session>
  readonly listening: Listening
  readonly idle: Deferred.Deferred<void>
  /** The revision of the server's lists, as effect/ai counts it. */
  revision: () => number
  followed: boolean
  busy: number
  draining: boolean
}

export const makeHub = (maxListening: number): Hub => ({
  sessions: new Map(),
  listening: { shutdown: Deferred.makeUnsafe(), max: maxListening, open: 0 },
  idle: Deferred.makeUnsafe(),
  revision: () => 0,
  followed: false,
  busy: 0,
  draining: false
})

export const openSession = (
  hub: Hub,
  { id, principal, version }: Pick<Session, "id" | "version" | "principal">,
  now: number
): void => {
  hub.sessions.set(id, {
    id,
    version,
    principal,
    revision: hub.revision(),
    subscriptions: new Set(),
    unread: new Set(),
    streams: [],
    relays: new Map(),
    open: new Set(),
    opened: 0,
    busy: 0,
    seen: now
  })
}

export const closeSession = (hub: Hub, id: string): void => {
  const session = hub.sessions.get(id)
  hub.sessions.delete(id)
  for (const stream of session?.streams ?? []) Queue.endUnsafe(stream)
  for (const relay of session?.relays.values() ?? []) finish(relay)
}

const wake = (session: Session): void => {
  const stream = session.streams.at(-1)
  if (stream !== undefined && session.unread.size > 0) Queue.offerUnsafe(stream, undefined)
}

const methods = {
  ToolsChanged: "notifications/tools/list_changed",
  PromptsChanged: "notifications/prompts/list_changed",
  ResourcesChanged: "notifications/resources/list_changed",
  ResourceUpdated: "notifications/resources/updated"
}

/** Tells every session that has not seen the change and, for a resource, asked to hear of it. */
export const publish = (hub: Hub, { listChangeRevision, notification }: Change): void => {
  const method = methods[notification._tag]
  const uri = notification._tag === "ResourceUpdated" ? notification.uri : undefined
  const message = JSON.stringify({ jsonrpc: "2.0", method, ...(uri === undefined ? {} : { params: { uri } }) })
  for (const session of hub.sessions.values()) {
    if (uri === undefined ? (listChangeRevision ?? Infinity) <= session.revision : !session.subscriptions.has(uri)) {
      continue
    }
    session.unread.add(message)
    wake(session)
  }
}

const encoder = new TextEncoder()

/** The first bytes of a stream, so that a client that waits for the answer's head is not kept waiting. */
const opened = Stream.succeed(encoder.encode(": open\n\n"))

/** The events of a session's GET stream, until the session ends or the client leaves. */
export const sessionEvents = (hub: Hub, session: Session): Stream.Stream<Uint8Array> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const stream = yield* Effect.acquireRelease(
        Effect.tap(Queue.sliding<void, Cause.Done>(1), (stream) =>
          Effect.sync(() => {
            session.streams.push(stream)
            if (!hub.sessions.has(session.id) || hub.draining) Queue.endUnsafe(stream)
            wake(session)
          })
        ),
        (stream) =>
          Effect.sync(() => {
            session.streams.splice(session.streams.indexOf(stream), 1)
            wake(session)
          })
      )
      const take = Effect.sync(() => {
        const messages = Array.from(session.unread)
        session.unread.clear()
        return messages
      })
      const events = Stream.fromQueue(stream).pipe(
        Stream.mapEffect(() => take),
        Stream.flatMap((messages) => Stream.fromIterable(messages)),
        Stream.map((message) => encoder.encode(`event: message\ndata: ${message}\n\n`))
      )
      return Stream.concat(opened, events)
    })
  )

/** Counts a request in. The effect it gives counts it out again, and lets a server that waits for it go. */
export const enter = (hub: Hub, session: Session | undefined, now: () => number): (() => void) => {
  hub.busy++
  if (session !== undefined) {
    session.busy++
    session.seen = now()
  }
  return () => {
    hub.busy--
    if (session !== undefined) {
      session.busy--
      session.seen = now()
    }
    if (hub.draining && hub.busy === 0) Deferred.doneUnsafe(hub.idle, Effect.void)
  }
}

/**
 * Ends the streams, each with its result, and waits for the answers in flight, at most until `limit`. Later requests are
 * turned away; what answers an open question is let in.
 */
export const drain = (hub: Hub, limit: Duration.Input): Effect.Effect<void> =>
  Effect.gen(function* () {
    hub.draining = true
    Deferred.doneUnsafe(hub.listening.shutdown, Effect.void)
    for (const session of hub.sessions.values()) {
      for (const stream of session.streams) Queue.endUnsafe(stream)
    }
    if (hub.busy > 0) yield* Effect.timeoutOption(Deferred.await(hub.idle), limit)
    for (const session of hub.sessions.values()) {
      for (const relay of session.relays.values()) finish(relay)
    }
  })

/** Nobody has used it for that long: no request, no open stream. */
export const isIdle = (session: Session, now: number, idleTime: number): boolean =>
  session.busy === 0 && session.streams.length === 0 && now - session.seen >= idleTime
