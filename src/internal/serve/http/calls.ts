/**
 * A call of 2025-11-25 and older, apart from the connection that it came on: a connection that is lost is no
 * cancellation. What cancels is `notifications/cancelled` and the end of the session.
 */
import { Cause, Deferred, type Duration, Effect, Exit, Option, Predicate, Result, Scope, Stream } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Text from "../../base/sentences.ts"
import { errorMessage, type Read } from "../adapter/message.ts"
import { CurrentBegin } from "../adapter/middleware.ts"
import type { EventStore } from "./eventStore.ts"
import { presentable, refuse } from "./guard.ts"
import { append, finish, messagesIn, read } from "./relay.ts"
import type { Relay, Session } from "./session.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What may take long: a person may be asked in it. */
const long = ["tools/call", "prompts/get", "resources/read"]

export const isCall = ({ messages }: Read): boolean =>
  messages.some((message) => message._tag === "Request" && long.includes(message.method))

/** From this version on, a stream begins with an event by which it can be found again. */
const begins = (version: string | undefined): boolean => version !== undefined && version >= "2025-11-25"

export interface Options {
  readonly session: Session
  readonly store: EventStore
  /** The endpoint's: a call lives in it, and not in its request's. */
  readonly scope: Scope.Scope
  readonly keepAlive: Duration.Input
  readonly maxUnread: number
  /** The call has ended. */
  readonly left: () => void
}

const open = ({ maxUnread, session, store }: Options): Relay => {
  const relay: Relay = {
    id: `call-${++session.opened}`,
    session,
    store,
    maxUnread,
    questions: new Set(),
    reader: undefined,
    sent: 0,
    done: false
  }
  session.relays.set(relay.id, relay)
  return relay
}

/** Remembers which questions are open: what goes to the client first names its method. */
const noteQuestion = (relay: Relay, message: string): void => {
  if (!message.startsWith('{"jsonrpc":"2.0","method":')) return
  const value = Result.getOrUndefined(Result.try((): unknown => JSON.parse(message)))
  if (!Predicate.isReadonlyObject(value)) return
  const { id, method, params } = value
  if (typeof id === "string" || typeof id === "number") relay.questions.add(id)
  if (method === "notifications/cancelled" && Predicate.isReadonlyObject(params)) {
    relay.questions.delete(params.requestId as string) // one that is no id is not in the set
  }
}

const relayAll = (relay: Relay, messages: ReadonlyArray<string>) =>
  Effect.forEach(
    messages,
    (message) => {
      noteQuestion(relay, message)
      return append(relay, message)
    },
    { discard: true }
  )

const requestIds = ({ messages }: Read) =>
  messages.flatMap((message) => (message._tag === "Request" ? [message.id] : []))

/** Runs the call and gives its response: what the route answers, or a stream of what is to come. */
export const answer = <E, R>(
  route: (request: Request) => Effect.Effect<Response, E, R>,
  request: Request,
  body: Read,
  options: Options
) =>
  Effect.gen(function* () {
    const { keepAlive, session } = options
    const relay = open(options)
    const ids = requestIds(body)
    for (const id of ids) session.open.add(id)
    const scope = yield* Scope.fork(options.scope)
    const answered = yield* Deferred.make<Response | undefined>()
    // once there is a stream, everything goes there
    let streaming = false
    const stream = Effect.suspend(() => {
      streaming = true
      return Deferred.succeed(answered, undefined)
    })
    const begin = Effect.andThen(append(relay, ""), stream)
    const relayed = (response: Response): Effect.Effect<unknown> => {
      const { body } = response
      if (body._tag === "Stream") {
        const chunks = Stream.runForEach(body.stream, (chunk) => relayAll(relay, messagesIn(chunk)))
        return Effect.andThen(stream, Effect.ignoreCause(chunks))
      }
      if (!streaming) return Deferred.succeed(answered, response)
      return relayAll(relay, body._tag === "Uint8Array" ? messagesIn(body.body) : [])
    }
    const failed = refuse(500, Text.internal)
    const broken = Effect.suspend(() =>
      streaming
        ? relayAll(
            relay,
            ids.map((id) => JSON.stringify(errorMessage({ code: -32603, message: Text.internal, id })))
          )
        : Deferred.succeed(answered, failed)
    )
    const run = route(request).pipe(
      Effect.map((response) => presentable(response)),
      Effect.flatMap(relayed),
      Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : broken)),
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(CurrentBegin, begins(session.version) ? begin : undefined),
      Effect.onExit((exit) =>
        Effect.andThen(
          Scope.close(scope, exit),
          Effect.sync(() => {
            for (const id of ids) session.open.delete(id)
            finish(relay)
            options.left()
            Deferred.doneUnsafe(answered, Exit.succeed(failed))
          })
        )
      )
    )
    const respond = yield* read(relay, keepAlive)
    yield* Effect.forkIn(run, options.scope, { startImmediately: true })
    const first = yield* Effect.timeoutOption(Deferred.await(answered), keepAlive)
    if (Option.isNone(first)) streaming = true
    return Option.getOrUndefined(first) ?? respond()
  })
