/** Tools with resolvers: what a tool remembers of its list, and its handler with the graph run before it. */
import * as McpSchema from "effect/ai/McpSchema"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { CurrentLogLevel } from "effect/References"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Scope } from "effect/Scope"
import { ParentSpan } from "effect/Tracer"
import { attempt } from "../base/attempt.ts"
import { Elicitation } from "../base/keys.ts"
import { AskError, ElicitationError } from "../base/questionErrors.ts"
import * as Text from "../base/sentences.ts"
import { questionServices } from "../call/call.ts"
import { referenceOf } from "../graph/definition.ts"
import * as Plan from "../graph/plan.ts"
import * as Codec from "./codec.ts"
import * as Reply from "./reply.ts"

/** The list of a tool, kept on the tool itself: effect/ai's `dependencies` leave nothing at run time. */
export class List extends Context.Service<List, () => ReadonlyArray<unknown>>()("effect-resolve/internal/List") {}

const none: ReadonlyArray<unknown> = []

/** A list as it is written: given, or given later. */
export const thunk = (dependencies: unknown): (() => ReadonlyArray<unknown>) =>
  typeof dependencies === "function"
    ? (dependencies as () => ReadonlyArray<unknown>)
    : () => (dependencies ?? none) as ReadonlyArray<unknown>

const listOf = (tool: Tool.Any): (() => ReadonlyArray<unknown>) =>
  Context.getOrUndefined(tool.annotations, List) ?? (() => none)

const questionKeys = new Set(questionServices.map((key) => key.key))

/** A body asks only when its tool lists a question service. */
export const asks = (list: ReadonlyArray<unknown>): boolean =>
  list.some((element) => Context.isKey(element) && referenceOf(element) === undefined && questionKeys.has(element.key))

/** The errors of the questions that a body may ask: a tool that lists a question service declares them by that. */
export const askErrors = (list: ReadonlyArray<unknown>): Schema.Constraint | undefined =>
  !asks(list) ? undefined : list.some((element) => element === Elicitation) ? ElicitationError : AskError

export interface Listed {
  readonly plan: Plan.Plan
  readonly asks: boolean
}

/** A tool with its plan, and the key under which its handler is found. */
export interface Planned extends Listed {
  readonly handler: Context.Key<never, Tool.Handler<string>>
}

/** The plan of an owner's list, and whether its body may ask, which it does under the owner's name. */
export const plan = (
  owner: Plan.Owner,
  list: () => ReadonlyArray<unknown>
): Result.Result<Listed, Plan.InvalidSignature> =>
  Result.flatMap(Plan.make(owner, list), (plan): Result.Result<Listed, Plan.InvalidSignature> => {
    const planned = { plan, asks: asks(list()) }
    return planned.asks && plan.nodes.some((node) => node.definition.key === owner.name)
      ? Result.fail(
          new Plan.InvalidSignature({
            owner: Plan.label(owner),
            path: [owner.name],
            message: Text.atPath(Plan.label(owner), Text.bodyAsksAsResolver, [])
          })
        )
      : Result.succeed(planned)
  })

const plans = new WeakMap<Tool.Any, Result.Result<Planned, Plan.InvalidSignature>>()

/** The plan of a tool, made once per tool. */
export const planOf = (tool: Tool.Any): Result.Result<Planned, Plan.InvalidSignature> => {
  const known = plans.get(tool)
  if (known !== undefined) return known
  const listed = plan(
    { kind: "Tool", name: tool.name, arguments: Plan.argumentsOf(tool.parametersSchema) },
    listOf(tool)
  )
  const planned = Result.map(listed, (listed): Planned => ({ ...listed, handler: Context.Service(tool.id) }))
  plans.set(tool, planned)
  return planned
}

// ---------------------------------------------------------------- handlers

type Handler = Tool.Handler<string>

// services of one request: a handler built while another request ran must not bring them along
const requestKeys = [
  McpSchema.McpRequestContext,
  McpSchema.McpServerClient,
  HttpServerRequest.HttpServerRequest,
  HttpServerRequest.ParsedSearchParams,
  HttpRouter.RouteContext,
  CurrentLogLevel,
  Scope,
  ParentSpan
] as const

const lasting = (context: Context.Context<never>): Context.Context<never> => Context.omit(...requestKeys)(context)

const services = new WeakMap<Context.Context<never>, Context.Context<never>>()
const servicesOf = ({ context }: Handler): Context.Context<never> => {
  const known = services.get(context) ?? lasting(context)
  services.set(context, known)
  return known
}

/** `services` under what the call has. Few of them are cheaper to add than two maps to merge. */
const under = (services: Context.Context<never>, context: Context.Context<never>): Context.Context<never> => {
  const { mapUnsafe } = services
  if (mapUnsafe.size > 6) return Context.merge(services, context)
  let whole = context
  for (const [key, service] of mapUnsafe) {
    if (Option.isNone(Context.getOption(context, { key } as Context.Key<never, unknown>))) {
      whole = Context.addUnsafe(whole, key, service)
    }
  }
  return whole
}

/** A handler as a body: given its arguments, a function of what the engine gives it. */
export const bodyOf = (handler: Handler) => {
  const services = servicesOf(handler)
  return (args: unknown, toolkit: unknown) => (context: Context.Context<never>) =>
    Effect.updateContext(
      attempt(`Tool '${handler.name}'`, () => handler.handler(args, toolkit as never)),
      (_: Context.Context<never>) => under(services, context)
    ) as Effect.Effect<unknown, unknown> // a handler's own requirements are in its context: effect/ai erases them
}

/** Partial results go to nobody: there is one reply to a call. */
export const noPreliminary = { preliminary: () => Effect.void }

/** Succeeds when a result can be said: it encodes and is JSON (I9). */
export const encodable = (tool: Tool.Any, value: unknown): Effect.Effect<unknown, unknown> => {
  // an interim result of a body's own making is none of ours
  if (value instanceof McpSchema.InputRequired) {
    return Effect.die(new Error(Text.ownInputRequired(`Tool '${tool.name}'`)))
  }
  return value instanceof McpSchema.CallToolResult
    ? Reply.check(McpSchema.CallToolResult, value)
    : Codec.resultCodec(tool).encode(value)
}
