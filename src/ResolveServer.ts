/**
 * Serves registrations to MCP clients that you did not write: over stdio and over HTTP, every protocol revision at once.
 *
 * Both layers take what effect/ai's own `McpServer.layerStdio` and `layerHttp` take, and are built on them. What they
 * add keeps a server alive and polite on a real wire: see each. Everything else of this library works under effect/ai's
 * own layers as well.
 *
 * @since 0.1.0
 */
import {
  Array,
  ByteSize,
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Layer,
  Logger,
  Option,
  type Runtime,
  Stdio
} from "effect"
import type { McpProtocol } from "effect/ai"
import * as McpServer from "effect/ai/McpServer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Text from "./internal/base/sentences.ts"
import { CurrentSealObserver } from "./internal/base/wire.ts"
import { CurrentMaxQuestions } from "./internal/serve/adapter/answers.ts"
import { CurrentReadiness, drainFirst, onShutdown } from "./internal/serve/adapter/drains.ts"
import { type InputOptions, inputLimits } from "./internal/serve/adapter/message.ts"
import { type Connections, makeConnections } from "./internal/serve/http/connections.ts"
import { CurrentPages, letIn, type Pages, register } from "./internal/serve/http/cors.ts"
import { makeEarly } from "./internal/serve/http/early.ts"
import { decorate, type Endpoint, sweep } from "./internal/serve/http/endpoint.ts"
import * as Events from "./internal/serve/http/eventStore.ts"
import { refuse } from "./internal/serve/http/guard.ts"
import { drain, makeHub } from "./internal/serve/http/hub.ts"
import { addResource, challengeOf } from "./internal/serve/http/protectedResource.ts"
import { attach, withListening } from "./internal/serve/http/sessions.ts"
import { isName, named } from "./internal/serve/http/sticky.ts"
import { teardown as ended, noteGone, runProcess, untilEnd } from "./internal/serve/stdio/process.ts"
import { decorate as decorateStdio, type Gone } from "./internal/serve/stdio/stdio.ts"
import * as Protocols from "./Protocols.ts"

type ProtocolList = Array.NonEmptyReadonlyArray<McpProtocol.ProtocolAdapter>
type Defaults<Options extends { readonly protocols: ProtocolList }> = Omit<Options, "protocols"> & {
  readonly protocols?: Options["protocols"] | undefined
}

/**
 * Options of {@link layerHttp}: effect/ai's own (a session can always be ended by DELETE), and the limits of the
 * endpoint.
 *
 * - `protocols`: what to serve, {@link Protocols.all} unless given.
 * - `allowedHosts`: names this server answers to beside `localhost`, `127.0.0.1` and `[::1]`, with or without a port.
 *   A server behind a public name must list it. A request without a `Host` header passes.
 * - `allowedOrigins`: web pages that may call, beside pages of the server itself, such as `https://app.example`: they get
 *   the headers that a browser asks for, on this path, also with refusals. Their pre-flights are answered before
 *   authentication, where that is a middleware of routes, or the server is {@link serve}.
 * - `maxBodySize`: 4 MiB; a larger body is answered 413.
 * - `bodyTimeout`: 30 seconds for the body of one request to arrive; then 408.
 * - `sessionIdleTime`: 30 minutes; a session without a request or an open stream for that long is gone (404).
 * - `shutdownTimeout`: 10 seconds for calls in flight, their open questions included, when the layer closes.
 * - `keepAlive`: 15 seconds; a comment goes out that often on each open stream of 2025-11-25 and older.
 * - `maxDepth`: 200 levels of nesting in one message; `maxBatch`: 100 messages in one batch of 2025-03-26; `maxAnswers`:
 *   1,000 entries of `inputResponses` in one request. Beyond them a request is answered 400 before anything decodes it.
 * - `maxSessions`: 10,000 sessions; an `initialize` beyond them is answered 503.
 * - `maxStreams`: 8 streams of one session on which it hears of changes; then 429.
 * - `replica`: the name of this process among others that serve the same (letters, digits, `-` and `_`, at most 32): the
 *   ids of its sessions begin with it and a dot, so that a balancer can send a session to where it was opened.
 * - `maxListening`: 1,024 `subscriptions/listen` streams of 2026-07-28; one more is answered with an error.
 * - `maxQuestions`: 32 questions of one session open at once; one more is not put, and its call is told so.
 * - `maxUnread`: 16 MiB that one connection may leave unread of a call's stream; then it is closed, and its client can
 *   come back for the rest.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpOptions<Protocols extends ProtocolList, RA, RE, RR>
  extends Defaults<Omit<Parameters<typeof McpServer.layerHttp<Protocols, RA, RE, RR>>[0], "allowSessionTermination">>,
    InputOptions {
  readonly keepAlive?: Duration.Input | undefined
  readonly maxSessions?: number | undefined
  readonly maxStreams?: number | undefined
  readonly replica?: string | undefined
  readonly maxUnread?: ByteSize.Input | undefined
  readonly maxListening?: number | undefined
  readonly maxQuestions?: number | undefined
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  readonly maxBodySize?: ByteSize.Input | undefined
  readonly bodyTimeout?: Duration.Input | undefined
  readonly sessionIdleTime?: Duration.Input | undefined
  readonly shutdownTimeout?: Duration.Input | undefined
}

/**
 * Where {@link layerHttp} keeps what it has sent to the sessions of 2025-11-25 and older, for clients that lost their
 * connection: provide another to its layer with `Layer.succeed(EventStore, store)`. Without one it is in memory, and keeps
 * of each session 1,000 events, 4 MiB and 5 minutes, and 256 MiB in all.
 *
 * A call runs in one process, and so does its session: a store that outlives the process can show what was sent, and not
 * finish the call. Source: page "Transports" of the MCP specification, "Resumability and Redelivery".
 *
 * @category services
 * @since 0.2.0
 */
