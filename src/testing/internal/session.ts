/**
 * One client of one server: its requests and notifications, and how a call is cancelled.
 *
 * A call runs in the fiber that makes it, so the test's clock and references govern both sides.
 */
import { Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { PeerFailure } from "../PeerError.ts"
import type { Frame, Message } from "../Transcript.ts"
import { type Activity, during } from "./activity.ts"
import * as Envelope from "./envelope.ts"
import * as Incoming from "./incoming.ts"
import * as Line from "./line.ts"
import * as Mailbox from "./mailbox.ts"
import * as Text from "./messages.ts"
import * as Pending from "./pending.ts"
import type { Questions } from "./questions.ts"
import type { Receive, Reply, Transport } from "./transport.ts"
import type * as Trouble from "./trouble.ts"

/**
 * What a request may change of itself.
 *
 * **Details**
 *
 * - `id`: the JSON-RPC id, instead of the peer's next number.
 * - `headers`: to add or replace; undefined leaves one out. HTTP only.
 * - `meta`: fields of `_meta`, beside or over the peer's own.
 * - `envelope`: false sends the parameters exactly as given, without the `_meta` of 2026-07-28.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestOptions {
  readonly id?: string | number | undefined
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
  readonly meta?: { readonly [key: string]: unknown } | undefined
  readonly envelope?: boolean | undefined
}

export type { JsonRpcId, Response } from "./pending.ts"

export interface Session {
  readonly profile: Envelope.Profile
  readonly line: Line.Line
  readonly frames: Array<Frame>
  readonly mailbox: Mailbox.Mailbox
  readonly trouble: Trouble.Trouble
  readonly connect: (transport: Transport) => void
  readonly receive: Receive
  readonly request: (method: string, params: unknown, options?: RequestOptions) => Effect.Effect<Pending.Response>
  readonly notify: (method: string, params?: unknown, options?: RequestOptions) => Effect.Effect<Reply>
  readonly fetch: (
    init: {
      readonly method?: string
      readonly body?: string
      readonly headers?: Line.HeaderChanges
    },
    receive?: Receive,
    opened?: Effect.Effect<void>
  ) => Effect.Effect<Reply>
  readonly write: (text: string) => Effect.Effect<void>
}

const targetOf = (params: unknown): string | undefined => {
  const fields = (params ?? {}) as { readonly name?: unknown; readonly uri?: unknown }
  return [fields.name, fields.uri].find((value) => typeof value === "string")
}

const missing = (method: string, reply: Reply): PeerFailure => {
  return new PeerFailure({ message: Text.noResponse(method, reply.status, reply.body) })
}

export const make = (options: {
  readonly profile: Envelope.Profile
  readonly questions: Questions
  readonly activity: Activity
  readonly trouble: Trouble.Trouble
  readonly scope: Scope.Scope
  readonly headers: Line.HeaderChanges | undefined
}): Session => {
  const { activity, profile, questions, scope, trouble } = options
  const { stateless } = profile
  const line = Line.make(profile, activity, options.headers)
  const mailbox = Mailbox.make()
  const pending = Pending.make(trouble)
  const { receive } = Incoming.make({ line, mailbox, pending, questions, trouble, stateless, scope })
  const isHttp = () => line.transport().kind === "http"

  const notify: Session["notify"] = (method, given, notifyOptions = {}) => {
    const params = Envelope.withMeta(given, notifyOptions.meta ?? {})
    const message: Message = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }
    return line.send(message, receive(undefined), notifyOptions.headers)
  }

  const abandon = (id: Pending.JsonRpcId, exchange: Fiber.Fiber<Reply>): Effect.Effect<void> =>
    Effect.suspend(() => {
      pending.abandon(id)
      if (isHttp() && exchange.pollUnsafe() !== undefined) return Effect.void
      // 2026-07-28 over HTTP cancels by closing the exchange (rule 101); everywhere else a notification says so, and
      // an old exchange stays open: there a disconnect must not count as cancellation (rule 140).
      if (stateless && isHttp()) return Fiber.interrupt(exchange)
      return Effect.asVoid(notify("notifications/cancelled", { requestId: id }))
    })

  const answered = (method: string, exchange: Fiber.Fiber<Reply>, done: Deferred.Deferred<Pending.Response>) =>
    Effect.flatMap(Fiber.join(exchange), (reply) =>
      isHttp() && !Deferred.isDoneUnsafe(done) ? Effect.die(missing(method, reply)) : Deferred.await(done)
    )

  const messageOf = (id: Pending.JsonRpcId, method: string, given: unknown, { envelope, meta }: RequestOptions) => {
    const params = envelope === false ? given : Envelope.withMeta(given, { ...Envelope.meta(profile), ...meta })
    return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }
  }

  const request: Session["request"] = (method, given, requestOptions = {}) =>
    Effect.suspend(() => {
      const id = requestOptions.id ?? pending.nextId()
      const message = messageOf(id, method, given, requestOptions)
      const target = targetOf(given)
      const done = pending.open(id, target)
      // in the peer's scope: an exchange of an old protocol outlives the call that gave it up
      const exchanging = Effect.forkIn(line.send(message, receive(target), requestOptions.headers), scope, {
        startImmediately: true
      })
      const call = Effect.flatMap(exchanging, (exchange) =>
        Effect.raceFirst(answered(method, exchange, done), trouble.raised).pipe(
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : abandon(id, exchange)))
        )
      )
      // a subscription is no work of the server's that could come to rest
      return method === "subscriptions/listen" ? call : during(activity, call)
    })

  return {
    profile,
    line,
    frames: line.frames,
    mailbox,
    trouble,
    connect: line.connect,
    receive: receive(undefined),
    request,
    notify,
    fetch: ({ body, headers, method }, into = receive(undefined), opened) =>
      line
        .transport()
        .fetch(
          { method: method ?? "POST", headers: line.headersFor({}, headers), ...(body === undefined ? {} : { body }) },
          into,
          opened
        ),
    write: (text) =>
      Effect.suspend(() => {
        pending.tolerate()
        return Effect.asVoid(line.transport().send(text, {}, receive(undefined)))
      })
  }
}
