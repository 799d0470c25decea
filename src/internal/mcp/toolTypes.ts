/**
 * The types of tools with resolvers: what rides in a tool's requirements, and what registering or running it needs.
 */
import type * as McpSchema from "effect/ai/McpSchema"
import type * as McpServer from "effect/ai/McpServer"
import type * as Prompt from "effect/ai/Prompt"
import type * as Tool from "effect/ai/Tool"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Types from "effect/Types"
import type { Call, Elicitation, McpContext, Roots, Sampling } from "../base/keys.ts"
import type { AskError, ElicitationError, QuestionError } from "../base/questionErrors.ts"
import type { Check, PlainTool } from "../graph/checks.ts"
import type * as List from "../graph/listTypes.ts"
import type { Dependencies, Hint, ListHint, Resolved } from "../graph/resolverTypes.ts"

/**
 * What the engine gives to every body and resolver.
 *
 * @category models
 * @since 0.1.0
 */
export type CallServices =
  | Hint<"Register the toolkit with Resolve.toolkit in place of McpServer.toolkit">
  | ListHint
  | Call
  | McpContext
  | Scope.Scope

/**
 * Free in resolvers. They stay in a resolver's requirements, so that the type tells who may ask.
 *
 * @category models
 * @since 0.1.0
 */
export type QuestionServices = Elicitation | Sampling | Roots

/**
 * Rides in a tool's requirements and tells what its resolvers are. It is there and not in a subtype of `Tool`,
 * because it survives `tool.annotate(..)` and the other setters. Bodies ignore it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resolves<out Filled, out E, out R, out Requests, out Faults = never> {
  readonly "~effect-resolve/Resolves": {
    readonly filled: Filled
    readonly e: E
    readonly r: R
    readonly requests: Requests
    /** What a generic function could not know of its list: sentences of the compiler, told at the registration. */
    readonly faults: Faults
  }
}
export type AnyGraph = Resolves<any, any, any, any, any>
export type GraphErrors<Req> = Req extends Resolves<any, infer E, any, any, any> ? E : never
export type GraphServices<Req> = Req extends Resolves<any, any, infer R, any, any> ? R : never
export type GraphFaults<Req> = Req extends Resolves<any, any, any, any, infer Faults> ? Faults : never
// what is left of a tool's requirements when the engine has filled its part, and what its resolvers list for the request
export type RequestLevel<Req> =
  | Exclude<Req, AnyGraph | (Req extends Resolves<infer Filled, any, any, any, any> ? Filled : never) | CallServices>
  | (Req extends Resolves<any, any, any, infer Requests, any> ? Requests : never)

// ---------------------------------------------------------------- tools

// effect/ai lets a body fail only with what the tool declares: a tool that may ask declares the question errors by that
type AndQuestionErrors<Failure extends Schema.Constraint> = Schema.Union<readonly [Failure, typeof ElicitationError]>

/** The failure of a tool: with the errors of the questions that its body may ask. A person can decline only a form. */
export type FailureOf<F extends Schema.Constraint, Asked> = [Asked] extends [never]
  ? F
  : [Extract<Asked, Elicitation>] extends [never]
    ? Schema.Union<readonly [F, typeof AskError]>
    : AndQuestionErrors<F>

/** The question services among what a list may hold. */
export type Asked<Deps extends Dependencies> = Extract<List.IdOf<List.Element<Deps>>, QuestionServices>

/**
 * The schemas of a tool, as effect/ai's `Tool` holds them.
 *
 * @category models
 * @since 0.2.0
 */
export interface ToolConfig<
  P extends Schema.Constraint,
  S extends Schema.Constraint,
  F extends Schema.Constraint,
  Mode extends Tool.FailureMode
> {
  readonly parameters: P
  readonly success: S
  readonly failure: F
  readonly failureMode: Mode
}

/**
 * The options of `Resolve.tool`: those of effect/ai's `Tool.make`, whose `dependencies` may hold resolvers, too.
 *
 * @category models
 * @since 0.2.0
 */