export const EventStore: Context.Reference<Events.EventStore | undefined> = Events.CurrentEventStore

/**
 * What {@link EventStore} holds. Ids are unique in a session, and those of one stream are appended in order. A store may
 * forget when it likes: a client that comes back too late is told so.
 *
 * @category models
 * @since 0.2.0
 */
export interface EventStore extends Events.EventStore {}

/** Keys may be given to the server or to its registrations: each of these says what it seals with. */
const sealObserver = () => {
  let own = false
  return {
    layer: Layer.succeed(CurrentSealObserver, (configured) => {
      own ||= !configured
    }),
    warn: (protocols: ProtocolList) =>
      Effect.suspend(() => (own && protocols.some(isStateless) ? Effect.logWarning(Text.ownKey) : Effect.void))
  }
}

const isStateless = (protocol: { readonly runtime: McpProtocol.RuntimeDescriptor }) =>
  protocol.runtime._tag === "Stateless"

const makeEndpoint = <P extends ProtocolList, RA, RE, RR>(
  options: HttpOptions<P, RA, RE, RR>,
  { scope, store }: Pick<Endpoint, "scope" | "store">
): Endpoint => ({
  hub: makeHub(options.maxListening ?? 1_024),
  scope,
  store,
  keepAlive: Duration.fromInputUnsafe(options.keepAlive ?? "15 seconds"),
  limits: {
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    maxBodySize:
      options.maxBodySize === undefined ? ByteSize.mebibytes(4) : ByteSize.fromInputUnsafe(options.maxBodySize),
    bodyTimeout: Duration.fromInputUnsafe(options.bodyTimeout ?? "30 seconds"),
    input: inputLimits(options),
    maxSessions: options.maxSessions ?? 10_000,
    maxStreams: options.maxStreams ?? 8,
    maxUnread: Number(
      options.maxUnread === undefined ? ByteSize.mebibytes(16) : ByteSize.fromInputUnsafe(options.maxUnread)
    )
  },
  sessionIdleTime: Duration.fromInputUnsafe(options.sessionIdleTime ?? "30 minutes"),
  terminate: () => Effect.void
})

