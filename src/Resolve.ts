/**
 * Declares tools, prompts and resources that need resolvers, registers them with effect/ai's `McpServer`, and runs
 * them in process.
 *
 * `Resolve.tool` makes a genuine effect/ai `Tool`: put it in a `Toolkit`, write its handlers with `toLayer`, and
 * register the toolkit with `Resolve.toolkit`. Registered with `McpServer.toolkit` instead, its resolvers are nobody's
 * to compute, which does not compile.
 *
 * @since 0.1.0
 */
import type * as AiError from "effect/ai/AiError"
import type * as McpSchema from "effect/ai/McpSchema"
import type * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Graph_ from "effect/Graph"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import { ElicitationError } from "./Elicitation.ts"
import * as Text from "./internal/base/sentences.ts"
import type { Check, CheckListed, Faults } from "./internal/graph/checks.ts"
import { type GraphNode, toGraph } from "./internal/graph/drawing.ts"
import type * as List from "./internal/graph/listTypes.ts"
import type * as Plan from "./internal/graph/plan.ts"
import * as Features from "./internal/mcp/features.ts"
import * as InProcess from "./internal/mcp/inProcess.ts"
import * as Register from "./internal/mcp/register.ts"
import * as Tools from "./internal/mcp/tools.ts"
import type {
  Asked,
  EngineServices,
  FailureOf,
  Filled,
  GraphErrors,
  GraphServices,
  Plain,
  RequestLevel,
  Resolves,
  ToolConfig,
  ToolkitRequirements,
  ToolOptions
} from "./internal/mcp/toolTypes.ts"
import type * as Resolver from "./Resolver.ts"

export type { GraphNode } from "./internal/graph/drawing.ts"
export {
  /**
   * A graph that cannot run, in the error channel of the registration (rule I12).
   *
   * @category errors
   * @since 0.1.0
   */
  InvalidSignature
} from "./internal/graph/plan.ts"
export type { Filled, Resolves, ToolConfig, ToolkitRequirements, ToolOptions } from "./internal/mcp/toolTypes.ts"

// ---------------------------------------------------------------- tools

/**
 * Declares a tool: effect/ai's `Tool.make`, with resolvers in `dependencies`.
 *
 * A resolver in the list is computed before the body runs, and `yield*` gives its value there; its `.result` gives its
 * failure as a value. Any other key in the list is a service that exists for one request, which a middleware
 * (`McpServer.middleware`) must give. A body asks only when its tool lists a question service: then it is run again
 * from its start in each round. `Call`, `McpContext` and a `Scope` are there for every body.
 *
 * What a resolver reads must be an argument of the tool, and what it can fail with must be in `failure`; both are
 * compile errors otherwise, and are checked again when the tool is registered or called.
 *
 * **Example** (Declaring a tool)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Resolve, Resolver } from "effect-resolve"
 *
 * class Price extends Resolver.Service<Price>()("shop/Price", {
 *   parameters: { title: Schema.String },
 *   resolve: ({ title }) => Effect.succeed(title.length)
 * }) {}
 *
 * export const Quote = Resolve.tool("quote", {
 *   parameters: Schema.Struct({ title: Schema.String }),
 *   success: Schema.String,
 *   dependencies: [Price]
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const tool = <
  const Name extends string,
  P extends Schema.Constraint = typeof Tool.EmptyParams,
  S extends Schema.Constraint = typeof Schema.Void,
  F extends Schema.Constraint = typeof Schema.Never,
  Mode extends Tool.FailureMode | undefined = undefined,
  const Deps extends Resolver.Dependencies = Resolver.NoDependencies
>(
  name: Name,
  options?: ToolOptions<Name, P, S, F, Mode, Deps>
): Tool.Tool<
  Name,
  ToolConfig<P, S, FailureOf<F, Asked<Deps>>, Mode extends undefined ? "error" : Mode>,
  | List.Given<Deps>
  | Resolver.CallServices
  | Resolves<
      List.Filled<Deps>,
      List.ErrorsOf<List.Element<Deps>>,
      List.ServicesOf<List.Element<Deps>>,
      List.RequestsIn<Deps, Resolver.CallServices>,
      Faults<`Tool '${Name}'`, P["Type"], F["Type"], List.Element<Deps>>
    >
> => {
  const { dependencies, ...rest } = options ?? {}
  const list = Tools.thunk(dependencies)
  const failure = rest.failure ?? Schema.Never
  // a thunk is not called here: what it refers to may not exist yet
  const asked = typeof dependencies === "function" ? ElicitationError : Tools.askErrors(list())
  const made = Tool.make(name, {
    ...rest,
    failure: asked === undefined ? failure : Schema.Union([failure, asked])
  })
  return made.annotate(Tools.List, list) as any // the list and its marker are ours: effect/ai's types know nothing of them
}

// ---------------------------------------------------------------- registration

/**
 * Registers the tools of a toolkit with the server, plain `Tool.make` tools among them, and retires them when the
 * Layer's scope closes. Fails with `InvalidSignature` before a client connects when a graph cannot run (rule I12).
 *
 * Calls begin as on effect/ai. What differs: error results begin with `Error executing tool <name>:`, strings arrive as
 * plain text, and a `McpSchema.CallToolResult` passes through.
 *
 * @category layers
 * @since 0.1.0
 */
