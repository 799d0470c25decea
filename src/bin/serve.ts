/** A module's registrations on a server without a socket, and clients of it that speak a real protocol. */
import { randomBytes } from "node:crypto"
import { Cause, Effect, Exit, Logger, Scope } from "effect"
import { type AnnouncedPlan, CurrentPlanObserver } from "../internal/graph/observer.ts"
import * as RequestState from "../RequestState.ts"
import * as Peer from "../testing/Peer.ts"
import { PeerFailure } from "../testing/PeerError.ts"
import type { Loaded } from "./load.ts"
import * as Text from "./sentences.ts"
import { styleOf } from "./style.ts"
import { Trouble } from "./trouble.ts"

export interface Served {
  readonly connect: (options: Peer.ClientOptions) => Effect.Effect<Peer.Peer, never, Scope.Scope>
  /** What was registered through `Resolve`, in order. */
  readonly plans: ReadonlyArray<AnnouncedPlan>
}

const handlers = "effect/ai/Tool/"

const messageOf = (error: object): string => {
  const { message, name } = error as { readonly message?: unknown; readonly name?: unknown }
  return typeof message === "string" ? `${String(name ?? "Error")}: ${message}` : JSON.stringify(error)
}

/** What a failure or a defect says to whoever wrote the module. */
const ofError = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  if ("_tag" in error && error._tag === "ConfigError") {
    return Text.badSetting(
      messageOf(error)
        .replace(/^ConfigError: (SchemaError\()?/, "")
        .replace(/\s+/g, " ")
    )
  }
  if (!(error instanceof Error)) return messageOf(error)
  const [, service] = /^Service not found: (.+)$/.exec(error.message) ?? []
  if (service?.startsWith(handlers)) return Text.noHandler(service.slice(handlers.length))
  if (service !== undefined) return Text.noService(service)
  if (error.message.endsWith("already declared for route '/mcp'")) return Text.anEndpoint
  if (error instanceof PeerFailure && /^HTTP 40[13] /.test(error.message)) return Text.notLetIn(error.message)
  const ours = error instanceof PeerFailure || ("_tag" in error && error._tag === "InvalidSignature")
  return ours ? error.message : messageOf(error)
}

/** Every sentence that the end of a layer or of a call is worth, each once. */
export const ofCause = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const lines = cause.reasons.flatMap((reason) => {
    if (reason._tag === "Fail") return [ofError(reason.error)]
    return reason._tag === "Die" ? [ofError(reason.defect)] : []
  })
  return [...new Set(lines)]
}

/** What the server logs, on standard error: what was asked for stays by itself on standard output. */
const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
  const { dim, red, yellow } = styleOf(fiber.context)
  const level = logLevel === "Error" || logLevel === "Fatal" ? red("error") : yellow(logLevel.toLowerCase())
  const said = [message].flat().map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
  const stack = cause.reasons.length === 0 ? "" : Cause.pretty(cause).split("\n").slice(1).join("\n")
  return [`${level}  ${[...said, ...ofCause(cause)].join(" ")}`, ...(stack === "" ? [] : [dim(stack)])].join("\n")
})

export const log = Logger.layer([Logger.withConsoleError(logger)])

/**
 * The scope of a command. It closes as one that failed, since a peer that ends well holds its test to account: for
 * answers that nobody wanted, for overrides that no call used.
 */
export const scoped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Effect.provideService(effect, Scope.Scope, scope),
    (scope) => Scope.close(scope, Exit.interrupt())
  )

/** Serves registrations, or the endpoint that has them, at `/mcp`; every fault of theirs ends as `Trouble`. */
export const serve = Effect.fnUntraced(function* (
  module: Loaded,
  endpoint: boolean
): Effect.fn.Return<Served, Trouble, Scope.Scope> {
  const plans: Array<AnnouncedPlan> = []
  const unhandled = () => plans.filter(({ handled }) => !handled).map(({ plan }) => Text.noHandler(plan.owner.name))
  const trouble = (lines: ReadonlyArray<string>) =>
    new Trouble({ lines: lines.map((line) => Text.notRegistered(module.name, line)), code: 1 })
  const { registrations } = module
  const serving = endpoint ? Peer.serveHttp(registrations) : Peer.serve({ registrations, name: "effect-resolve" })
  const server = yield* serving.pipe(
    Effect.provideService(CurrentPlanObserver, (plan) => plans.push(plan)),
    Effect.provide(RequestState.layer({ keys: [randomBytes(32)], audience: "effect-resolve" })),
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const missing = unhandled()
      return Effect.fail(trouble(missing.length > 0 ? missing : ofCause(cause)))
    })
  )
  const missing = unhandled()
  if (missing.length > 0) return yield* trouble(missing)
  return { plans, connect: (options) => Peer.connect(server, options) }
})
