/** Prompts, resources and resource templates with resolvers: same plans, same rounds, same errors (DESIGN.md 9). */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import { RequestState } from "../../RequestState.ts"
import { attempt } from "../base/attempt.ts"
import * as Text from "../base/sentences.ts"
import { CurrentReadCarrier, CurrentSealObserver } from "../base/wire.ts"
import * as Engine from "../call/engine.ts"
import { CurrentPlanObserver } from "../graph/observer.ts"
import * as Plan from "../graph/plan.ts"
import * as Codec from "./codec.ts"
import * as Live from "./live.ts"
import * as Refusal from "./refusal.ts"
import * as Round from "./round.ts"
import { inRound } from "./surface.ts"
import * as Tools from "./tools.ts"

type Server = McpServer.McpServer["Service"]
type AddPrompt = Parameters<Server["addPrompt"]>[0]
type AddResource = Parameters<Server["addResource"]>[0]
type AddTemplate = Parameters<Server["addResourceTemplate"]>[0]
type Content = (...args: ReadonlyArray<any>) => Effect.Effect<unknown, unknown, any>

const isProtocolError = (error: unknown): error is McpSchema.McpErrorBase =>
  error instanceof McpSchema.InvalidParams ||
  error instanceof McpSchema.InvalidRequest ||
  error instanceof McpSchema.InternalError ||
  error instanceof McpSchema.MethodNotFound ||
  error instanceof McpSchema.McpErrorBase

/** They have no failure schema: an error of the protocol passes as it is, all else is logged and scrubbed (I14). */
const failed = (exit: Exit.Failure<unknown, unknown>, round: Round.Round): Effect.Effect<never, unknown> => {
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "Some" && isProtocolError(error.value)) {
    const { code, message, data } = error.value
    round.ending = { _tag: "Refused", refusal: new Refusal.Refusal({ code, message, data }) }
    return Effect.interrupt
  }
  round.ending = { _tag: "Refused", refusal: Refusal.internal }
  return Effect.andThen(Engine.report(exit.cause), Effect.interrupt)
}

interface Prepared {
  readonly server: Server
  readonly services: Context.Context<never>
  readonly planned: Tools.Listed
  readonly codec: Codec.ArgumentsCodec
  readonly live: Live.Live
  readonly around: (
    args: { readonly [name: string]: unknown },
    content: Effect.Effect<unknown, unknown, any>
  ) => Effect.Effect<unknown, unknown>
}

/** Plans a list, and gives what the handler and the registration of its owner need. */
const prepare = Effect.fnUntraced(function* (
  kind: "Prompt" | "Resource",
  name: string,
  parameters: Schema.Struct.Fields,
  dependencies: unknown
) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  Context.get(context, CurrentSealObserver)?.(Context.get(context, RequestState).configured)
  const planned = yield* Effect.fromResult(Tools.plan({ kind, name, arguments: parameters }, Tools.thunk(dependencies)))
  Context.get(context, CurrentPlanObserver)?.({ ...planned, handled: true })
  const overrides = Plan.overridesOf(planned.plan, context)
  const live = Live.make(server, kind === "Prompt" ? "prompts" : "resources")
  yield* Effect.addFinalizer(() => live.retire)
  const prepared: Prepared = {
    server,
    services: Context.merge(context, yield* Refusal.services),
    planned,
    codec: Codec.textCodec(parameters),
    live,
    around: (args, content) =>
      inRound({
        plan: planned.plan,
        asks: planned.asks,
        overrides,
        args,
        failed,
        body: (context) =>
          Effect.updateContext(content as Effect.Effect<unknown, unknown>, (_: Context.Context<never>) => context)
      })
  }
  return prepared
})

const withServer = (effect: Effect.Effect<unknown, never, any>, server: Server) =>
  Effect.provideService(effect as Effect.Effect<unknown, never, McpServer.McpServer>, McpServer.McpServer, server)

type Complete = (input: string, context: never) => Effect.Effect<unknown, unknown, any>

const mapEach = <A, B>(record: { readonly [name: string]: A } | undefined, map: (value: A) => B) =>
  Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, map(value)]))

