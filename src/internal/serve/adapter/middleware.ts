/**
 * What runs around every request of an adapter: an `effect/rpc` middleware on its public group.
 *
 * It gives the request its id, names what is unknown in the protocol's own words, refuses a bad state although nothing
 * of that name exists, and sends the questions of a `resources/read` in place of its failure.
 */
import { Context, Deferred, Effect, Option, Predicate, Schema } from "effect"
import type * as McpSchema from "effect/ai/McpSchema"
import * as RpcMiddleware from "effect/rpc/RpcMiddleware"
import * as Text from "../../base/sentences.ts"
import { CurrentReadCarrier, CurrentRequestId, type ReadCarrier } from "../../base/wire.ts"
import * as BadState from "../../mcp/badState.ts"
import { RequestState } from "../../state/requestState.ts"
import { notAState } from "./payload.ts"
import { CurrentServerInfo } from "./seam.ts"

/** The `subscriptions/listen` streams of one server. */
export interface Listening {
  /** Ends them with their result: the server is about to go. */
  readonly shutdown: Deferred.Deferred<void>
  readonly max: number
  open: number
}

export const CurrentListening = Context.Reference<Listening | undefined>("effect-resolve/internal/Listening", {
  defaultValue: () => undefined
})

/** What happens before a call's handler runs: its stream begins. */
export const CurrentBegin = Context.Reference<Effect.Effect<unknown> | undefined>("effect-resolve/internal/Begin", {
  defaultValue: () => undefined
})

const JsonRpcError = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
})

type Around = RpcMiddleware.RpcMiddleware<never, typeof JsonRpcError.Type, never>
type Options = Parameters<Around>[1]
type Handled = ReturnType<Around>

const metaServerInfo = Effect.map(CurrentServerInfo, (serverInfo) =>
  serverInfo === undefined ? {} : { "io.modelcontextprotocol/serverInfo": serverInfo }
)

// effect/rpc hides what a handler returns from its middleware; these two results no handler of effect/ai can return
const reply = (result: object) => result as unknown as RpcMiddleware.SuccessValue // the group's success schema checks it

const methods = ["tools/call", "prompts/get", "resources/read"] as const
type Method = (typeof methods)[number]

interface Named {
  readonly method: Method
  readonly target: string
  readonly arguments: unknown
  readonly requestState: unknown
}

const named = ({ payload, rpc }: Options): Named | undefined => {
  const method = methods.find((method) => rpc._tag.endsWith(`/${method}`))
  if (method === undefined || !Predicate.isReadonlyObject(payload)) return undefined
  const target = method === "resources/read" ? payload.uri : payload.name
  return typeof target === "string"
    ? { method, target, arguments: payload.arguments, requestState: payload.requestState }
    : undefined
}

const theirs = { "tools/call": "Tool", "prompts/get": "Prompt", "resources/read": "Resource" } as const
const ours = {
  "tools/call": Text.unknownTool,
  "prompts/get": Text.unknownPrompt,
  "resources/read": Text.unknownResource
}

/** effect/ai has one text for each kind of name that it does not know; nothing else tells these errors apart. */
const isUnknown = (error: unknown, { method, target }: Named): error is { readonly code: number } =>
  Predicate.hasProperty(error, "message") &&
  error.message === `${theirs[method]} '${target}' not found` &&
  Predicate.hasProperty(error, "code") &&
  typeof error.code === "number"

const unknownName = ({ method, target }: Named, code: number) =>
  Effect.fail({
    code,
    message: ours[method](target),
    ...(method === "resources/read" ? { data: { uri: target } } : {})
  })

const badState = ({ method }: Named, reason: string, cause?: unknown) =>
  Effect.mapError(BadState.refuse(method, reason, cause), ({ code, data, message }) => ({ code, data, message }))

/** I8: a state is looked at before anything is said about a name, so that a bad one gets the same answer everywhere. */
const openThen = Effect.fnUntraced(function* (call: Named, code: number) {
  if (call.requestState !== undefined) {
    const seal = yield* RequestState
    yield* Effect.catch(seal.open(call, call.requestState), ({ cause, reason }) => badState(call, reason, cause))
  }
  return yield* unknownName(call, code)
})

/** What the client cannot be asked, the engine has refused by then. */
const askInstead = ({ inputRequests, requestState }: McpSchema.InputRequired): Handled =>
  Effect.map(metaServerInfo, (meta) =>
    reply({ _meta: meta, resultType: "input_required", inputRequests, requestState })
  )

const read = (effect: Parameters<Around>[0]): Handled =>
  Effect.suspend(() => {
    const carrier: ReadCarrier = { inputRequired: undefined }
    return Effect.catch(
      Effect.provideService(effect, CurrentReadCarrier, carrier),
      (error): Handled => (carrier.inputRequired === undefined ? Effect.fail(error) : askInstead(carrier.inputRequired))
    )
  })

const tooMany = -32_000

/** A listen stream that the server ends has a result. */
const listen = (effect: Parameters<Around>[0], { requestId }: Options): Handled =>
  Effect.flatMap(CurrentListening, (listening): Handled => {
    if (listening === undefined) return effect
    if (listening.open >= listening.max) {
      return Effect.fail({ code: tooMany, message: Text.tooManyListening(listening.max) })
    }
    const result = Effect.map(metaServerInfo, (meta) =>
      reply({
        _meta: { "io.modelcontextprotocol/subscriptionId": requestId, ...meta },
        resultType: "complete"
      })
    )
    return Effect.acquireUseRelease(
      Effect.sync(() => listening.open++),
      () => Effect.raceFirst(effect, Effect.andThen(Deferred.await(listening.shutdown), result)),
      () => Effect.sync(() => listening.open--)
    )
  })

const around =
  (rounds: boolean): Around =>
  (effect, options) => {
    const call = named(options)
    let handled: Handled = effect
    if (call?.requestState === notAState) handled = badState(call, Text.stateNotText)
    else if (call !== undefined) {
      const run = rounds && call.method === "resources/read" ? read(effect) : effect
      handled = Effect.catch(
        run,
        (error): Handled => (isUnknown(error, call) ? openThen(call, error.code) : Effect.fail(error))
      )
    } else if (options.rpc._tag.endsWith("/subscriptions/listen")) handled = listen(effect, options)
    const begun = Effect.flatMap(CurrentBegin, (begin) =>
      begin === undefined ? handled : Effect.andThen(begin, handled)
    )
    return Effect.provideService(begun, CurrentRequestId, Option.some<string | number>(options.requestId))
  }

/**
 * The middleware as a `Context.Reference`: its default is the middleware, so that no server that is given our adapters
 * has anything to provide. `rounds`: a call of this protocol may take several.
 */
const reference = (key: string, rounds: boolean): RpcMiddleware.AnyService =>
  Object.assign(Context.Reference<Around>(`effect-resolve/Protocols/${key}`, { defaultValue: () => around(rounds) }), {
    [RpcMiddleware.TypeId]: RpcMiddleware.TypeId,
    error: JsonRpcError,
    requiredForClient: false,
    "~ClientError": undefined
  })

export const Stateless = reference("Stateless", true)
export const Stateful = reference("Stateful", false)