/**
 * Layer that serves registrations at `options.path` of the surrounding `HttpRouter`, to be mounted, prefixed and put
 * behind middleware (authentication above all) like any route. It adds to effect/ai's `layerHttp`:
 *
 * - for 2025-11-25 and older, calls that outlive the connection that they came on: the connection is lost, the call goes
 *   on, and a client that asks with `Last-Event-ID` gets what it has missed (see {@link EventStore}). What cancels is
 *   `notifications/cancelled`, and the end of the session;
 * - for 2025-11-25 and older, the GET stream, on which a client hears of each change once, also between its calls;
 *   `resources/subscribe`; DELETE; the end of idle sessions; a session that is its principal's alone
 *   (`RequestState.Principal`): others are told that there is none (404);
 * - refusals of a foreign `Host` or `Origin` (403), of a large body (413) and of one that does not arrive (408), of what is
 *   nested too deep or holds too much (400); each says why;
 * - a shutdown that turns new requests away (503), lets in the answers to open questions, ends every stream with its
 *   result and sends the answers in flight;
 * - a warning at start when `RequestState` has no keys of yours.
 *
 * Bind the HTTP server to loopback unless something authenticates in front of it: this layer does not choose an
 * interface. An HTTP server waits for open connections before it closes this layer; {@link serve} tells it first.
 *
 * Errors: those of the registrations (`Resolve.InvalidSignature` among them) and effect/ai's `IllegalArgumentError`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttp = <
  const Protocols extends ProtocolList = typeof import("./Protocols.ts").all,
  RA = never,
  RE = never,
  RR = never
>(
  options: HttpOptions<Protocols, RA, RE, RR>
): ReturnType<typeof McpServer.layerHttp<Protocols, RA, RE, RR>> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { replica } = options
      if (replica !== undefined && !isName(replica)) return yield* Effect.die(new TypeError(Text.badReplica(replica)))
      const scope = yield* Effect.scope
      const endpoint = makeEndpoint(options, { scope, store: (yield* EventStore) ?? Events.makeMemoryStore() })
      const protocols: ProtocolList = options.protocols ?? Protocols.all
      const seals = sealObserver()
      const hasSessions = !protocols.every(isStateless)
      const server = McpServer.layerHttp({
        ...options,
        registrations: Layer.provide((options.registrations ?? Layer.empty) as Layer.Layer<RA, RE, RR>, seals.layer),
        allowSessionTermination: true,
        protocols: Array.map(protocols, attach(endpoint.hub, scope))
      }).pipe(
        Layer.provide(
          Layer.effect(
            HttpRouter.HttpRouter,
            Effect.gen(function* () {
              const router = yield* HttpRouter.HttpRouter
              yield* register(router, { path: options.path, origins: options.allowedOrigins ?? [] })
              return decorate(replica === undefined ? router : named(router, replica), endpoint, hasSessions)
            })
          )
        )
      )
      const care = Effect.andThen(
        Effect.forkScoped(sweep(endpoint)),
        onShutdown(drain(endpoint.hub, options.shutdownTimeout ?? "10 seconds"))
      ).pipe(Effect.andThen(seals.warn(protocols)))
      return Layer.effectDiscard(care).pipe(
        Layer.provideMerge(server),
        Layer.provide(Layer.succeed(CurrentMaxQuestions, options.maxQuestions ?? 32))
      )
    })
  ) as any // the type is effect/ai's own for the same options; Layer.provide cannot see through its generic requirements

/**
 * What a client is told about a server that wants a token: `resource` is the URL of the endpoint as clients know it,
 * `authorizationServers` are the issuers of its tokens, and `scopes` what a call needs.
 *
 * @category models
 * @since 0.2.0
 */
export interface ProtectedResource {
  readonly resource: string
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string> | undefined
}

/**
 * Layer, beside {@link layerHttp}, that says where tokens come from: the metadata of the protected resource at its
 * well-known path, and `WWW-Authenticate` with `resource_metadata` and the scopes on each 401 of the endpoint. Whether a
 * token is good remains for your own middleware to say; where the endpoint is served under a prefix, `resource` has it.
 *
 * Source: page "Authorization" of the MCP specification.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerProtectedResource = (resource: ProtectedResource) =>
  HttpRouter.use((router) => addResource(router, resource))

/**
 * The answer to a good token that lacks a scope: 403 with `insufficient_scope`, and the scopes that are needed.
 *
 * @category combinators
 * @since 0.2.0
 */
export const insufficientScope = (resource: ProtectedResource): HttpServerResponse.HttpServerResponse =>
  refuse(403, Text.insufficientScope, { "www-authenticate": challengeOf(resource, "insufficient_scope") })