export const toolkit = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools> & Plain<Types.NoInfer<Tools>>
): Layer.Layer<never, Plan.InvalidSignature, ToolkitRequirements<Tools>> =>
  Layer.effectDiscard(Register.standing(toolkit)) as any // the requirements are in the type above: effect/ai's registration asks for the handlers only

/**
 * An annotation of a tool: the fields of its declared failures, encoded by its `failure` schema, ride in the `_meta` of
 * the result under `effect-resolve/failure`, for programs. Without it a failure is its text alone.
 *
 * They are no structured content, which clients check against the schema of a success.
 *
 * **Example** (A failure that a program can read)
 *
 * ```ts
 * import { Schema } from "effect"
 * import { Resolve } from "effect-resolve"
 *
 * class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { title: Schema.String }) {}
 *
 * export const Order = Resolve.tool("order", {
 *   parameters: Schema.Struct({ title: Schema.String }),
 *   failure: OutOfStock
 * }).annotate(Resolve.FailureFields, true)
 * ```
 *
 * @see "Tools: Error Handling" and "Overview: General fields" of the MCP specification
 *
 * @category references
 * @since 0.2.0
 */
export const FailureFields: Context.Reference<boolean> = Register.FailureFields

/**
 * A toolkit that comes and goes while the server runs.
 *
 * @category models
 * @since 0.2.0
 */
export interface Registered {
  /**
   * Registers the tools, in a handler or a resolver, for the life of the server and not of the request. Adding what is
   * there changes nothing. Fails when another tool has one of the names by then.
   */
  readonly add: Effect.Effect<void, Plan.InvalidSignature>
  /** Retires them: they answer as unknown tools, and calls in flight finish. */
  readonly remove: Effect.Effect<void>
}

