/**
 * The routes of one endpoint: effect/ai's own, each with what it leaves to its surroundings.
 *
 * effect/ai adds its routes to the `HttpRouter` service. It is given one that passes them on with our checks around
 * them, and with a GET of our own in place of its 405.
 */
import { Clock, Context, Duration, Effect, Option, Predicate, Result, Scope } from "effect"
import type { HttpRouter } from "effect/http"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Text from "../../base/sentences.ts"
import { Principal, principalOf } from "../../state/principal.ts"
import type { Read } from "../adapter/message.ts"
import { answer, isCall } from "./calls.ts"
import type { EventStore } from "./eventStore.ts"
import { acceptsEvents, admit, type Limits, negotiate, presentable, readBody, refuse, unavailable } from "./guard.ts"
import { closeSession, enter, type Hub, isIdle, openSession, sessionEvents } from "./hub.ts"
import { respond, resume } from "./relay.ts"
import type { Session } from "./session.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Provided = HttpServerRequest.HttpServerRequest | Scope.Scope
type Route<E, R> = (request: Request) => Effect.Effect<Response, E, R>

export interface Endpoint {
  readonly hub: Hub
  readonly limits: Limits
  readonly sessionIdleTime: Duration.Duration
  readonly keepAlive: Duration.Duration
  readonly store: EventStore
  /** The endpoint's own. */
  readonly scope: Scope.Scope
  /** Ends a session as a client would: effect/ai forgets it and interrupts what is left of it. */
  terminate: (id: string) => Effect.Effect<void>
}

const sessionHeader = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

const isExpired = ({ sessionIdleTime }: Endpoint, session: Session, now: number) =>
  isIdle(session, now, Duration.toMillis(sessionIdleTime))

/** The session a request names, if it still lives. One that nobody used in time is gone, whether swept or not. */
const currentSession = Effect.fnUntraced(function* (endpoint: Endpoint, request: Request) {
  const id = request.headers[sessionHeader]
  const session = id === undefined ? undefined : endpoint.hub.sessions.get(id)
  if (session === undefined || !isExpired(endpoint, session, yield* Clock.currentTimeMillis)) return session
  yield* endpoint.terminate(session.id)
  return undefined
})

/** Whose request it is, as whatever authenticates in front of the endpoint says. What is no principal equals none. */
const principalIn = (context: Context.Context<never>): unknown =>
  Result.getOrElse(principalOf(Context.get(context, Principal)), () => ({}))

/** A session is that of the principal who opened it: its id may leak, and does not prove who calls. */
const isForeign = ({ hub }: Endpoint, { headers }: Request, context: Context.Context<never>): boolean => {
  const id = headers[sessionHeader]
  const session = id === undefined ? undefined : hub.sessions.get(id)
  return session !== undefined && session.principal !== principalIn(context)
}

const statelessVersion = "2026-07-28"

/** A version without sessions: what names one all the same is not looked at. */
const withoutSession = (request: Request): Request => {
  if (request.headers[versionHeader] !== statelessVersion || request.headers[sessionHeader] === undefined)
    return request
  const { [sessionHeader]: _, ...headers } = request.headers
  return request.modify({ headers: headers as Request["headers"] })
}

const admitted =
  <E, R>(endpoint: Endpoint, route: Route<E, R>, whileDraining: boolean): Route<E, R> =>
  (received) =>
    Effect.withFiber((fiber) => {
      if (endpoint.hub.draining && !whileDraining) return Effect.succeed(unavailable)
      const request = withoutSession(received)
      const admission = admit(request, endpoint.limits)
      if (Result.isFailure(admission)) return Effect.succeed(admission.failure)
      if (isForeign(endpoint, request, fiber.context)) return Effect.succeed(refuse(404, Text.noSession))
      return admission.success === received
        ? route(received)
        : Effect.provideService(route(admission.success), HttpServerRequest.HttpServerRequest, admission.success)
    })

/** Remembers the session that a response opens. effect/ai sets the header after its route has answered. */
const noteSession = (hub: Hub) =>
  Effect.withFiber((fiber) => {
    const principal = principalIn(fiber.context)
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const id = response.headers[sessionHeader]
        const version = response.headers[versionHeader]
        if (id !== undefined) openSession(hub, { id, version, principal }, now)
        return response
      })
    )
    return Effect.void
  })

/** A request with another text in place of the one that it came with. */
const withText = (request: Request, text: string): Request =>
  Object.create(request, { text: { value: Effect.succeed(text) } })

const withValue = (request: Request, value: object) => withText(request, JSON.stringify(value))

/** An id that came back as text is still the id: some clients make text of every one. */
const likeOurs = (known: { readonly has: (id: string | number) => boolean }, id: unknown): unknown => {
  const other = typeof id === "string" ? Number(id) : String(id)
  return !known.has(id as string) && known.has(other) ? other : id // a set may be asked for anything
}

/** Notes what a message of the client says about what is open, and gives the request that says it in our own ids. */
const noted = (session: Session, request: Request, { messages, value }: Read): Request => {
  const [message] = messages
  if (messages.length !== 1 || !Predicate.isReadonlyObject(value)) return request
  if (message?._tag === "Response") {
    for (const { questions } of session.relays.values()) {
      const id = likeOurs(questions, message.id)
      if (!questions.delete(id as string)) continue // as above
      return id === message.id ? request : withValue(request, { ...value, id })
    }
  }
  if (message?._tag !== "Notification" || !Predicate.isReadonlyObject(message.params)) return request
  if (message.method !== "notifications/cancelled") return request
  const requestId = likeOurs(session.open, message.params.requestId)
  if (requestId === message.params.requestId) return request
  return withValue(request, { ...value, params: { ...message.params, requestId } })
}