/**
 * Options of {@link layerStdio}: effect/ai's own, with `protocols` {@link Protocols.all} unless given; how long calls in
 * flight may take after stdin has ended, and a client may take to read them (`shutdownTimeout`, 10 seconds); and what one
 * message may hold (`maxDepth`, `maxBatch`, `maxAnswers`), `maxListening` and `maxQuestions`, as in {@link HttpOptions}.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioOptions<Protocols extends ProtocolList, RA, RE, RR>
  extends Defaults<Parameters<typeof McpServer.layerStdio<Protocols, RA, RE, RR>>[0]>,
    InputOptions {
  readonly maxListening?: number | undefined
  readonly maxQuestions?: number | undefined
  readonly shutdownTimeout?: Duration.Input | undefined
}

/** Completed when the client of a stdio server is gone. {@link run} ends the process then. */
const CurrentGone = Context.Reference<Deferred.Deferred<Gone> | undefined>("effect-resolve/internal/Gone", {
  defaultValue: () => undefined
})

/**
 * Layer that serves registrations on standard input and output, to the one client that started the process. It adds to
 * effect/ai's `layerStdio`:
 *
 * - nothing is read before the registrations are built, and the log goes to stderr;
 * - a line that is no message is answered (-32700, -32600) and takes nothing beside it along;
 * - at the end of stdin, answers in flight are written, open questions end (their calls fail and release what they hold),
 *   subscriptions end with their result, and the server stops; it stops at once when nobody reads stdout any more.
 *
 * It brings Node's own standard streams; a `Stdio` that is provided to it is used in their place. Launch it with
 * {@link run}.
 *
 * Errors: those of the registrations (`Resolve.InvalidSignature` among them) and effect/ai's `IllegalArgumentError`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerStdio = <
  const Protocols extends ProtocolList = typeof import("./Protocols.ts").all,
  RA = never,
  RE = never,
  RR = never
>(
  options: StdioOptions<Protocols, RA, RE, RR>
): WithoutStdio<ReturnType<typeof McpServer.layerStdio<Protocols, RA, RE, RR>>> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const ready = yield* Deferred.make<void>()
      const shutdown = yield* Deferred.make<void>()
      const gone = (yield* CurrentGone) ?? (yield* Deferred.make<Gone>())
      const provided = yield* Effect.serviceOption(Stdio.Stdio)
      const real = Option.isSome(provided)
        ? provided.value
        : Context.get(yield* Layer.build(Layer.unwrap(nodeStdio())), Stdio.Stdio)
      const stdio = yield* decorateStdio(real, {
        ready,
        shutdown,
        gone,
        shutdownTimeout: options.shutdownTimeout ?? "10 seconds",
        input: inputLimits(options)
      })
      yield* Effect.forkScoped(Effect.map(Deferred.await(gone), noteGone))
      const protocols: ProtocolList = options.protocols ?? Protocols.all
      const built = Layer.effectDiscard(Deferred.succeed(ready, undefined))
      return McpServer.layerStdio({
        ...options,
        protocols: Array.map(protocols, withListening({ shutdown, max: options.maxListening ?? 1_024, open: 0 })),
        registrations: Layer.provideMerge(built, (options.registrations ?? Layer.empty) as Layer.Layer<RA, RE, RR>)
      }).pipe(
        Layer.provide(Layer.succeed(Stdio.Stdio, stdio)),
        Layer.provide(Layer.succeed(CurrentMaxQuestions, options.maxQuestions ?? 32))
      )
    })
  ).pipe(Layer.provide(Layer.succeed(Logger.LogToStderr, true))) as any // as in layerHttp

// Node's parts are loaded by whoever uses them, each by its own path: a fetch handler needs none of them, and their barrel
// doubles the time to the first answer over stdio
const nodeStdio = () =>
  Effect.map(
    Effect.promise(() => import("@effect/platform-node/NodeStdio")),
    (NodeStdio) => NodeStdio.layer
  )

type WithoutStdio<L> =
  L extends Layer.Layer<infer A, infer E, infer R> ? Layer.Layer<A, E, Exclude<R, Stdio.Stdio>> : never

/**
 * Options of {@link run}: how long releasing may take once the process is asked to end, or its client is gone
 * (`shutdownTimeout`, 12 seconds: more than the layers' own 10). What is not released by then is left behind.
 *
 * @category models
 * @since 0.2.0
 */
export interface RunOptions {
  readonly shutdownTimeout?: Duration.Input | undefined
}

/**
 * Runs a server as this Node process, and is the last line of its main module.
 *
 * The log goes to stderr. A server that cannot start (`Resolve.InvalidSignature`, a missing setting) says why on stderr,
 * writes nothing on stdout and exits with code 1. A stdio server exits with code 0 when its client is gone and every
 * answer is written, and with 1 when stdin or stdout failed or the client did not read. SIGINT, SIGTERM and SIGHUP close
 * the layer first, so that scopes are released, and exit with 130, 143 and 129; a second one exits at once.
 *
 * @category combinators
 * @since 0.1.0
 */
