/** Prompts, resources and resource templates with resolvers: same plans, same rounds, same errors. */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { attempt } from "../base/attempt.ts"
import * as Text from "../base/sentences.ts"
import { CurrentReadCarrier, CurrentSealObserver } from "../base/wire.ts"
import { CurrentPlanObserver } from "../graph/observer.ts"
import * as Plan from "../graph/plan.ts"
import { RequestState } from "../state/requestState.ts"
import * as Codec from "./codec.ts"
import * as Live from "./live.ts"
import * as Names from "./names.ts"
import * as Refusal from "./refusal.ts"
import * as Reply from "./reply.ts"
import * as Round from "./round.ts"
import { climbs } from "./template.ts"
import * as Tools from "./tools.ts"

type Server = McpServer.McpServer["Service"]
type AddResource = Parameters<Server["addResource"]>[0]
type Content = (...args: ReadonlyArray<any>) => Effect.Effect<unknown, unknown, any>

const isProtocolError = (error: unknown): error is McpSchema.McpErrorBase =>
  error instanceof McpSchema.InvalidParams ||
  error instanceof McpSchema.InvalidRequest ||
  error instanceof McpSchema.InternalError ||
  error instanceof McpSchema.MethodNotFound ||
  error instanceof McpSchema.McpErrorBase

interface Prepared {
  readonly server: Server
  readonly services: Context.Context<never>
  readonly planned: Tools.Listed
  readonly overrides: Round.Surface<unknown>["overrides"]
  readonly codec: Codec.ArgumentsCodec
  readonly live: Live.Live
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
  Names.guard(server)
  const live = Live.make(server, kind === "Prompt" ? "prompts" : "resources")
  yield* Effect.addFinalizer(() => live.retire)
  const prepared: Prepared = {
    server,
    services: Context.merge(context, yield* Refusal.services),
    planned,
    overrides: Plan.overridesOf(planned.plan, context),
    // arguments of prompts and templates are text on the wire
    codec: Codec.textCodec(parameters),
    live
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
              : Effect.andThen(reported(cause), Effect.fail(Refusal.internal))
          }
        )
  )

// a completion belongs to no call
const reported = (cause: Cause.Cause<unknown>) => Effect.andThen(Effect.logError(cause), ErrorReporter.report(cause))

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

interface Request<A> {
  readonly method: "prompts/get" | "resources/read"
  readonly target: string
  /** As sent, by name: a prompt's own, or those in a URI. */
  readonly args: { readonly [name: string]: unknown }
  readonly content: (args: { readonly [name: string]: unknown }) => Effect.Effect<unknown, unknown, any>
  readonly encode: (value: unknown) => Effect.Effect<A, unknown>
}

/** They have no failure schema: an error of the protocol passes as it is, all else is logged and scrubbed (I14). */
const round = <A>(
  { codec, overrides, planned, server }: Prepared,
  { args, content, encode, method, target }: Request<A>
) =>
  Round.run<A>({
    server,
    method,
    target,
    // those of a resource are in its URI
    arguments: method === "prompts/get" ? args : undefined,
    planned,
    overrides,
    // a resource is read by its URI in every round
    decode: (again) => codec.decode(method === "prompts/get" ? again : args),
    generated: method === "prompts/get" ? Codec.rearguments(codec, args) : () => Effect.succeed(undefined),
    body: (args) => (context) =>
      Effect.updateContext(content(args) as Effect.Effect<unknown, unknown>, (_: Context.Context<never>) => context),
    encode: (value) =>
      value instanceof McpSchema.InputRequired
        ? Effect.die(new Error(Text.ownInputRequired(Plan.label(planned.plan.owner))))
        : encode(value),
    declared: (error) => (isProtocolError(error) ? Effect.succeed(undefined as A) : undefined), // told as it is, without a reply
    said: (message) => Effect.fail(Refusal.sentence(message)),
    invalid: (message) =>
      Effect.fail(
        new Refusal.Refusal({ code: McpSchema.INVALID_PARAMS_ERROR_CODE, message: Text.invalidArguments(message) })
      ),
    broken: Effect.fail(Refusal.internal)
  })

export interface PromptOptions {
  readonly name: string
  readonly description?: string | undefined
  readonly completion?: { readonly [name: string]: Complete } | undefined
  readonly parameters?: Schema.Struct.Fields | undefined
  readonly dependencies?: unknown
  readonly content: Content
}

// effect/ai's own registration makes the descriptors; what it would run is ours
const never = Effect.die("not run")

export const prompt = Effect.fnUntraced(function* ({ dependencies, ...options }: PromptOptions) {
  const { name, parameters = {}, content, description } = options
  const prepared = yield* prepare("Prompt", name, parameters, dependencies)
  const register = McpServer.registerPrompt({
    ...options,
    // arguments of prompts are text
    parameters: options.parameters && Codec.textFields(options.parameters),
    completion: scrubbed(`Prompt '${name}'`, options.completion),
    content: () => never
  })
  const { server } = prepared
  yield* Names.free(server, "Prompt", name)
  const encode = (value: unknown): Effect.Effect<McpSchema.GetPromptResult, unknown> => {
    const messages = Predicate.isString(value)
      ? [{ role: "user" as const, content: McpSchema.TextContent.make({ text: value }) }]
      : (value as Array<McpSchema.PromptMessage>) // its type says so, and the check looks
    return Effect.flatMap(
      Effect.sync(() => new McpSchema.GetPromptResult({ messages, description })),
      (result) => Effect.as(Reply.check(McpSchema.GetPromptResult, result), result)
    )
  }
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
            content: (args) => attempt(`Prompt '${name}'`, () => content(args)),
            encode
          }) as Effect.Effect<any, any> // refusals become the wire's errors in the middleware of `services`
      })
  })
})

