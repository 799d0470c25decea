/**
 * What the tests of the rules share. Everything here goes through the public API; types are erased where a test builds
 * its graph from data, because the types have fixtures of their own.
 */
import { assert } from "@effect/vitest"
import { Cause, Context, Effect, ErrorReporter, Layer, Logger, Schema } from "effect"
import { type McpServer, Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import { Answer, type Peer } from "effect-resolve/testing"

export type Registrations = Layer.Layer<never, Resolve.InvalidSignature, McpServer.McpServer>

export interface ToolOptions {
  readonly parameters?: any
  readonly dependencies?: ReadonlyArray<any> | (() => ReadonlyArray<any>)
  readonly failure?: any
  readonly success?: any
  readonly description?: string
}

/** One tool, answering with a string unless `success` says otherwise. */
export const tool = (
  name: string,
  options: ToolOptions,
  body: (args: any) => Effect.Effect<any, any, any>,
  services: Layer.Layer<never, any, any> = Layer.empty
): Registrations => {
  const made: any = Resolve.tool(name, { success: Schema.String, ...options } as any)
  const kit: any = Toolkit.make(made)
  return Resolve.toolkit(kit).pipe(Layer.provide([kit.toLayer({ [name]: body }), services])) as unknown as Registrations // erased: the graph is data here
}

export interface ResolverOptions {
  readonly parameters?: any
  readonly dependencies?: ReadonlyArray<any> | (() => ReadonlyArray<any>)
  readonly durable?: any
  readonly timeout?: any
}

/** A resolver in a list. `get` gives its value in a body that lists it. */
export interface Node {
  readonly key: string
  readonly result: any
  readonly get: Effect.Effect<any>
}

/** A resolver whose key is data. */
export const resolver = (
  key: string,
  options: ResolverOptions,
  resolve: (args: any) => Effect.Effect<any, any, any>
): Node => {
  const tag = Context.Service<any, any>(key)
  const made: any = Resolver.make(tag as any, { key, ...options, resolve } as any)
  return Object.assign(made, { get: Effect.map(tag, (value) => value) as Effect.Effect<any> })
}

/** A counter per name, and the order in which names were counted. */
export const counter = () => {
  const log: Array<string> = []
  return {
    log,
    count: (name: string) => log.filter((entry) => entry === name).length,
    hit: (name: string) => Effect.sync(() => void log.push(name))
  }
}

export const Yes = Schema.Struct({ ok: Schema.Boolean })
export const yes = Answer.accept({ ok: true })
export const no = Answer.accept({ ok: false })

export const asked = <A>(round: Peer.Round<A>): Peer.InputRequired<A> =>
  round._tag === "InputRequired" ? round : assert.fail(`expected a question, got ${JSON.stringify(round.value)}`)

export const completed = <A>(round: Peer.Round<A>): A =>
  round._tag === "Complete" ? round.value : assert.fail(`expected a result, got ${JSON.stringify(round.inputRequests)}`)

/** Everything that is logged and reported while `self` runs, as text. */
export const observed = <A, E, R>(
  self: (seen: { readonly logs: Array<string>; readonly reports: Array<string> }) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const seen = { logs: [] as string[], reports: [] as string[] }
    const logger = Logger.map(Logger.formatSimple, (line) => void seen.logs.push(line))
    const reporter = ErrorReporter.make(({ cause }) => void seen.reports.push(Cause.pretty(cause)))
    return Effect.provide(self(seen), Layer.mergeAll(Logger.layer([logger]), ErrorReporter.layer([reporter])))
  })
