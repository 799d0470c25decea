/**
 * One client of one server: ids, requests and their answers, the questions of old servers, notifications, cancellation.
 *
 * A call runs in the fiber that makes it, so the test's clock and references govern both sides. The server can be wrong
 * in ways no call sees; then every open call dies with the reason, and if none is open the end of the test does.
 */
import { Clock, Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { PeerFailure } from "../PeerError.ts"
import type { Frame, Message } from "../Transcript.ts"
import type { Activity } from "./activity.ts"
import * as Envelope from "./envelope.ts"
import * as Mailbox from "./mailbox.ts"
import type { Questions } from "./questions.ts"
import type { HeaderMap, Receive, Reply, Transport } from "./transport.ts"

export type JsonRpcId = string | number

export type HeaderChanges = { readonly [name: string]: string | undefined }

export interface RequestOptions {
  /** The JSON-RPC id, instead of the peer's next number. */
  readonly id?: JsonRpcId | undefined
  /** Headers to add or replace; undefined leaves one out. HTTP only. */
  readonly headers?: HeaderChanges | undefined
  /** Fields of `_meta`, beside or over the peer's own. */
  readonly meta?: { readonly [key: string]: unknown } | undefined
  /** False sends the parameters exactly as given, without the `_meta` of 2026-07-28. */
  readonly envelope?: boolean | undefined
}

export interface Response {
  readonly message: Message
  readonly httpStatus: number | undefined
}

export interface Session {
  readonly profile: Envelope.Profile
  readonly frames: Array<Frame>
  readonly mailbox: Mailbox.Mailbox
  readonly connect: (transport: Transport) => void
  readonly sessionId: () => string | undefined
  readonly receive: Receive
  readonly request: (method: string, params: unknown, options?: RequestOptions) => Effect.Effect<Response>
  readonly notify: (method: string, params?: unknown, options?: RequestOptions) => Effect.Effect<Reply>
  readonly negotiated: Effect.Effect<void>
  readonly fetch: (
    init: { readonly method?: string; readonly body?: string; readonly headers?: HeaderChanges },
    receive?: Receive
  ) => Effect.Effect<Reply>
  readonly write: (text: string) => Effect.Effect<void>
  readonly fail: (error: PeerFailure) => Effect.Effect<void>
  /** What went wrong outside any call and was not raised by one. */
  readonly unreported: () => PeerFailure | undefined
}

interface Pending {
  readonly target: string | undefined
  readonly done: Deferred.Deferred<Response>
}

const targetOf = (params: unknown): string | undefined => {
  const fields = (params ?? {}) as { readonly name?: unknown; readonly uri?: unknown }
  return [fields.name, fields.uri].find((value) => typeof value === "string")
}

export const make = (options: {
  readonly profile: Envelope.Profile
  readonly questions: Questions
  readonly activity: Activity
  readonly scope: Scope.Scope
  readonly headers: HeaderChanges | undefined
}): Session => {
  const { activity, profile, questions, scope } = options
  const frames: Array<Frame> = []
  const mailbox = Mailbox.make()
  const pending = new Map<JsonRpcId, Pending>()
  const settled = new Set<JsonRpcId>()
  const abandoned = new Set<JsonRpcId>()
  const answering = new Map<JsonRpcId, Fiber.Fiber<void>>()
  const failed = Deferred.makeUnsafe<never>()
  const session: { id: string | undefined; negotiated: boolean } = { id: undefined, negotiated: false }
  let failure: PeerFailure | undefined
  let reported = false
  let raw = false
  let transport: Transport
  let nextId = 1

  const record = (
    from: Frame["from"],
    message: Message,
    headers: HeaderMap | undefined,
    httpStatus: number | undefined
  ): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      activity.ticks++
      frames.push({ from, at, message, headers, httpStatus })
    })

  const fail = (error: PeerFailure): Effect.Effect<void> =>
    Effect.suspend(() => {
      failure ??= error
      return Effect.asVoid(Deferred.die(failed, failure))
    })

  const wrong = (text: string) => fail(new PeerFailure({ message: text }))

  const headersFor = (message: Message, changes: HeaderChanges | undefined): HeaderMap =>
    Envelope.override(Envelope.headers(profile, session, message), options.headers, changes)

  const send = (message: Message, changes?: HeaderChanges): Effect.Effect<Reply> =>
    Effect.suspend(() => {
      const headers = headersFor(message, changes)
      return record("client", message, transport.kind === "http" ? headers : undefined, undefined).pipe(
        Effect.andThen(transport.send(JSON.stringify(message), headers, receive)),
        Effect.tap((reply) =>
          Effect.sync(() => {
            session.id = reply.headers["mcp-session-id"] ?? session.id
          })
        )
      )
    })

  const answer = (message: Message, id: JsonRpcId): Effect.Effect<void> =>
    Effect.gen(function* () {
      const method = message.method!
      if (method === "ping") return yield* send({ jsonrpc: "2.0", id, result: {} })
      const [only] = pending.size === 1 ? [...pending.values()] : []
      const given = yield* questions.answer({ key: undefined, method, params: message.params, target: only?.target })
      if (given._tag === "Never") return yield* Effect.never
      const { _tag, ...error } = given
      const reply =
        given._tag === "Result" ? { result: given.result } : { error: error as NonNullable<Message["error"]> }
      // The reply may end the exchange this question came on, and with it this fiber: not before it is sent.
      return yield* Effect.uninterruptible(send({ jsonrpc: "2.0", id, ...reply }))
    }).pipe(
      Effect.asVoid,
      Effect.catchDefect((defect) =>
        fail(defect instanceof PeerFailure ? defect : new PeerFailure({ message: `An answer died: ${String(defect)}` }))
      ),
      Effect.ensuring(Effect.sync(() => answering.delete(id)))
    )

  const asked = (message: Message, id: JsonRpcId, within: Scope.Scope): Effect.Effect<void> => {
    if (profile.stateless)
      return wrong(`The server sent the request '${message.method}': 2026-07-28 has none (rule 99)`)
    return Effect.map(Effect.forkIn(answer(message, id), within), (fiber) => {
      answering.set(id, fiber)
    })
  }

  const notified = (message: Message): Effect.Effect<void> =>
    Effect.suspend(() => {
      mailbox.deliver({ method: message.method!, params: message.params })
      const cancelled =
        message.method === "notifications/cancelled" ? answering.get(message.params?.requestId) : undefined
      return cancelled === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(cancelled), scope))
    })

  const responded = (message: Message, httpStatus: number | undefined): Effect.Effect<void> =>
    Effect.suspend(() => {
      // An error about a message whose id could not be read belongs to the exchange, not to a call.
      if (message.id === undefined || message.id === null) return Effect.void
      const entry = pending.get(message.id)
      if (entry !== undefined) {
        pending.delete(message.id)
        settled.add(message.id)
        return Effect.asVoid(Deferred.succeed(entry.done, { message, httpStatus }))
      }
      // Both sides must bear the race between a cancellation and its answer (rule 116);
      // and who wrote bytes by hand chose the ids, too.
      if (abandoned.has(message.id) || raw) return Effect.void
      return settled.has(message.id)
        ? wrong(`The server answered request ${JSON.stringify(message.id)} twice`)
        : wrong(`The server answered request ${JSON.stringify(message.id)}, which the peer never sent`)
    })

  const receive: Receive = (message, httpStatus, within) =>
    Effect.andThen(
      record("server", message, undefined, httpStatus),
      Effect.suspend(() => {
        if (message.method === undefined) return responded(message, httpStatus)
        if (message.id === undefined || message.id === null) return notified(message)
        return asked(message, message.id, within)
      })
    )

  const abandon = (id: JsonRpcId, exchange: Fiber.Fiber<Reply>): Effect.Effect<void> =>
    Effect.suspend(() => {
      pending.delete(id)
      abandoned.add(id)
      if (transport.kind === "http" && exchange.pollUnsafe() !== undefined) return Effect.void
      // 2026-07-28 over HTTP cancels by closing the exchange (rule 101); everywhere else a notification says so, and
      // an old exchange stays open: there a disconnect must not count as cancellation (rule 140).
      if (profile.stateless && transport.kind === "http") return Fiber.interrupt(exchange)
      return Effect.asVoid(notify("notifications/cancelled", { requestId: id }))
    })

  const missing = (message: Message, reply: Reply): PeerFailure => {
    const body = reply.body === "" ? "" : `: ${reply.body}`
    return new PeerFailure({
      message: `HTTP ${reply.status} without a JSON-RPC response to '${message.method}'${body}`
    })
  }

  const raised = Effect.tapCause(Deferred.await(failed), () => Effect.sync(() => (reported = true)))

  const request = (method: string, given: unknown, requestOptions: RequestOptions = {}): Effect.Effect<Response> =>
    Effect.suspend(() => {
      const id = requestOptions.id ?? nextId++
      const params =
        requestOptions.envelope === false
          ? given
          : Envelope.withMeta(given, { ...Envelope.meta(profile), ...requestOptions.meta })
      const message: Message = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }
      const done = Deferred.makeUnsafe<Response>()
      pending.set(id, { target: targetOf(params), done })
      const listens = method === "subscriptions/listen"
      if (!listens) activity.requests++
      return Effect.forkIn(send(message, requestOptions.headers), scope, { startImmediately: true }).pipe(
        Effect.flatMap((exchange) =>
          Effect.flatMap(Fiber.join(exchange), (reply) =>
            transport.kind === "http" && !Deferred.isDoneUnsafe(done)
              ? Effect.die(missing(message, reply))
              : Deferred.await(done)
          ).pipe(
            Effect.raceFirst(raised),
            Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : abandon(id, exchange)))
          )
        ),
        Effect.ensuring(
          Effect.sync(() => {
            if (!listens) activity.requests--
          })
        )
      )
    })

  const notify: Session["notify"] = (method, given, notifyOptions = {}) => {
    const params = Envelope.withMeta(given, notifyOptions.meta ?? {})
    const message: Message = { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }
    return send(message, notifyOptions.headers)
  }

  return {
    profile,
    frames,
    mailbox,
    connect: (next) => {
      transport = next
    },
    sessionId: () => session.id,
    receive,
    request,
    notify,
    negotiated: Effect.sync(() => {
      session.negotiated = true
    }),
    fetch: ({ body, headers, method }, into = receive) =>
      transport.fetch(
        { method: method ?? "POST", headers: headersFor({}, headers), ...(body === undefined ? {} : { body }) },
        into
      ),
    write: (text) =>
      Effect.suspend(() => {
        raw = true
        return Effect.asVoid(transport.send(text, {}, receive))
      }),
    fail,
    unreported: () => (reported ? undefined : failure)
  }
}