/**
 * Prepares a toolkit that comes and goes while the server runs, and gives what adds it and what removes it, both of which
 * may be run again.
 *
 * Graphs are checked here, so that a bad one fails when the server starts and never in a call (rule I12). Handlers,
 * their Layers included, are built once and live as long as the server. Clients are told once per change, on every
 * protocol.
 *
 * **Example** (A tool that another one switches on)
 *
 * ```ts
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Resolve } from "effect-resolve"
 *
 * const Extra = Toolkit.make(Resolve.tool("extra", { success: Schema.String }))
 * const Shop = Toolkit.make(Resolve.tool("enable", { success: Schema.String }))
 *
 * export const registrations = Resolve.toolkit(Shop).pipe(
 *   Layer.provide(
 *     Shop.toLayer(
 *       Effect.gen(function* () {
 *         const extra = yield* Resolve.register(Extra)
 *         return { enable: () => Effect.as(Effect.orDie(extra.add), "enabled") }
 *       })
 *     )
 *   ),
 *   Layer.provide(Extra.toLayer({ extra: () => Effect.succeed("extra") }))
 * )
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const register = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools> & Plain<Types.NoInfer<Tools>>
): Effect.Effect<Registered, Plan.InvalidSignature, ToolkitRequirements<Tools>> => Register.switched(toolkit) as any // as for `toolkit`

// ---------------------------------------------------------------- prompts and resources

type Completion = (typeof McpSchema.Complete.payloadSchema.Type)["context"]

/**
 * Registers a prompt with resolvers, by name from its arguments: the same rules and the same errors as a tool, and
 * all options of effect/ai's own. `content` runs last and sees its resolvers; it asks only when the prompt lists a
 * question service. A refusal is JSON-RPC error -32603 with the sentence that a tool would give, since prompts have no
 * `isError`; an error of the protocol (`McpSchema.InvalidParams`, ..) passes, anything else is scrubbed.
 *
 * **Example** (A blurb that asks for its tone)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Elicitation, Resolve, Resolver } from "effect-resolve"
 *
 * class Tone extends Resolver.Service<Tone>()("shop/Tone", {
 *   resolve: () =>
 *     Elicitation.form({ message: "Which tone?", schema: Schema.Struct({ tone: Schema.Literals(["dry", "warm"]) }) })
 * }) {}
 *
 * export const blurb = Resolve.prompt({
 *   name: "blurb",
 *   parameters: { title: Schema.String },
 *   dependencies: [Tone],
 *   content: ({ title }) => Effect.map(Tone, ({ tone }) => `Write a ${tone} blurb for '${title}'.`)
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const prompt = <
  const Name extends string,
  E,
  R,
  Params extends Schema.Struct.Fields = {},
  const Deps extends Resolver.Dependencies = Resolver.NoDependencies,
  const Completions extends {
    readonly [K in keyof Params]?: (
      input: string,
      context: Completion
    ) => Effect.Effect<Array<Params[K]["Type"]>, any, any>
  } = {}
>(
  options: {
    readonly name: Name
    readonly title?: string | undefined
    readonly description?: string | undefined
    readonly parameters?: Params | undefined
    readonly completion?: McpServer.ValidateCompletions<Completions, Extract<keyof Params, string>> | undefined
    readonly dependencies?:
      | (Deps & Check<`Prompt '${Types.NoInfer<Name>}'`, Schema.Struct.Type<Types.NoInfer<Params>>, unknown, Deps>)
      | undefined
    readonly content: (
      params: Schema.Struct.Type<Params>
    ) => Effect.Effect<Array<McpSchema.PromptMessage> | string, E, R>
    readonly annotations?: Context.Context<never> | undefined
  } & CheckListed<`Prompt '${Name}'`, Exclude<R, List.Given<Deps> | Resolver.CallServices>, Deps>
): Layer.Layer<
  never,
  Plan.InvalidSignature,
  | Exclude<List.ServicesOf<List.Element<Deps>>, EngineServices>
  | McpServer.PromptRequirements<Params, ContentServices<R, Deps>, Completions>
> => Layer.effectDiscard(Features.prompt(options as Features.PromptOptions)) as any // as for `toolkit`

// what `content` and its list want of the request, once the engine has given its part
type ContentServices<R, Deps extends Resolver.Dependencies> =
  | Exclude<R, List.Given<Deps> | Resolver.CallServices | McpSchema.McpRequestContext>
  | List.RequestsIn<Deps, EngineServices>

type ResourceContent = McpSchema.ReadResourceResult | string | Uint8Array

/**
 * Registers a resource with resolvers: the same rules and errors as a prompt, and all options of effect/ai's own.
 *
 * A resource asks on older protocols, and on 2026-07-28 under the adapters of `Protocols`: elsewhere its question
 * fails with `Question.AskFailed`, reason `Unavailable`.
 *
 * @category layers
 * @since 0.1.0
 */
export const resource = <
  const Name extends string,
  E,
  R,
  const Deps extends Resolver.Dependencies = Resolver.NoDependencies