/** effect/ai sends the message of whatever a completion fails with: only errors of the protocol are for the client (I14). */
const scrubbed = (owner: string, completion: { readonly [name: string]: Complete } | undefined): any =>
  mapEach(
    completion,
    (complete): Complete =>
      (input, context) =>
        Effect.catchCause(
          attempt(Text.completionOf(owner), () => complete(input, context)),
          (cause) => {
            const error = Cause.findErrorOption(cause)
            return Cause.hasInterrupts(cause) || (error._tag === "Some" && isProtocolError(error.value))
              ? Effect.failCause(cause)
              : Effect.andThen(Engine.report(cause), Effect.fail(Refusal.internal))
          }
        )
  )

const unknownCompletion = new Refusal.Refusal({
  code: McpSchema.INVALID_PARAMS_ERROR_CODE,
  message: Text.unknownCompletion
})

/** effect/ai keeps the completions of what is hidden: those of a prompt that is gone are gone, too. */
const whileLive = <F extends (...args: any) => Effect.Effect<any, any, any>>(
  live: Live.Live,
  completions: { readonly [name: string]: F }
) =>
  mapEach(
    completions,
    (complete) => ((...args) => (live.isRetired() ? Effect.fail(unknownCompletion) : complete(...args))) as F
  )

/** What every kind of registration gets from us. */
const ours = ({ live, services }: Prepared, { annotations }: { readonly annotations: Context.Context<never> }) => ({
  annotations: live.annotate(annotations),
  services
})

const invalid = (message: string) =>
  new Refusal.Refusal({ code: McpSchema.INVALID_PARAMS_ERROR_CODE, message: Text.invalidArguments(message) })

// the error of arguments that do not decode would carry the validator's text
const undecoded = (
  codec: Codec.ArgumentsCodec,
  args: unknown,
  exit: Exit.Failure<unknown, unknown>,
  round: Round.Round
): Effect.Effect<never, unknown> =>
  !round.started &&
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof McpSchema.InvalidParams)
    ? Effect.matchEffect(codec.decode(args), {
        onFailure: ({ message }) => Effect.fail(invalid(message)),
        onSuccess: () => Effect.fail(invalid(Text.argumentsInvalid))
      })
    : Effect.failCause(exit.cause)

interface Request<A> {
  readonly method: "prompts/get" | "resources/read"
  readonly target: string
  /** As sent, by name: a prompt's own, or those in a URI. */
  readonly args: { readonly [name: string]: unknown }
  readonly handle: (args: {
    readonly [name: string]: unknown
  }) => Effect.Effect<A, unknown, McpSchema.McpRequestContext>
}

const round = <A>({ codec, server }: Prepared, { method, target, args, handle }: Request<A>) =>
  Round.run<A>({
    server,
    method,
    target,
    // those of a resource are in its URI
    arguments: method === "prompts/get" ? args : undefined,
    handle: (args) => handle(args as Request<A>["args"]),
    generated: method === "prompts/get" ? Codec.rearguments(codec, args) : () => Effect.succeed(undefined),
    said: (message, invalidArguments) => Effect.fail(invalidArguments ? invalid(message) : Refusal.sentence(message)),
    complete: (exit, round) => (Exit.isSuccess(exit) ? exit : undecoded(codec, args, exit, round))
  })

export interface PromptOptions {
  readonly name: string
  readonly completion?: { readonly [name: string]: Complete } | undefined
  readonly parameters?: Schema.Struct.Fields | undefined
  readonly dependencies?: unknown
  readonly content: Content
}

export const prompt = Effect.fnUntraced(function* ({ dependencies, ...options }: PromptOptions) {
  const { name, parameters = {}, content } = options
  const prepared = yield* prepare("Prompt", name, parameters, dependencies)
  const register = McpServer.registerPrompt({
    ...options,
    // arguments of prompts are text
    parameters: options.parameters && Codec.textFields(options.parameters),
    completion: scrubbed(`Prompt '${name}'`, options.completion),
    content: (params) =>
      prepared.around(
        params,
        attempt(`Prompt '${name}'`, () => content(params))
      ) as Effect.Effect<string, unknown>
  })
  const { server } = prepared
  yield* withServer(register, {
    ...server,
    addPrompt: (registration) =>
      server.addPrompt({
        ...registration,
        ...ours(prepared, registration),
        completions: whileLive(prepared.live, registration.completions),
        handle: (params) =>
          round(prepared, {
            method: "prompts/get",
            target: name,
            args: params,
            handle: (args) => registration.handle(args as typeof params)
          }) as ReturnType<AddPrompt["handle"]> // refusals become the wire's errors in the middleware of `services`
      })
  })
})

