/**
 * How messages travel: one POST each, answered by JSON or an event stream, or one line each on two queues.
 */
import { Effect, Schema, Scope, Stream } from "effect"
import { Sse } from "effect/encoding"
import { PeerFailure } from "../PeerError.ts"
import type { Message } from "../Transcript.ts"
import * as Text from "./messages.ts"
import type { HttpServer, Observer, StdioServer } from "./server.ts"

export type HeaderMap = { readonly [name: string]: string }

/** What becomes of each message the server sends; what it starts lives in `scope`. */
export type Receive = (message: Message, httpStatus: number | undefined, scope: Scope.Scope) => Effect.Effect<void>

/** What came back on one HTTP exchange. `body` is what was no JSON-RPC message. */
export interface Reply {
  readonly status: number | undefined
  readonly headers: HeaderMap
  readonly body: string
}

export interface Transport {
  readonly kind: "http" | "stdio"
  /** HTTP: ends with the reply, each message of it passed on. Stdio: ends when the line is written. */
  readonly send: (body: string, headers: HeaderMap, receive: Receive) => Effect.Effect<Reply>
  /** HTTP only: any method, any body. `opened` runs when the reply begins, `send` and `fetch` end when it does. */
  readonly fetch: (init: RequestInit, receive: Receive, opened?: Effect.Effect<void>) => Effect.Effect<Reply>
}

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

const parse = (text: string): Effect.Effect<unknown> =>
  Effect.catch(decodeJson(text), () => Effect.die(new PeerFailure({ message: Text.noJson(text) })))

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0"

const each = (value: unknown, receive: (message: Message) => Effect.Effect<void>): Effect.Effect<void> =>
  Array.isArray(value)
    ? Effect.forEach(value, (item) => each(item, receive), { discard: true })
    : isMessage(value)
      ? receive(value)
      : Effect.die(new PeerFailure({ message: Text.noMessage(value) }))

const events = (body: ReadableStream<Uint8Array>, receive: (message: Message) => Effect.Effect<void>) =>
  Effect.suspend(() => {
    const found: Array<string> = []
    const parser = Sse.makeParser((event) => {
      // an event without data begins a stream, for clients that come back to it
      if (event._tag === "Event" && event.data !== "") found.push(event.data)
    })
    return Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => cause }).pipe(
      Stream.decodeText,
      Stream.runForEach((text) =>
        Effect.suspend(() => {
          parser.feed(text)
          return Effect.forEach(found.splice(0), (data) => Effect.flatMap(parse(data), (json) => each(json, receive)), {
            discard: true
          })
        })
      ),
      Effect.orDie
    )
  })

const readReply = Effect.fnUntraced(function* (response: Response, receive: Receive, scope: Scope.Scope) {
  const headers = Object.fromEntries(response.headers.entries())
  const type = response.headers.get("content-type") ?? ""
  const deliver = (message: Message) => receive(message, response.status, scope)
  if (type.startsWith("text/event-stream") && response.body !== null) {
    yield* events(response.body, deliver)
    return { status: response.status, headers, body: "" }
  }
  const body = yield* Effect.promise(() => response.text())
  if (!type.startsWith("application/json") || body === "") return { status: response.status, headers, body }
  yield* Effect.flatMap(parse(body), (json) => each(json, deliver))
  return { status: response.status, headers, body: "" }
})

export const http = (server: HttpServer, observer: Observer): Transport => {
  const fetch: Transport["fetch"] = (init, receive, opened = Effect.void) =>
    Effect.scoped(
      Effect.gen(function* () {
        const scope = yield* Scope.Scope
        // Closing the exchange closes the connection: on 2026-07-28 that is how a call is cancelled.
        const controller = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (controller) => Effect.sync(() => controller.abort())
        )
        const request = new Request(server.url, { ...init, signal: controller.signal })
        const response = yield* server.handle(request, observer)
        yield* opened
        return yield* readReply(response, receive, scope)
      })
    )
  return {
    kind: "http",
    send: (body, headers, receive) => fetch({ method: "POST", headers, body }, receive),
    fetch
  }
}

export const stdio = Effect.fnUntraced(function* (server: StdioServer, receive: Receive, scope: Scope.Scope) {
  let rest = ""
  const take = (chunk: string) =>
    Effect.suspend(() => {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop() ?? ""
      return Effect.forEach(
        lines.filter((line) => line.trim() !== ""),
        (line) => Effect.flatMap(parse(line), (json) => each(json, (message) => receive(message, undefined, scope))),
        { discard: true }
      )
    })
  const reading = Stream.runForEach(Stream.fromQueue(server.output), take)
  const none: Reply = { status: undefined, headers: {}, body: "" }
  const transport: Transport = {
    kind: "stdio",
    send: (body) => Effect.as(server.write(`${body}\n`), none),
    fetch: () => Effect.die(new PeerFailure({ message: Text.noHttp }))
  }
  return { transport, reading }
})
