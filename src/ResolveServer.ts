/**
 * Serves registrations to MCP clients that you did not write: over stdio and over HTTP, every protocol revision at once
 * (DESIGN.md 7).
 *
 * Both layers take what effect/ai's own `McpServer.layerStdio` and `layerHttp` take, and are built on them. What they
 * add keeps a server alive and polite on a real wire: see each. Everything else of this library works under effect/ai's
 * own layers as well.
 *
 * @since 0.1.0
 */
import { Array, ByteSize, Duration, Effect, Layer } from "effect"
import { type McpProtocol, McpServer } from "effect/ai"
import { HttpRouter } from "effect/http"
import { onShutdown } from "./internal/serve/drains.ts"
import { decorate, type Endpoint, sweep } from "./internal/serve/endpoint.ts"
import { drain, makeHub } from "./internal/serve/hub.ts"
import { attach } from "./internal/serve/sessions.ts"
import * as Protocols from "./Protocols.ts"
import { RequestState } from "./RequestState.ts"

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
 * - `allowedOrigins`: web pages that may call, beside pages of the server itself, such as `https://app.example`.
 * - `maxBodySize`: 4 MiB; a larger body is answered 413.
 * - `bodyTimeout`: 30 seconds for the body of one request to arrive; then 408.
 * - `sessionIdleTime`: 30 minutes; a session without a request or an open stream for that long is gone (404).
 * - `shutdownTimeout`: 10 seconds for answers in flight when the layer closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpOptions<Protocols extends ProtocolList, RA, RE, RR>
  extends Defaults<Omit<Parameters<typeof McpServer.layerHttp<Protocols, RA, RE, RR>>[0], "allowSessionTermination">> {
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  readonly maxBodySize?: ByteSize.Input | undefined
  readonly bodyTimeout?: Duration.Input | undefined
  readonly sessionIdleTime?: Duration.Input | undefined
  readonly shutdownTimeout?: Duration.Input | undefined
}

const ownKey =
  "requestState is sealed with a key of this process alone: a call that asks cannot be finished by another process or after a restart. Provide RequestState.layerConfig to the server to share keys; right as it is for one process."

const warnOwnKey = Effect.fnUntraced(function* (protocols: ProtocolList) {
  const { configured } = yield* RequestState
  if (!configured && protocols.some(isStateless)) yield* Effect.logWarning(ownKey)
})

const isStateless = (protocol: { readonly runtime: McpProtocol.RuntimeDescriptor }) =>
  protocol.runtime._tag === "Stateless"

const makeEndpoint = <P extends ProtocolList, RA, RE, RR>(options: HttpOptions<P, RA, RE, RR>): Endpoint => ({
  hub: makeHub(),
  limits: {
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    maxBodySize:
      options.maxBodySize === undefined ? ByteSize.mebibytes(4) : ByteSize.fromInputUnsafe(options.maxBodySize),
    bodyTimeout: Duration.fromInputUnsafe(options.bodyTimeout ?? "30 seconds")
  },
  sessionIdleTime: Duration.fromInputUnsafe(options.sessionIdleTime ?? "30 minutes"),
  terminate: () => Effect.void
})

/**
 * Layer that serves registrations at `options.path` of the surrounding `HttpRouter`, to be mounted, prefixed and put
 * behind middleware (authentication above all) like any route. It adds to effect/ai's `layerHttp`:
 *
 * - for 2025-11-25 and older, the GET stream, on which a client hears of each change once, also between its calls;
 *   `resources/subscribe`; DELETE; the end of idle sessions;
 * - refusals of a foreign `Host` or `Origin` (403), of a large body (413) and of one that does not arrive (408);
 * - a shutdown that turns new requests away (503), ends every stream with its result and sends the answers in flight;
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
      const endpoint = makeEndpoint(options)
      const scope = yield* Effect.scope
      const protocols: ProtocolList = options.protocols ?? Protocols.all
      yield* warnOwnKey(protocols)
      const hasSessions = !protocols.every(isStateless)
      const server = McpServer.layerHttp({
        ...options,
        allowSessionTermination: true,
        protocols: Array.map(protocols, attach(endpoint.hub, scope))
      }).pipe(
        Layer.provide(
          Layer.effect(
            HttpRouter.HttpRouter,
            Effect.map(HttpRouter.HttpRouter, (router) => decorate(router, endpoint, hasSessions))
          )
        )
      )
      const care = Effect.andThen(
        Effect.forkScoped(sweep(endpoint)),
        onShutdown(Effect.timeoutOption(drain(endpoint.hub), options.shutdownTimeout ?? "10 seconds"))
      )
      return Layer.effectDiscard(care).pipe(Layer.provideMerge(server))
    })
  ) as any // the type is effect/ai's own for the same options; Layer.provide cannot see through its generic requirements
