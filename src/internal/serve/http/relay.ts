/**
 * The event streams of calls. A call does not end with the connection that it came on: its messages are kept, and go to
 * whatever connection is there to read them.
 */
import { type Cause, type Duration, Effect, Option, Queue, Stream } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { plainErrors } from "../adapter/plainErrors.ts"
import type { EventStore, StoredEvent } from "./eventStore.ts"
import type { Reader, Relay, Session } from "./session.ts"

const encoder = new TextEncoder()

const render = ({ data, id }: StoredEvent): Uint8Array =>
  encoder.encode(data === "" ? `id: ${id}\ndata: \n\n` : `id: ${id}\nevent: message\ndata: ${data}\n\n`)

const hangUp = (relay: Relay): void => {
  if (relay.reader !== undefined) Queue.endUnsafe(relay.reader.queue)
  relay.reader = undefined
}

/** Keeps a message, and sends it to whoever reads. A connection that does not read is ended: its client can come back. */
export const append = (relay: Relay, data: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const event = { id: `${relay.id}_${relay.sent++}`, data }
    const { reader } = relay
    if (reader !== undefined) {
      reader.unread += data.length
      if (reader.unread > relay.maxUnread && reader.unread > data.length) hangUp(relay)
      else Queue.offerUnsafe(reader.queue, event)
    }
    return relay.store.append(relay.session.id, relay.id, event)
  })

/** No more will come. */
export const finish = (relay: Relay): void => {
  relay.done = true
  relay.session.relays.delete(relay.id)
  hangUp(relay)
}

/** Reads the stream from now on. Only the newest connection does: an older one is lost, or would get copies. */
const attach = (relay: Relay): Effect.Effect<Queue.Queue<StoredEvent, Cause.Done>> =>
  Effect.gen(function* () {
    const reader: Reader = { queue: yield* Queue.unbounded<StoredEvent, Cause.Done>(), unread: 0 }
    hangUp(relay)
    if (relay.done) Queue.endUnsafe(reader.queue)
    else relay.reader = reader
    return reader.queue
  })

const eventsOf = (relay: Relay, queue: Queue.Queue<StoredEvent, Cause.Done>): Stream.Stream<StoredEvent> =>
  Stream.fromQueue(queue).pipe(
    Stream.tap((event) =>
      Effect.sync(() => {
        if (relay.reader?.queue === queue) relay.reader.unread -= event.data.length
      })
    )
  )

const eventStream = {
  contentType: "text/event-stream",
  headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
}

/** Bytes of a stream, with a comment in each interval so that nothing between here and there takes it for dead. */
export const respond = (bytes: Stream.Stream<Uint8Array>, interval: Duration.Input) => {
  const comments = Stream.tick(interval).pipe(
    Stream.drop(1),
    Stream.map(() => encoder.encode(": keepalive\n\n"))
  )
  return HttpServerResponse.stream(Stream.merge(bytes, comments, { haltStrategy: "left" }), eventStream)
}

/** A response that reads the stream from its begin. `first`: bytes before it. */
export const read = Effect.fnUntraced(function* (relay: Relay, interval: Duration.Input) {
  const queue = yield* attach(relay)
  return () => respond(Stream.map(eventsOf(relay, queue), render), interval)
})

/** A response with what came after an event, and what is still to come. None when the event is not known any more. */
export const resume = Effect.fnUntraced(function* (
  session: Session,
  store: EventStore,
  lastId: string,
  interval: Duration.Input
) {
  const relay = session.relays.get(lastId.slice(0, lastId.lastIndexOf("_")))
  // read from now on before the past is looked up: nothing can fall between the two
  const queue = relay === undefined ? undefined : yield* attach(relay)
  const past = yield* store.after(session.id, lastId)
  if (Option.isNone(past)) return Option.none()
  const known = new Set(past.value.map(({ id }) => id))
  const future =
    relay === undefined || queue === undefined
      ? Stream.empty
      : Stream.filter(eventsOf(relay, queue), ({ id }) => !known.has(id))
  const bytes = Stream.map(Stream.concat(Stream.fromIterable(past.value), future), render)
  return Option.some(respond(Stream.concat(Stream.succeed(encoder.encode(": resumed\n\n")), bytes), interval))
})

const decoder = new TextDecoder()

/** The messages in bytes that effect/ai has framed as events, or has left as one message. */
export const messagesIn = (bytes: Uint8Array): ReadonlyArray<string> =>
  decoder
    .decode(bytes)
    .split("\n")
    .flatMap((line) => {
      const message = line.startsWith("data: ") ? line.slice(6) : line
      return message.startsWith("{") || message.startsWith("[") ? [plainErrors(message)] : []
    })
