/**
 * A server without a socket: the layer's own web handler, or its stdio codec over two queues.
 *
 * It is built in the test's context, so that the fibers of the server, too, live on the test's clock.
 */
import { type Cause, Context, Effect, Exit, Fiber, Layer, Queue, Scope, Sink, Stdio, Stream } from "effect"
import type { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { HttpEffect, HttpRouter, type HttpServerRequest } from "effect/http"
import {
  type AnnouncedQuestion,
  CurrentOverrideObserver,
  CurrentQuestionObserver
} from "../../internal/call/observer.ts"
import { PeerFailure } from "../PeerError.ts"
import * as Activity from "./activity.ts"
import * as Adapters from "./adapters.ts"
import * as Text from "./messages.ts"

/** Who hears the engine's announcements. */
export type Observer = (question: AnnouncedQuestion) => Effect.Effect<void>

export interface HttpServer {
  readonly transport: "http"
  readonly activity: Activity.Activity
  readonly url: string
  /** Runs the web handler in the context of the fiber that calls it. */
  readonly handle: (request: Request, observer: Observer | undefined) => Effect.Effect<Response>
  readonly fetch: (url: URL | string, init?: RequestInit) => Promise<Response>
}

export interface StdioServer {
  readonly transport: "stdio"
  readonly activity: Activity.Activity
  readonly write: (text: string) => Effect.Effect<void>
  readonly output: Queue.Dequeue<string, Cause.Done>
  readonly observe: (observer: Observer) => Effect.Effect<void>
}

export type Server = HttpServer | StdioServer

export interface Options<Protocols extends ReadonlyArray<McpProtocol.ProtocolAdapter>, RA, RE, RR> {
  readonly registrations: Layer.Layer<RA, RE, RR>
  readonly protocols?: Protocols | undefined
  readonly name?: string | undefined
  readonly version?: string | undefined
  readonly instructions?: string | undefined
  readonly extensions?: NonNullable<McpSchema.ServerCapabilities["extensions"]> | undefined
  readonly allowSubscriptions?: boolean | undefined
  /** Whose layers serve: `"effect-resolve"`, the default, or `"effect/ai"` for its own layers and adapters. */
  readonly serving?: Adapters.Serving | undefined
}

const path = "/mcp"
const url = `http://localhost${path}`

// A request must not see the test's own scope: its finalizers would wait for the end of the test.
const ambient = Effect.map(Effect.context<never>(), (context) =>
  Context.omit(Scope.Scope)(context as Context.Context<Scope.Scope>)
)

/** Gathers the overrides that are built with a server: one that no plan used by the end is the test's mistake. */
const watchOverrides: Effect.Effect<<R>(context: Context.Context<R>) => Context.Context<R>, never, Scope.Scope> =
  Effect.gen(function* () {
    const overrides: Array<Parameters<NonNullable<(typeof CurrentOverrideObserver)["Service"]>>[0]> = []
    yield* Effect.addFinalizer((exit) => {
      const idle = overrides.filter(({ used }) => !used).map(({ definition }) => `'${definition.key}'`)
      if (Exit.isFailure(exit) || idle.length === 0) return Effect.void
      const message = Text.idleOverrides(idle)
      return Effect.die(new PeerFailure({ message }))
    })
    return <R>(context: Context.Context<R>) =>
      Context.add(context, CurrentOverrideObserver, (override) => overrides.push(override)) as Context.Context<R>
  })

/** Serves a layer that adds its routes to the `HttpRouter`, as `McpServer.layerHttp` does. */
export const http = Effect.fnUntraced(function* <A, E, R>(
  layer: Layer.Layer<A, E, R | HttpRouter.HttpRouter>
): Effect.fn.Return<HttpServer, E, Exclude<R, HttpRouter.HttpRouter> | Scope.Scope> {
  const activity = Activity.make()
  const watched = yield* watchOverrides
  const built = yield* Layer.build(Layer.provideMerge(layer, HttpRouter.layer)).pipe(
    Effect.updateContext((context: Context.Context<Exclude<R, HttpRouter.HttpRouter> | Scope.Scope>) =>
      watched(Activity.watch(activity, context))
    )
  )
  const services: Context.Context<HttpRouter.HttpRouter> = built
  const handler = HttpEffect.toWebHandlerWith<HttpRouter.HttpRouter, HttpServerRequest.HttpServerRequest | Scope.Scope>(
    services
  )(Context.get(services, HttpRouter.HttpRouter).asHttpEffect())
  const contextFor = (observer: Observer | undefined) => (context: Context.Context<never>) =>
    Context.add(Activity.watch(activity, context), CurrentQuestionObserver, observer) as Context.Context<never>
  const outer = yield* ambient
  return {
    transport: "http",
    activity,
    url,
    handle: (request, observer) =>
      Effect.flatMap(ambient, (context) => Effect.promise(() => handler(request, contextFor(observer)(context)))),
    fetch: (target, init) => handler(new Request(target, init), contextFor(undefined)(outer))
  }
})

/** Serves a layer that speaks on `Stdio`, as `McpServer.layerStdio` does. */
export const stdio = Effect.fnUntraced(function* <A, E, R>(
  layer: Layer.Layer<A, E, R | Stdio.Stdio>
): Effect.fn.Return<StdioServer, E, Exclude<R, Stdio.Stdio> | Scope.Scope> {
  const activity = Activity.make()
  const watched = yield* watchOverrides
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const output = yield* Queue.unbounded<string, Cause.Done>()
  const decoder = new TextDecoder()
  let observer: Observer | undefined
  const io = Stdio.make({
    args: Effect.succeed([]),
    stdin: Stream.fromQueue(input),
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Queue.offer(output, typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))
      ),
    stderr: () => Sink.drain
  })
  const scope = yield* Scope.Scope
  // In a fiber of its own: effect/rpc interrupts the fiber that built its stdio protocol when standard output ends.
  const building = yield* Effect.forkIn(
    Layer.buildWithScope(Layer.provide(layer, Layer.succeed(Stdio.Stdio, io)), scope),
    scope
  ).pipe(
    Effect.updateContext((context: Context.Context<Exclude<R, Stdio.Stdio>>) =>
      Context.add(watched(Activity.watch(activity, context)), CurrentQuestionObserver, (question: AnnouncedQuestion) =>
        observer === undefined ? Effect.void : observer(question)
      )
    )
  )
  yield* Fiber.join(building)
  const encoder = new TextEncoder()
  return {
    transport: "stdio",
    activity,
    write: (text) => Effect.asVoid(Queue.offer(input, encoder.encode(text))),
    output,
    observe: (next) =>
      Effect.sync(() => {
        observer = next
      })
  }
})

/** What serving some registrations still needs. */
export type Requirements<Protocols extends ReadonlyArray<McpProtocol.ProtocolAdapter>, RR> =
  | Exclude<McpServer.McpRequest.Without<RR>, McpServer.McpServer>
  | McpServer.McpRequest.From<
      "Requires",
      Exclude<McpServer.McpRequest.Only<"Requires", RR>, McpServer.ProvidedServices<Protocols, true>>
    >

type Settings = Options<any, any, any, any>

const settings = (options: Settings) => ({
  name: options.name ?? "TestServer",
  version: options.version ?? "1.0.0",
  instructions: options.instructions,
  extensions: options.extensions,
  protocols: options.protocols ?? Adapters.protocols(options.serving ?? "effect-resolve"),
  registrations: options.registrations
})

/** Serves registrations over HTTP. */
export const registrationsHttp = (options: Settings) =>
  http(
    Adapters.layerHttp(options.serving ?? "effect-resolve", {
      ...settings(options),
      path,
      allowSubscriptions: options.allowSubscriptions
    })
  )

/** Serves registrations on `Stdio`. */
export const registrationsStdio = (options: Settings) =>
  stdio(Adapters.layerStdio(options.serving ?? "effect-resolve", settings(options)))