>(
  options: {
    readonly uri: string
    readonly name: Name
    readonly description?: string | undefined
    readonly mimeType?: string | undefined
    readonly audience?: ReadonlyArray<"user" | "assistant"> | undefined
    readonly priority?: number | undefined
    readonly dependencies?: (Deps & Check<`Resource '${Types.NoInfer<Name>}'`, {}, unknown, Deps>) | undefined
    readonly content: Effect.Effect<ResourceContent, E, R>
    readonly annotations?: Context.Context<never> | undefined
  } & CheckListed<`Resource '${Name}'`, Exclude<R, List.Given<Deps> | Resolver.CallServices>, Deps>
): Layer.Layer<
  never,
  Plan.InvalidSignature,
  | Exclude<List.ServicesOf<List.Element<Deps>>, EngineServices>
  | McpServer.ResourceRequirements<ContentServices<R, Deps>>
> => Layer.effectDiscard(Features.resource(options as Features.ResourceOptions)) as any // as for `toolkit`

/**
 * The parameters of a URI template by name: those made by `McpSchema.param`, and `param0`, `param1`, .. for the rest.
 *
 * @category utility types
 * @since 0.1.0
 */
export type TemplateParameters<Schemas extends ReadonlyArray<Schema.Constraint>> = {
  readonly [K in Extract<keyof Schemas, `${number}`> as Schemas[K] extends McpSchema.Param<infer Id, infer _S>
    ? Id
    : `param${K}`]: Schemas[K]["Type"]
}

/**
 * Registers a resource template with resolvers, by name from its URI parameters: use it as a tag, as effect/ai's own.
 * The same rules as for `resource`.
 *
 * **Example** (Stock by title)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { McpSchema } from "effect/ai"
 * import { Resolve, Resolver } from "effect-resolve"
 *
 * class Copies extends Resolver.Service<Copies>()("shop/Copies", {
 *   parameters: { title: Schema.String },
 *   resolve: ({ title }) => Effect.succeed(title.length)
 * }) {}
 *
 * export const stock = Resolve.resourceTemplate`stock://${McpSchema.param("title", Schema.String)}`({
 *   name: "stock",
 *   dependencies: [Copies],
 *   content: () => Effect.map(Copies, (copies) => `${copies} copies`)
 * })
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const resourceTemplate =
  <const Schemas extends ReadonlyArray<Schema.Constraint>>(segments: TemplateStringsArray, ...schemas: Schemas) =>
  <
    const Name extends string,
    E,
    R,
    const Deps extends Resolver.Dependencies = Resolver.NoDependencies,
    const Completions extends Partial<McpServer.ResourceCompletions<Schemas>> = {}
  >(
    options: {
      readonly name: Name
      readonly description?: string | undefined
      readonly mimeType?: string | undefined
      readonly audience?: ReadonlyArray<"user" | "assistant"> | undefined
      readonly priority?: number | undefined
      /**
       * Takes parameters that climb (`..` as a segment), begin at a root or a drive, or hold NUL. Without it such a URI
       * is an unknown resource, before its schema and `content` see it. `false` by default.
       */
      readonly allowTraversal?: boolean | undefined
      readonly completion?:
        | McpServer.ValidateCompletions<Completions, keyof McpServer.ResourceCompletions<Schemas>>
        | undefined
      readonly dependencies?:
        | (Deps & Check<`Resource '${Types.NoInfer<Name>}'`, TemplateParameters<Schemas>, unknown, Deps>)
        | undefined
      readonly content: (
        uri: string,
        ...params: { readonly [K in keyof Schemas]: Schemas[K]["Type"] }
      ) => Effect.Effect<ResourceContent, E, R>
      readonly annotations?: Context.Context<never> | undefined
    } & CheckListed<`Resource '${Name}'`, Exclude<R, List.Given<Deps> | Resolver.CallServices>, Deps>
  ): Layer.Layer<
    never,
    Plan.InvalidSignature,
    | Exclude<List.ServicesOf<List.Element<Deps>>, EngineServices>
    | McpServer.ResourceTemplateRequirements<Schemas, ContentServices<R, Deps>, Completions>
  > =>
    Layer.effectDiscard(
      Features.resourceTemplate(segments, schemas, options as any) // called with what the template's schemas decode to
    ) as any // as for `toolkit`

// ---------------------------------------------------------------- in process

