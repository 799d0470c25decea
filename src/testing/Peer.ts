/**
 * A client for tests that can be asked: it speaks JSON-RPC bytes to a server's own web handler or stdio codec, answers
 * questions by a script, and keeps a transcript.
 *
 * No socket is opened and nothing of the server is reached except over the wire. Server and peer live on the test's
 * clock: a call that sleeps waits for the clock, so fork it, `settle`, and only then `TestClock.adjust`. The server's log
 * is the test's: provide a logger to read what a client is not told.
 *
 * @since 0.1.0
 */
import { type Cause, Effect, type Layer, Scope, type Stdio } from "effect"
import type { McpProtocol } from "effect/ai"
import type { HttpRouter } from "effect/http"
import type { Script } from "./Answer.ts"
import { settle } from "./internal/activity.ts"
import type * as Adapters from "./internal/adapters.ts"
import * as Calls from "./internal/calls.ts"
import type { Profile, ProtocolVersion } from "./internal/envelope.ts"
import * as Lifecycle from "./internal/lifecycle.ts"
import type { Notification } from "./internal/mailbox.ts"
import * as Questions from "./internal/questions.ts"
import * as Rounds from "./internal/rounds.ts"
import { type AskedQuestion, player } from "./internal/script.ts"
import * as Servers from "./internal/server.ts"
import * as Session from "./internal/session.ts"
import * as Subscriptions from "./internal/subscriptions.ts"
import * as Transport from "./internal/transport.ts"
import * as Trouble from "./internal/trouble.ts"
import type { JsonRpcError } from "./PeerError.ts"
import * as Transcript from "./Transcript.ts"

export type { CallOptions, PromptResult, ResourceResult, ToolResult } from "./internal/calls.ts"
export type { ProtocolVersion } from "./internal/envelope.ts"
export type { Notification } from "./internal/mailbox.ts"
export type { Complete, InputRequired, Retry, Round } from "./internal/rounds.ts"
export type { AskedQuestion } from "./internal/script.ts"
export type { RequestOptions } from "./internal/session.ts"
export type { Filter, Subscription } from "./internal/subscriptions.ts"
export { JsonRpcError, PeerFailure } from "./PeerError.ts"

/**
 * What a client is able to do, as it says so on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Capabilities = { readonly [capability: string]: any }

/**
 * Gives every capability that questions can need, as far as a protocol version knows them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const allCapabilities = (protocol: ProtocolVersion): Capabilities => {
  const roots = { listChanged: true }
  switch (protocol) {
    case "2026-07-28":
      return { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} }
    case "2025-11-25":
      return { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots }
    case "2025-06-18":
      return { elicitation: {}, sampling: {}, roots }
    default:
      return { sampling: {}, roots }
  }
}

/**
 * Who a peer is and what it says.
 *
 * **Details**
 *
 * - `protocol`: the version it speaks, `"2026-07-28"` by default.
 * - `capabilities`: {@link allCapabilities} by default. A question beyond them fails the test.
 * - `answers`: the script. An answer never used fails the test when its scope closes; so does a question without one.
 * - `headers`: added to every HTTP request; undefined leaves one out.
 * - `maxRounds`: how often one call may be asked for input on 2026-07-28; 10, as in the official clients.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions {
  readonly protocol?: ProtocolVersion | undefined
  readonly capabilities?: Capabilities | undefined
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
  readonly answers?: Script | undefined
  readonly maxRounds?: number | undefined
}

/**
 * What is served: registrations as `layerHttp` and `layerStdio` take them, and the server's own options.
 *
 * **Details**
 *
 * `protocols` are all versions by default, as a server in use would have it. `serving: "effect/ai"` uses effect/ai's own
 * layers instead of `ResolveServer`'s.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions<
  Protocols extends ReadonlyArray<McpProtocol.ProtocolAdapter> = Adapters.Protocols,
  RA = any,
  RE = any,
  RR = any
> extends Servers.Options<Protocols, RA, RE, RR> {}

/**
 * A server without a socket. Over HTTP `fetch` reaches it, for any client that takes a `fetch` of yours.
 *
 * @category models
 * @since 0.1.0
 */
