/**
 * The routes of one endpoint: effect/ai's own, each with what it leaves to its surroundings (WIRE.md 6, 13).
 *
 * effect/ai adds its routes to the `HttpRouter` service. It is given one that passes them on with our checks around
 * them, and with a GET of our own in place of its 405.
 */
import { Clock, Duration, Effect, Result, Scope } from "effect";
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http";
import { admit, readBody, refuse, unavailable } from "./guard.js";
import { closeSession, enter, isIdle, openSession, sessionEvents } from "./hub.js";
const sessionHeader = "mcp-session-id";
const versionHeader = "mcp-protocol-version";
const isExpired = ({ sessionIdleTime }, session, now) => isIdle(session, now, Duration.toMillis(sessionIdleTime));
/** The session a request names, if it still lives. One that nobody used in time is gone, whether swept or not. */
const currentSession = Effect.fnUntraced(function* (endpoint, request) {
    const id = request.headers[sessionHeader];
    const session = id === undefined ? undefined : endpoint.hub.sessions.get(id);
    if (session === undefined || !isExpired(endpoint, session, yield* Clock.currentTimeMillis))
        return session;
    yield* endpoint.terminate(session.id);
    return undefined;
});
const admitted = (endpoint, route) => (request) => {
    if (endpoint.hub.draining)
        return Effect.succeed(unavailable);
    const admission = admit(request, endpoint.limits);
    if (Result.isFailure(admission))
        return Effect.succeed(admission.failure);
    return admission.success === request
        ? route(request)
        : Effect.provideService(route(admission.success), HttpServerRequest.HttpServerRequest, admission.success);
};
/** Remembers the session that a response opens. effect/ai sets the header after its route has answered. */
const noteSession = (hub) => Effect.withFiber((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) => Effect.map(Clock.currentTimeMillis, (now) => {
        const id = response.headers[sessionHeader];
        if (id !== undefined)
            openSession(hub, id, response.headers[versionHeader], now);
        return response;
    }));
    return Effect.void;
});
const post = (endpoint, route) => admitted(endpoint, Effect.fnUntraced(function* (request) {
    const { hub } = endpoint;
    const clock = yield* Clock.Clock;
    const session = yield* currentSession(endpoint, request);
    const leave = enter(hub, session, () => clock.currentTimeMillisUnsafe());
    yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(leave));
    const body = yield* Effect.result(readBody(request, endpoint.limits));
    if (Result.isFailure(body))
        return body.failure;
    const response = yield* route(request);
    if (session === undefined)
        yield* noteSession(hub);
    return response;
}));
const eventStream = {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
};
/** The stream on which an older client hears of changes while none of its calls is in flight. */
const get = (endpoint) => admitted(endpoint, Effect.fnUntraced(function* (request) {
    const { headers } = request;
    if (!headers.accept?.includes("text/event-stream"))
        return refuse(406, "Accept must list text/event-stream");
    if (headers[sessionHeader] === undefined)
        return refuse(400, "MCP-Session-Id header is required");
    const session = yield* currentSession(endpoint, request);
    if (session === undefined)
        return refuse(404, "Session not found");
    const version = headers[versionHeader];
    if (version !== undefined && session.version !== undefined && version !== session.version) {
        return refuse(400, `MCP-Protocol-Version of this session is ${session.version}`);
    }
    return HttpServerResponse.stream(sessionEvents(endpoint.hub, session), eventStream);
}));
const del = (endpoint, route) => {
    endpoint.terminate = (id) => {
        closeSession(endpoint.hub, id);
        const request = HttpServerRequest.fromWeb(new globalThis.Request("http://localhost/", { method: "DELETE", headers: { [sessionHeader]: id } }));
        return Effect.ignoreCause(route(request)); // the route needs no service: it ends a session
    };
    return admitted(endpoint, (request) => Effect.tap(route(request), (response) => Effect.sync(() => {
        const id = request.headers[sessionHeader];
        if (id !== undefined && response.status === 204)
            closeSession(endpoint.hub, id);
    })));
};
/** Ends the sessions that nobody has used for long, so that a server's memory is bounded. */
export const sweep = (endpoint) => Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis;
    for (const session of endpoint.hub.sessions.values()) {
        if (isExpired(endpoint, session, now))
            yield* endpoint.terminate(session.id);
    }
}).pipe(Effect.delay(Duration.divideUnsafe(endpoint.sessionIdleTime, 4)), Effect.forever);
/** The router that effect/ai adds its routes to. `hasSessions`: a protocol of the endpoint has any. */
export const decorate = (router, endpoint, hasSessions) => ({
    ...router,
    add: (method, path, handler, options) => {
        const route = (request) => HttpServerResponse.isHttpServerResponse(handler)
            ? Effect.succeed(handler)
            : Effect.isEffect(handler)
                ? handler
                : handler(request);
        if (method === "GET" && hasSessions)
            return router.add(method, path, get(endpoint), options);
        if (method === "DELETE")
            return router.add(method, path, del(endpoint, route), options);
        if (method === "POST")
            return router.add(method, path, post(endpoint, route), options);
        return router.add(method, path, admitted(endpoint, route), options);
    }
});
