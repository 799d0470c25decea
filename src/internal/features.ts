/** Prompts, resources and resource templates with resolvers: same plans, same rounds, same errors (DESIGN.md 9). */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Live from "./live.ts"
import * as Plan from "./plan.ts"
import * as Refusal from "./refusal.ts"
import * as Round from "./round.ts"
import { inRound } from "./surface.ts"
import * as Tools from "./tools.ts"
import { CurrentReadCarrier } from "./wire.ts"

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
  return Effect.logError(exit.cause).pipe(
    Effect.andThen(ErrorReporter.report(exit.cause)),
    Effect.andThen(Effect.interrupt)
  )
}

interface Prepared {
  readonly server: Server
  readonly services: Context.Context<never>
  readonly planned: Tools.Planned
  readonly around: (
    args: { readonly [name: string]: unknown },
    content: Effect.Effect<unknown, unknown, any>
  ) => Effect.Effect<unknown, unknown>
}

/** Plans a list, and gives what the handler and the registration of its owner need. */
const prepare = Effect.fnUntraced(function* (owner: Plan.Owner, dependencies: unknown) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  const planned = yield* Effect.fromResult(Tools.plan(owner, Tools.thunk(dependencies)))
  const overrides = Plan.overridesOf(planned.plan, context)
  const prepared: Prepared = {
    server,
    services: Context.merge(context, yield* Refusal.services),
    planned,
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

// the error of arguments that do not decode would carry the validator's text
const undecoded = (
  what: string,
  exit: Exit.Failure<unknown, unknown>,
  round: Round.Round
): Effect.Effect<never, unknown> =>
  !round.started &&
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof McpSchema.InvalidParams)
    ? Effect.fail(
        new Refusal.Refusal({ code: McpSchema.INVALID_PARAMS_ERROR_CODE, message: `Invalid arguments for ${what}` })
      )
    : Effect.failCause(exit.cause)

const round = <A>(
  prepared: Prepared,
  method: "prompts/get" | "resources/read",
  target: string,
  args: unknown,
  handle: (args: unknown) => Effect.Effect<A, unknown, McpSchema.McpRequestContext>
) =>
  Round.run<A>({
    server: prepared.server,
    plan: prepared.planned.plan,
    method,
    target,
    arguments: args,
    handle,
    generated: () => Effect.succeed(undefined),
    said: (message) => Effect.fail(Refusal.sentence(message)),
    complete: (exit, round) => (Exit.isSuccess(exit) ? exit : undecoded(`'${target}'`, exit, round))
  })

export interface PromptOptions {
  readonly name: string
  readonly parameters?: Schema.Struct.Fields | undefined
  readonly dependencies?: unknown
  readonly content: Content
}

export const prompt = Effect.fnUntraced(function* ({ dependencies, ...options }: PromptOptions) {
  const prepared = yield* prepare(
    { kind: "Prompt", name: options.name, arguments: options.parameters ?? {} },
    dependencies
  )
  const { server } = prepared
  const live = Live.make(server, "prompts")
  const register = McpServer.registerPrompt({
    ...options,
    content: (params) =>
      prepared.around(
        params,
        Effect.suspend(() => options.content(params))
      ) as Effect.Effect<string, unknown>
  })
  yield* withServer(register, {
    ...server,
    addPrompt: (registration) =>
      server.addPrompt({
        ...registration,
        annotations: live.annotate(registration.annotations),
        services: prepared.services,
        handle: (params) =>
          round(prepared, "prompts/get", options.name, params, (args) =>
            registration.handle(args as typeof params)
          ) as ReturnType<AddPrompt["handle"]> // refusals become the wire's errors in the middleware of `services`
      })
  })
  yield* Effect.addFinalizer(() => live.retire)
})

// effect/ai's resources cannot give an interim result: under our adapters it travels beside the failure (wire.ts)
const read = (
  prepared: Prepared,
  uri: string,
  handle: Effect.Effect<McpSchema.ReadResourceResult, unknown, McpSchema.McpRequestContext>
) =>
  Effect.flatMap(
    round(prepared, "resources/read", uri, {}, () => handle),
    (result) =>
      "_tag" in result
        ? Effect.flatMap(CurrentReadCarrier, (carrier) => {
            if (carrier !== undefined) carrier.inputRequired = result as McpSchema.InputRequired
            return Effect.fail(Refusal.internal)
          })
        : Effect.succeed(result)
  ) as ReturnType<AddTemplate["handle"]>

export interface ResourceOptions {
  readonly uri: string
  readonly name: string
  readonly dependencies?: unknown
  readonly content: Effect.Effect<unknown, unknown, any>
}

export const resource = Effect.fnUntraced(function* ({ dependencies, ...options }: ResourceOptions) {
  const prepared = yield* prepare({ kind: "Resource", name: options.name, arguments: {} }, dependencies)
  const { server } = prepared
  const live = Live.make(server, "resources")
  const register = McpServer.registerResource({
    ...options,
    content: prepared.around({}, options.content) as Effect.Effect<string, unknown>
  })
  yield* withServer(register, {
    ...server,
    addResource: (registration) =>
      server.addResource({
        ...registration,
        annotations: live.annotate(registration.annotations),
        services: prepared.services,
        handle: read(prepared, options.uri, registration.handle) as AddResource["handle"]
      })
  })
  yield* Effect.addFinalizer(() => live.retire)
})

const nameOf = (schema: Schema.Constraint, index: number): string =>
  McpSchema.isParam(schema) ? (schema as McpSchema.Param<string, Schema.Constraint>).name : `param${index}`

export interface TemplateOptions {
  readonly name: string
  readonly dependencies?: unknown
  readonly content: Content
}

export const resourceTemplate = Effect.fnUntraced(function* (
  segments: TemplateStringsArray,
  schemas: ReadonlyArray<Schema.Constraint>,
  { dependencies, ...options }: TemplateOptions
) {
  const names = schemas.map(nameOf)
  const prepared = yield* prepare(
    {
      kind: "Resource",
      name: options.name,
      arguments: Object.fromEntries(names.map((name, index) => [name, schemas[index]]))
    },
    dependencies
  )
  const { server } = prepared
  const live = Live.make(server, "resources")
  const register = McpServer.registerResource(
    segments,
    ...schemas
  )({
    ...options,
    content: (uri, ...params) =>
      prepared.around(
        Object.fromEntries(names.map((name, index) => [name, params[index]])),
        Effect.suspend(() => options.content(uri, ...params))
      ) as Effect.Effect<string, unknown>
  })
  yield* withServer(register, {
    ...server,
    addResourceTemplate: (registration) =>
      server.addResourceTemplate({
        ...registration,
        annotations: live.annotate(registration.annotations),
        services: prepared.services,
        handle: (uri, params) => read(prepared, uri, registration.handle(uri, params))
      })
  })
  yield* Effect.addFinalizer(() => live.retire)
})