/**
 * The arguments of `Resolve.call` do not decode, or are not what a resolver can read. The message names every
 * place that is at fault, what it must be and what kind of value came, and no value.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  tool: Schema.String,
  message: Schema.String
}) {}

/**
 * Runs one tool's resolvers and body in process, no server. Arguments are given as a client sends them, or as their
 * types say; the success comes out decoded, and question errors are typed. It requires the app services, request-level
 * keys and question services of that one tool; a graph that cannot run is a defect here.
 *
 * Inside a call it joins that call: its durable values and its questions are those of the outer one. Two calls of one
 * tool in one body are told apart by a `label`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const call = <Tools extends Record<string, Tool.Any>, const Name extends keyof Tools & string>(
  toolkit: Toolkit.Toolkit<Tools> & Plain<Types.NoInfer<Pick<Tools, Name>>>,
  name: Name,
  args: Tool.ParametersEncoded<Tools[Name]>,
  options?: { readonly label?: string | undefined }
): Effect.Effect<
  Tool.Success<Tools[Name]>,
  Tool.Failure<Tools[Name]> | AiError.AiError | InvalidArguments | GraphErrors<Tool.Requirements<Tools[Name]>>,
  | Tool.HandlersFor<Pick<Tools, Name>>
  | Tool.SchemaServices<Tools[Name]>
  | Exclude<GraphServices<Tool.Requirements<Tools[Name]>>, Resolver.CallServices>
  | RequestLevel<Tool.Requirements<Tools[Name]>>
> =>
  InProcess.call(
    toolkit.tools[name]!,
    args,
    options?.label,
    (problem) => new InvalidArguments({ tool: name, message: Text.argumentsOf(name, problem) })
  ) as any // what the context must hold is in the type above

/**
 * Gives what `yield* toolkit` gives, with the resolvers run around each body, so that the same toolkit serves
 * `LanguageModel.generateText({ toolkit })`. App services and question services are required once, here; question
 * errors are part of a tool's failure, thrown or returned as its `failureMode` says.
 *
 * **Example** (An agent of yours with the same tools)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { LanguageModel, Toolkit } from "effect/ai"
 * import { Resolve, Resolver } from "effect-resolve"
 *
 * class Price extends Resolver.Service<Price>()("shop/Price", {
 *   parameters: { title: Schema.String },
 *   resolve: ({ title }) => Effect.succeed(title.length)
 * }) {}
 *
 * const Shop = Toolkit.make(
 *   Resolve.tool("quote", {
 *     parameters: Schema.Struct({ title: Schema.String }),
 *     success: Schema.Number,
 *     dependencies: [Price]
 *   })
 * )
 *
 * export const agent = Effect.gen(function* () {
 *   const toolkit = yield* Resolve.withHandlers(Shop)
 *   return yield* LanguageModel.generateText({ prompt: "What does 'Dune' cost?", toolkit })
 * }).pipe(Effect.provide(Shop.toLayer({ quote: () => Price })))
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const withHandlers = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools> & Plain<Types.NoInfer<Tools>>
): Effect.Effect<
  Toolkit.WithHandler<{ readonly [K in keyof Tools]: Filled<Tools[K]> }>,
  Plan.InvalidSignature,
  | Tool.HandlersFor<Tools>
  | Exclude<GraphServices<Tool.Requirements<Tools[keyof Tools]>>, Resolver.CallServices>
  | Extract<Tool.Requirements<Tools[keyof Tools]>, Resolver.QuestionServices>
> => InProcess.withHandlers(toolkit) as any // the tools are rebuilt with wider failures: the type above says which

/**
 * Draws the plans of a toolkit as an `effect/Graph`: an edge leads from what is needed to what needs it, and its data
 * says whether it is consumed as a value or as a `.result`. `Graph.toMermaid` renders it.
 *
 * @category combinators
 * @since 0.1.0
 */
export const graph = (
  toolkit: Toolkit.Any
): Effect.Effect<Graph_.DirectedGraph<GraphNode, "value" | "result">, Plan.InvalidSignature> =>
  Effect.map(
    Effect.forEach(Object.values(toolkit.tools), (tool) => Effect.fromResult(Tools.planOf(tool))),
    (planned) => toGraph(planned.map(({ plan }) => plan))
  )