// effect/ai's resources cannot give an interim result: under our adapters it travels beside the failure (wire.ts)
const read = (
  prepared: Prepared,
  uri: string,
  args: { readonly [name: string]: unknown },
  handle: Effect.Effect<McpSchema.ReadResourceResult, unknown, McpSchema.McpRequestContext>
) =>
  Effect.flatMap(round(prepared, { method: "resources/read", target: uri, args, handle: () => handle }), (result) =>
    "_tag" in result
      ? Effect.flatMap(CurrentReadCarrier, (carrier) => {
          if (carrier !== undefined) carrier.inputRequired = result as McpSchema.InputRequired
          return Effect.fail(Refusal.internal)
        })
      : Effect.succeed(result)
  ) as ReturnType<AddTemplate["handle"]>

interface Contents {
  readonly name: string
  readonly mimeType?: string | undefined
  readonly dependencies?: unknown
}

// effect/ai tells the type of a resource in lists only
const typed = (uri: string, mimeType: string | undefined) => (content: unknown) =>
  mimeType === undefined || !(typeof content === "string" || content instanceof Uint8Array)
    ? content
    : McpSchema.ReadResourceResult.make({
        contents: [typeof content === "string" ? { uri, mimeType, text: content } : { uri, mimeType, blob: content }]
      })

export interface ResourceOptions extends Contents {
  readonly uri: string
  readonly content: Effect.Effect<unknown, unknown, any>
}

export const resource = Effect.fnUntraced(function* ({ dependencies, ...options }: ResourceOptions) {
  const { uri, name, mimeType } = options
  const prepared = yield* prepare("Resource", name, {}, dependencies)
  const register = McpServer.registerResource({
    ...options,
    content: Effect.map(prepared.around({}, options.content), typed(uri, mimeType)) as Effect.Effect<string, unknown>
  })
  const { server } = prepared
  yield* withServer(register, {
    ...server,
    addResource: (registration) =>
      server.addResource({
        ...registration,
        ...ours(prepared, registration),
        handle: read(prepared, uri, {}, registration.handle) as AddResource["handle"]
      })
  })
})

const nameOf = (schema: Schema.Constraint, index: number): string =>
  McpSchema.isParam(schema) ? (schema as McpSchema.Param<string, Schema.Constraint>).name : `param${index}`

export interface TemplateOptions extends Contents {
  readonly completion?: { readonly [name: string]: Complete } | undefined
  readonly content: Content
}

export const resourceTemplate = Effect.fnUntraced(function* (
  segments: TemplateStringsArray,
  schemas: ReadonlyArray<Schema.Constraint>,
  { dependencies, ...options }: TemplateOptions
) {
  const { name, mimeType, content } = options
  const names = schemas.map(nameOf)
  const byName = <A>(values: ReadonlyArray<A>): { readonly [name: string]: A } =>
    Object.fromEntries(names.map((name, index) => [name, values[index]!]))
  const prepared = yield* prepare("Resource", name, byName(schemas) as Schema.Struct.Fields, dependencies)
  const register = McpServer.registerResource(
    segments,
    ...schemas
  )({
    ...options,
    completion: scrubbed(`Resource '${name}'`, options.completion),
    content: (uri, ...params) =>
      Effect.map(
        prepared.around(
          byName(params),
          attempt(`Resource '${name}'`, () => content(uri, ...params))
        ),
        typed(uri, mimeType)
      ) as Effect.Effect<string, unknown>
  })
  const { server } = prepared
  yield* withServer(register, {
    ...server,
    addResourceTemplate: (registration) =>
      server.addResourceTemplate({
        ...registration,
        ...ours(prepared, registration),
        completions: whileLive(prepared.live, registration.completions),
        handle: (uri, params) => read(prepared, uri, byName(params), registration.handle(uri, params))
      })
  })
})