/** What finishes what is in flight: answers to questions, and cancellations. */
const finishes = ({ messages }: Read): boolean =>
  messages.every(
    (message) =>
      message._tag === "Response" || (message._tag === "Notification" && message.method === "notifications/cancelled")
  )

const opensSession = ({ messages }: Read): boolean =>
  messages.some((message) => message._tag === "Request" && message.method === "initialize")

const post = <E, R>(endpoint: Endpoint, route: Route<E, R>): Route<E, R | Provided> => {
  const { hub, limits } = endpoint
  const plainly = Effect.fnUntraced(function* (request: Request, session: Session | undefined, body: Read) {
    const response = yield* route(request)
    if (session === undefined) yield* noteSession(hub)
    return presentable(response, Array.isArray(body.value) ? Text.noBatch : undefined)
  })
  return admitted(
    endpoint,
    Effect.fnUntraced(function* (received: Request) {
      if (hub.draining && received.headers[sessionHeader] === undefined) return unavailable
      const negotiated = negotiate(received)
      if (Result.isFailure(negotiated)) return negotiated.failure
      const request = negotiated.success
      const clock = yield* Clock.Clock
      const session = yield* currentSession(endpoint, request)
      const leave = enter(hub, session, () => clock.currentTimeMillisUnsafe())
      const scope = yield* Effect.scope
      yield* Scope.addFinalizer(scope, Effect.sync(leave))
      const read = yield* Effect.result(readBody(request, limits))
      if (Result.isFailure(read)) return read.failure
      const body = read.success
      if (hub.draining && !(session !== undefined && finishes(body))) return unavailable
      if (opensSession(body) && hub.sessions.size >= limits.maxSessions) {
        return refuse(503, Text.tooManySessions(limits.maxSessions), { "retry-after": "60" })
      }
      const ours = session === undefined ? request : noted(session, request, body)
      const provided = <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) =>
        Effect.provideService(effect, HttpServerRequest.HttpServerRequest, ours)
      if (session === undefined || !isCall(body)) return yield* provided(plainly(ours, session, body))
      const left = enter(hub, session, () => clock.currentTimeMillisUnsafe())
      return yield* provided(answer(route, ours, body, { ...endpoint, ...limits, session, left }))
    }),
    true
  )
}

/** The stream on which an older client hears of changes while none of its calls is in flight, or what it has missed. */
const get = (endpoint: Endpoint): Route<never, never> =>
  admitted(
    endpoint,
    Effect.fnUntraced(function* (request: Request) {
      const { hub, keepAlive, limits, store } = endpoint
      const { headers } = request
      if (!acceptsEvents(request)) return refuse(406, Text.noEventStream)
      if (headers[sessionHeader] === undefined) return refuse(400, Text.noSessionId)
      const session = yield* currentSession(endpoint, request)
      if (session === undefined) return refuse(404, Text.noSession)
      const version = headers[versionHeader]
      if (version !== undefined && session.version !== undefined && version !== session.version) {
        return refuse(400, Text.otherVersion(session.version))
      }
      const lastId = headers["last-event-id"]
      if (lastId !== undefined) {
        const resumed = yield* resume(session, store, lastId, keepAlive)
        return Option.getOrElse(resumed, () => refuse(400, Text.tooLate))
      }
      if (hub.draining) return unavailable
      if (session.streams.length >= limits.maxStreams) return refuse(429, Text.tooManyStreams(limits.maxStreams))
      return respond(sessionEvents(hub, session), keepAlive)
    }),
    true
  )

const del = <E, R>(endpoint: Endpoint, route: Route<E, R>): Route<E, R> => {
  endpoint.terminate = (id) => {
    closeSession(endpoint.hub, id)
    const drop = endpoint.store.drop(id)
    const request = HttpServerRequest.fromWeb(
      new globalThis.Request("http://localhost/", { method: "DELETE", headers: { [sessionHeader]: id } })
    )
    return Effect.andThen(drop, Effect.ignoreCause(route(request))) as Effect.Effect<void> // the route needs no service: it ends a session
  }
  return admitted(
    endpoint,
    Effect.fnUntraced(function* (request: Request) {
      const response = yield* route(request)
      const id = request.headers[sessionHeader]
      if (id !== undefined && response.status === 204) {
        closeSession(endpoint.hub, id)
        yield* endpoint.store.drop(id)
      }
      return presentable(response)
    }),
    true
  )
}

/** Ends the sessions that nobody has used for long, so that a server's memory is bounded. */
export const sweep = (endpoint: Endpoint): Effect.Effect<never> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const session of endpoint.hub.sessions.values()) {
      if (isExpired(endpoint, session, now)) yield* endpoint.terminate(session.id)
    }
  }).pipe(Effect.delay(Duration.divideUnsafe(endpoint.sessionIdleTime, 4)), Effect.forever)

/** The router that effect/ai adds its routes to. `hasSessions`: a protocol of the endpoint has any. */
export const decorate = (
  router: HttpRouter.HttpRouter,
  endpoint: Endpoint,
  hasSessions: boolean
): HttpRouter.HttpRouter => ({
  ...router,
  add: (method, path, handler, options) => {
    const route = (request: Request) =>
      HttpServerResponse.isHttpServerResponse(handler)
        ? Effect.succeed(handler)
        : Effect.isEffect(handler)
          ? handler
          : handler(request)
    if (method === "GET" && hasSessions) return router.add(method, path, get(endpoint), options)
    if (method === "DELETE") return router.add(method, path, del(endpoint, route), options)
    if (method === "POST") return router.add(method, path, post(endpoint, route), options)
    const presented: typeof route = (request) => Effect.map(route(request), (response) => presentable(response))
    return router.add(method, path, admitted(endpoint, presented, false), options)
  }
})