export type Server = Servers.Server

/**
 * A connected client.
 *
 * **Details**
 *
 * Calls answer the questions in between by the script. Interrupting a call cancels it on the wire, as its protocol
 * version and transport demand. `transcript`, `questions` and `notifications` hold what there is at the moment they are
 * read; `nextNotification` takes the oldest one that no one took yet, and waits for it.
 *
 * - `callToolOnce`, `once` and `retry` are one round each, to do by hand what a client may do wrong on 2026-07-28.
 * - `request`, `http` and `write` send what you give them: parameters, an HTTP exchange, text on stdin.
 * - `discover` is what the server says of itself: the answer to `initialize`, or to `server/discover` on 2026-07-28.
 * - `settle` waits until the server is at rest: done, or waiting for the clock or for an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Peer extends Calls.Calls {
  readonly protocol: ProtocolVersion
  readonly sessionId: string | undefined
  readonly discover: Effect.Effect<any, JsonRpcError>
  readonly notify: (method: string, params?: unknown, options?: Session.RequestOptions) => Effect.Effect<void>
  readonly subscribe: (
    filter: Subscriptions.Filter
  ) => Effect.Effect<Subscriptions.Subscription, JsonRpcError, Scope.Scope>
  readonly notifications: ReadonlyArray<Notification>
  readonly nextNotification: (method?: string) => Effect.Effect<Notification>
  readonly questions: ReadonlyArray<AskedQuestion>
  readonly transcript: ReadonlyArray<Transcript.Frame>
  readonly render: () => string
  readonly settle: Effect.Effect<void>
  readonly http: (init: {
    readonly method?: string
    readonly body?: string
    readonly headers?: { readonly [name: string]: string | undefined }
  }) => Effect.Effect<{
    readonly status: number | undefined
    readonly headers: { readonly [name: string]: string }
    readonly body: string
    readonly messages: ReadonlyArray<Transcript.Message>
  }>
  readonly write: (text: string) => Effect.Effect<void>
}

/**
 * Serves a layer that speaks HTTP, such as `McpServer.layerHttp` or `ResolveServer.layerHttp` with the path `/mcp`.
 *
 * **Details**
 *
 * The layer is built here, in the test's context; what it fails with fails this Effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveHttp: <A, E, R>(
  layer: Layer.Layer<A, E, R | HttpRouter.HttpRouter>
) => Effect.Effect<Servers.HttpServer, E, Exclude<R, HttpRouter.HttpRouter> | Scope.Scope> = Servers.http

/**
 * Serves a layer that speaks on `Stdio`, such as `McpServer.layerStdio` or `ResolveServer.layerStdio`. It takes one peer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveStdio: <A, E, R>(
  layer: Layer.Layer<A, E, R | Stdio.Stdio>
) => Effect.Effect<Servers.StdioServer, E, Exclude<R, Stdio.Stdio> | Scope.Scope> = Servers.stdio

/**
 * Serves registrations over HTTP, for several peers or for other clients; `make` does this and `connect` in one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve: <
  RA,
  RE,
  RR,
  const Protocols extends ReadonlyArray<McpProtocol.ProtocolAdapter> = Adapters.Protocols
>(
  options: ServerOptions<Protocols, RA, RE, RR>
) => Effect.Effect<
  Servers.HttpServer,
  Cause.IllegalArgumentError | RE,
  Servers.Requirements<Protocols, RR> | Scope.Scope
> = Servers.registrationsHttp

/**
 * Connects a client to a server: `initialize` and all that follows on 2025-11-25 and older, nothing on 2026-07-28.
 *
 * **Details**
 *
 * The peer lives in the surrounding scope. When that closes after a success, what is left of the script is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect: (server: Server, options?: ClientOptions) => Effect.Effect<Peer, never, Scope.Scope> =
  Effect.fnUntraced(function* (server: Server, options: ClientOptions = {}) {
    const protocol = options.protocol ?? "2026-07-28"
    const profile: Profile = {
      protocol,
      stateless: protocol === "2026-07-28",
      capabilities: options.capabilities ?? allCapabilities(protocol),
      clientInfo: options.clientInfo ?? { name: "effect-resolve/testing", version: "1.0.0" }
    }
    const outer = yield* Scope.Scope
    const script = player(options.answers)
    const { activity } = server
    const trouble = Trouble.make()
    const questions = Questions.make(profile, script, activity, trouble)
    const scope = yield* Scope.fork(outer)
    const session = Session.make({ profile, questions, activity, trouble, scope, headers: options.headers })
    const rounds = Rounds.make(session, questions, options.maxRounds ?? 10)
    if (server.transport === "http") {
      session.connect(Transport.http(server, questions.announce))
    } else {
      const { reading, transport } = yield* Transport.stdio(server, session.receive, scope)
      session.connect(transport)
      yield* server.observe(questions.announce)
      yield* Effect.forkIn(Effect.catchDefect(reading, trouble.died), scope)
    }
    yield* Scope.addFinalizerExit(outer, (exit) => Lifecycle.reckon(exit, session, script))
    const discover = yield* Lifecycle.handshake(session, rounds)
    if (server.transport === "http" && !profile.stateless) yield* Lifecycle.openStream(session, scope)
    return peer(session, rounds, questions, server, discover)
  })

const peer = (
  session: Session.Session,
  rounds: Rounds.Rounds,
  questions: Questions.Questions,
  server: Server,
  discover: Peer["discover"]
): Peer => ({
  ...Calls.make(session, rounds),
  protocol: session.profile.protocol,
  discover,
  notify: (method, params, options) => Effect.asVoid(session.notify(method, params, options)),
  subscribe: Subscriptions.make(session, rounds),
  nextNotification: (method) => session.mailbox.take((one) => method === undefined || one.method === method),
  render: () => Transcript.render(session.frames),
  settle: settle(server.activity),
  http: Effect.fnUntraced(function* (init) {
    const messages: Array<Transcript.Message> = []
    const reply = yield* session.fetch(init, (message) => Effect.sync(() => void messages.push(message)))
    return { ...reply, messages }
  }),
  write: session.write,
  get sessionId() {
    return session.line.sessionId()
  },
  get notifications() {
    return [...session.mailbox.all]
  },
  get questions() {
    return [...questions.asked]
  },
  get transcript() {
    return [...session.frames]
  }
})

/**
 * Serves registrations, over HTTP unless `transport` says stdio, and connects a client to them.
 *
 * **Example** (Testing a tool that asks)
 *
 * ```ts
 * import { assert, it } from "@effect/vitest"
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Elicitation, Resolve, Resolver } from "effect-resolve"
 * import { Answer, Peer } from "effect-resolve/testing"
 *
 * class Consent extends Resolver.Service<Consent>()("bookshop/Consent", {
 *   resolve: () => Elicitation.confirm("It takes 2-3 weeks. Order anyway?")
 * }) {}
 * const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String, dependencies: [Consent] }))
 * const ShopLive = Shop.toLayer({ order_book: () => Effect.as(Consent, "Ordered.") })
 * const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
 *
 * it.effect("orders nothing when the user declines", () =>
 *   Effect.gen(function* () {
 *     const peer = yield* Peer.make({ registrations, answers: { "bookshop/Consent": Answer.decline } })
 *     const result = yield* peer.callTool("order_book", {})
 *     assert.isTrue(result.isError)
 *   })
 * )
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: <
  RA,
  RE,
  RR,
  const Protocols extends ReadonlyArray<McpProtocol.ProtocolAdapter> = Adapters.Protocols
>(
  options: ServerOptions<Protocols, RA, RE, RR> & ClientOptions & { readonly transport?: "http" | "stdio" | undefined }
) => Effect.Effect<Peer, Cause.IllegalArgumentError | RE, Servers.Requirements<Protocols, RR> | Scope.Scope> =
  Effect.fnUntraced(function* (
    options: ServerOptions<any, any, any, any> & ClientOptions & { readonly transport?: "http" | "stdio" | undefined }
  ) {
    const server: Server =
      options.transport === "stdio"
        ? yield* Servers.registrationsStdio(options)
        : yield* Servers.registrationsHttp(options)
    return yield* connect(server, options)
  })