// effect/ai's resources cannot give an interim result: under our adapters it travels beside the failure
const read = (
  prepared: Prepared,
  uri: string,
  mimeType: string | undefined,
  args: { readonly [name: string]: unknown },
  content: Request<unknown>["content"]
) => {
  const encode = (value: unknown): Effect.Effect<McpSchema.ReadResourceResult, unknown> =>
    Effect.flatMap(
      Effect.sync(() => contentsOf(uri, mimeType, value)),
      (result) => Effect.as(Reply.check(McpSchema.ReadResourceResult, result), result)
    )
  return Effect.flatMap(round(prepared, { method: "resources/read", target: uri, args, content, encode }), (result) =>
    "_tag" in result
      ? Effect.flatMap(CurrentReadCarrier, (carrier) => {
          if (carrier !== undefined) carrier.inputRequired = result as McpSchema.InputRequired
          return Effect.fail(Refusal.internal)
        })
      : Effect.succeed(result)
  ) as Effect.Effect<any, any> // refusals become the wire's errors in the middleware of `services`
}

interface Contents {
  readonly name: string
  readonly mimeType?: string | undefined
  readonly dependencies?: unknown
}

// effect/ai tells the type of a resource in lists only
const contentsOf = (uri: string, mimeType: string | undefined, content: unknown): McpSchema.ReadResourceResult =>
  Predicate.isString(content) || content instanceof Uint8Array
    ? McpSchema.ReadResourceResult.make({
        contents: [
          {
            uri,
            ...(mimeType === undefined ? {} : { mimeType }),
            ...(Predicate.isString(content) ? { text: content } : { blob: content })
          }
        ] as McpSchema.ReadResourceResult["contents"] // either kind, as the line above says
      })
    : (content as McpSchema.ReadResourceResult) // its type says so, and the check looks

export interface ResourceOptions extends Contents {
  readonly uri: string
  readonly content: Effect.Effect<unknown, unknown, any>
}

export const resource = Effect.fnUntraced(function* ({ dependencies, ...options }: ResourceOptions) {
  const { uri, name, mimeType } = options
  const prepared = yield* prepare("Resource", name, {}, dependencies)
  const register = McpServer.registerResource({
    ...options,
    content: never
  })
  const { server } = prepared
  yield* Names.free(server, "Resource", uri)
  yield* withServer(register, {
    ...server,
    addResource: (registration) =>
      server.addResource({
        ...registration,
        ...ours(prepared, registration),
        handle: read(prepared, uri, mimeType, {}, () => options.content) as AddResource["handle"]
      })
  })
})

const nameOf = (schema: Schema.Constraint, index: number): string =>
  McpSchema.isParam(schema) ? (schema as McpSchema.Param<string, Schema.Constraint>).name : `param${index}`

export interface TemplateOptions extends Contents {
  readonly completion?: { readonly [name: string]: Complete } | undefined
  readonly allowTraversal?: boolean | undefined
  readonly content: Content
}

/** As effect/ai says it of a URI that nobody has; our adapters know it by that. */
const notFound = (uri: string): Effect.Effect<never, Refusal.Refusal> =>
  Effect.flatMap(McpSchema.McpRequestContext, ({ protocolVersion }) =>
    Effect.fail(
      new Refusal.Refusal({
        code: protocolVersion >= "2026-07-28" ? McpSchema.INVALID_PARAMS_ERROR_CODE : -32002,
        message: Text.notFound(uri),
        data: { uri }
      })
    )
  ) as Effect.Effect<never, Refusal.Refusal> // every request has its context

export const resourceTemplate = Effect.fnUntraced(function* (
  segments: TemplateStringsArray,
  schemas: ReadonlyArray<Schema.Constraint>,
  { allowTraversal = false, dependencies, ...options }: TemplateOptions
) {
  const { name, mimeType, content } = options
  const names = schemas.map(nameOf)
  const uri = segments.reduce((uri, segment, index) => `${uri}{${names[index - 1]}}${segment}`)
  const byName = <A>(values: ReadonlyArray<A>): { readonly [name: string]: A } =>
    Object.fromEntries(names.map((name, index) => [name, values[index]!]))
  const prepared = yield* prepare("Resource", name, byName(schemas) as Schema.Struct.Fields, dependencies)
  const register = McpServer.registerResource(
    segments,
    ...schemas
  )({
    ...options,
    completion: scrubbed(`Resource '${name}'`, options.completion),
    content: () => never
  })
  const { server } = prepared
  yield* Names.free(server, "Resource template", uri)
  yield* withServer(register, {
    ...server,
    addResourceTemplate: (registration) =>
      server.addResourceTemplate({
        ...registration,
        ...ours(prepared, registration),
        completions: whileLive(prepared.live, registration.completions),
        handle: (uri, params) =>
          !allowTraversal && params.some(climbs)
            ? (notFound(uri) as Effect.Effect<any, any>) // as what `read` refuses with
            : read(prepared, uri, mimeType, byName(params), (args) =>
                attempt(`Resource '${name}'`, () => content(uri, ...names.map((name) => args[name])))
              )
      })
  })
})