export interface ToolOptions<
  Name extends string,
  P extends Schema.Constraint,
  S extends Schema.Constraint,
  F extends Schema.Constraint,
  Mode extends Tool.FailureMode | undefined,
  Deps extends Dependencies
> {
  /** What the model reads to decide whether to call the tool. */
  readonly description?: string | undefined
  /** The arguments, which come from the model: a struct or a class. None by default. */
  readonly parameters?: P | undefined
  /** What the body gives. `Schema.Void` by default. */
  readonly success?: S | undefined
  /** What the body, and the resolvers that it lists plainly, may fail with. Nothing by default. */
  readonly failure?: F | undefined
  /** As effect/ai's: whether a model in process is given a failure (`return`) or fails with it (`error`, the default). */
  readonly failureMode?: Mode
  // intersected with what is inferred, so that inference is untouched and the squiggle is on the element
  /** Resolvers, their `.result`, keys of services that exist for one request, and the question services a body uses. */
  readonly dependencies?:
    | (Deps & Check<`Tool '${Types.NoInfer<Name>}'`, Types.NoInfer<P>["Type"], Types.NoInfer<F>["Type"], Deps>)
    | undefined
  /** As effect/ai's: whether a person must approve a call that a model in process makes. */
  readonly needsApproval?: Tool.NeedsApproval<P> | undefined
  /** As effect/ai's: what a model in process reads in place of the encoded result. */
  readonly toModelOutput?: ((result: S["Type"]) => ReadonlyArray<Prompt.ToolModelOutputPart>) | undefined
}

// ---------------------------------------------------------------- registration

export type EngineServices = CallServices | QuestionServices | McpSchema.McpRequestContext

// one tool at a time: what one tool's resolvers fill, another tool may want from the request
export type Registration<T> = T extends unknown ? OneRegistration<Tool.Requirements<T>, Tool.SchemaServices<T>> : never
export type OneRegistration<Req, SchemaServices> =
  | Exclude<GraphServices<Req>, EngineServices>
  | Exclude<SchemaServices, Req | EngineServices>
  | McpServer.McpRequest.From<"Requires", Exclude<RequestLevel<Req>, EngineServices>>

/**
 * What registering a toolkit needs: the server, the handlers, the app services of all resolvers, and a middleware for
 * each service that exists for one request.
 *
 * @category utility types
 * @since 0.1.0
 */
export type ToolkitRequirements<Tools extends Record<string, Tool.Any>> = 0 extends 1 &
  Tool.Requirements<Tools[keyof Tools]>
  ? any
  : McpServer.McpServer | Tool.HandlersFor<Tools> | Registration<Tools[keyof Tools]>

// effect/ai forgets the `dependencies` of a plain tool at run time: only its type knows that it lists a resolver
export type Plain<Tools extends Record<string, Tool.Any>> = 0 extends 1 & Tool.Requirements<Tools[keyof Tools]>
  ? unknown
  : [OnePlain<Tools[keyof Tools]>] extends [never]
    ? unknown
    : OnePlain<Tools[keyof Tools]>
export type OnePlain<T> = T extends Tool.Any
  ? [Extract<Tool.Requirements<T>, AnyGraph>] extends [never]
    ? Extract<Tool.Requirements<T>, Resolved<string>> extends infer Id
      ? Id extends Resolved<infer Key>
        ? PlainTool<T["name"], Key>
        : never
      : never
    : GraphFaults<Tool.Requirements<T>>
  : never

/**
 * A tool whose resolvers are taken care of; a plain tool stays as it is. A question of its graph fails as its body would.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Filled<T> =
  T extends Tool.Tool<infer Name, infer Config, infer Req>
    ? [Extract<Req, AnyGraph>] extends [never]
      ? T
      : Tool.Tool<
          Name,
          {
            readonly parameters: Config["parameters"]
            readonly success: Config["success"]
            readonly failure: [Extract<GraphErrors<Req>, QuestionError>] extends [never]
              ? Config["failure"]
              : AndQuestionErrors<Config["failure"]>
            readonly failureMode: Config["failureMode"]
          },
          Exclude<RequestLevel<Req>, QuestionServices>
        >
    : never
