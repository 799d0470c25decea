/**
 * The routes of one endpoint: effect/ai's own, each with what it leaves to its surroundings (WIRE.md 6, 13).
 *
 * effect/ai adds its routes to the `HttpRouter` service. It is given one that passes them on with our checks around
 * them, and with a GET of our own in place of its 405.
 */
import { Clock, Context, Duration, Effect, Result, Scope } from "effect"
import type { HttpRouter } from "effect/http"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Text from "../../base/sentences.ts"
import { Principal, principalOf } from "../../state/principal.ts"
import { admit, type Limits, readBody, refuse, unavailable } from "./guard.ts"
import { closeSession, enter, type Hub, isIdle, openSession, type Session, sessionEvents } from "./hub.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Provided = HttpServerRequest.HttpServerRequest | Scope.Scope
type Route<E, R> = (request: Request) => Effect.Effect<Response, E, R>

export interface Endpoint {
  readonly hub: Hub
  readonly limits: Limits
  readonly sessionIdleTime: Duration.Duration
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

/** A session is that of the principal who opened it: its id may leak, and does not prove who calls (SPEC 125). */
const isForeign = ({ hub }: Endpoint, { headers }: Request, context: Context.Context<never>): boolean => {
  const id = headers[sessionHeader]
  const session = id === undefined ? undefined : hub.sessions.get(id)
  return session !== undefined && session.principal !== principalIn(context)
}

const admitted =
  <E, R>(endpoint: Endpoint, route: Route<E, R>): Route<E, R> =>
  (request) =>
    Effect.withFiber((fiber) => {
      if (endpoint.hub.draining) return Effect.succeed(unavailable)
      const admission = admit(request, endpoint.limits)
      if (Result.isFailure(admission)) return Effect.succeed(admission.failure)
      if (isForeign(endpoint, request, fiber.context)) return Effect.succeed(refuse(404, Text.noSession))
      return admission.success === request
        ? route(request)
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

const post = <E, R>(endpoint: Endpoint, route: Route<E, R>): Route<E, R | Provided> =>
  admitted(
    endpoint,
    Effect.fnUntraced(function* (request: Request) {
      const { hub } = endpoint
      const clock = yield* Clock.Clock
      const session = yield* currentSession(endpoint, request)
      const leave = enter(hub, session, () => clock.currentTimeMillisUnsafe())
      yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(leave))
      const body = yield* Effect.result(readBody(request, endpoint.limits))
      if (Result.isFailure(body)) return body.failure
      const response = yield* route(request)
      if (session === undefined) yield* noteSession(hub)
      return response
    })
  )

const eventStream = {
  contentType: "text/event-stream",
  headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
}

/** The stream on which an older client hears of changes while none of its calls is in flight. */
const get = (endpoint: Endpoint): Route<never, never> =>
  admitted(
    endpoint,
    Effect.fnUntraced(function* (request: Request) {
      const { headers } = request
      if (!headers.accept?.includes("text/event-stream")) return refuse(406, Text.noEventStream)
      if (headers[sessionHeader] === undefined) return refuse(400, Text.noSessionId)
      const session = yield* currentSession(endpoint, request)
      if (session === undefined) return refuse(404, Text.noSession)
      const version = headers[versionHeader]
      if (version !== undefined && session.version !== undefined && version !== session.version) {
        return refuse(400, Text.otherVersion(session.version))
      }
      return HttpServerResponse.stream(sessionEvents(endpoint.hub, session), eventStream)
    })
  )

const del = <E, R>(endpoint: Endpoint, route: Route<E, R>): Route<E, R> => {
  endpoint.terminate = (id) => {
    closeSession(endpoint.hub, id)
    const request = HttpServerRequest.fromWeb(
      new globalThis.Request("http://localhost/", { method: "DELETE", headers: { [sessionHeader]: id } })
    )
    return Effect.ignoreCause(route(request)) as Effect.Effect<void> // the route needs no service: it ends a session
  }
  return admitted(endpoint, (request) =>
    Effect.tap(route(request), (response) =>
      Effect.sync(() => {
        const id = request.headers[sessionHeader]
        if (id !== undefined && response.status === 204) closeSession(endpoint.hub, id)
      })
    )
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
    return router.add(method, path, admitted(endpoint, route), options)
  }
})