export const run = <A, E>(server: Layer.Layer<A, E>, options: RunOptions = {}): void => {
  const gone = Deferred.makeUnsafe<Gone>()
  const asked = Deferred.makeUnsafe<number>()
  untilEnd(Layer.launch(server), { asked, gone, limit: options.shutdownTimeout ?? "12 seconds" }).pipe(
    Effect.tapCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError(cause))),
    Effect.provideService(CurrentGone, gone),
    Effect.provideService(Logger.LogToStderr, true),
    runProcess(asked)({ disableErrorReporting: true, teardown })
  )
}

/**
 * For `NodeRuntime.runMain(effect, { teardown: ResolveServer.teardown })`, where {@link run} does not fit: the exit codes of
 * {@link run}, with 143 for whatever signal the server was ended by. `runMain` does not hear SIGHUP, and waits for what is
 * not released.
 *
 * @category combinators
 * @since 0.2.0
 */
export const teardown: Runtime.Teardown = ended

/**
 * Options of {@link serve}: `host` is `127.0.0.1` unless given, and `port` 0 is a free one. `shutdownTimeout` (10 seconds)
 * is how long answers of other routes may take when the server stops; endpoints of {@link layerHttp} have their own.
 * `drainDelay` (none) is the time between the moment when {@link layerReady} says no and that when new calls are turned away:
 * as long as whatever asks it needs to notice.
 *
 * @category models
 * @since 0.2.0
 */
export interface ServeOptions {
  readonly port: number
  readonly host?: string | undefined
  readonly shutdownTimeout?: Duration.Input | undefined
  readonly drainDelay?: Duration.Input | undefined
}

/**
 * Layer, beside endpoints under {@link serve}, with a route that says whether new calls are welcome: 200, and 503 from the
 * moment when the server is asked to end.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerReady = ({ path }: { readonly path: HttpRouter.PathInput }) =>
  HttpRouter.use((router) =>
    Effect.flatMap(CurrentReadiness, (readiness) =>
      router.add(
        "GET",
        path,
        Effect.sync(() => HttpServerResponse.empty({ status: readiness.ready ? 200 : 503 }))
      )
    )
  )

/**
 * Layer that serves the endpoints in `app` on Node's HTTP server and stops gracefully: every endpoint of
 * {@link layerHttp} in it is told before the server waits for open connections; when their answers are sent, or their time
 * is over, every connection is closed, idle ones and half a request included. A request that arrives before `app` is
 * built is held until it is, or answered 503 when it fails.
 *
 * Otherwise it is `HttpRouter.serve`, which may be used in its place: shutdown then takes as long as clients keep their
 * streams open, and a request that comes too early has no answer.
 *
 * @category layers
 * @since 0.1.0
 */
export const serve = <A, E, R>(
  app: Layer.Layer<A, E, R>,
  { host = "127.0.0.1", port, shutdownTimeout, drainDelay }: ServeOptions
) => {
  const connections = makeConnections()
  const pages: Array<Pages> = []
  // what is added first stands in front of everything in `app`
  const front = HttpRouter.use((router) => router.addGlobalMiddleware(letIn(pages)))
  return drainFirst(
    Layer.provide(app, Layer.merge(front, Layer.succeed(CurrentPages, pages))),
    (app) => HttpRouter.serve(app, { disableLogger: true }),
    drainDelay ?? 0,
    (since) => connections.close(since, shutdownTimeout ?? "10 seconds")
  ).pipe(Layer.provideMerge(Layer.unwrap(nodeHttp(port, host, connections))))
}

// loaded when it is used: a stdio server starts without an HTTP server
const nodeHttp = (port: number, host: string, connections: Connections) =>
  Effect.promise(() => Promise.all([import("@effect/platform-node/NodeHttpServer"), import("node:http")])).pipe(
    Effect.map(([NodeHttpServer, { createServer }]) => {
      const early = makeEarly()
      // what listens for requests after `hold` is taken for the program that serves them
      const server = () => early.hold(connections.track(createServer()))
      return Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(early.refuse))).pipe(
        Layer.provideMerge(NodeHttpServer.layer(server, { port, host }))
      )
    })
  )
