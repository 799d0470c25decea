/** Tools with resolvers: what a tool remembers of its list, and its handler with the graph run before it. */
import * as McpSchema from "effect/ai/McpSchema"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { CurrentLogLevel } from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { Scope } from "effect/Scope"
import { ParentSpan } from "effect/Tracer"
import { attempt } from "../base/attempt.ts"
import * as Text from "../base/sentences.ts"
import * as Engine from "../call/engine.ts"
import { type Override, referenceOf } from "../graph/definition.ts"
import * as Plan from "../graph/plan.ts"
import { inRound } from "./surface.ts"

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

const questionKeys = new Set(Engine.questionServices.map((key) => key.key))

/** A body asks only when its tool lists a question service. */
export const asks = (list: ReadonlyArray<unknown>): boolean =>
  list.some((element) => Context.isKey(element) && referenceOf(element) === undefined && questionKeys.has(element.key))

export interface Listed {
  readonly plan: Plan.Plan
  readonly asks: boolean
}

/** A tool with its plan, and what is made of it once. */
export interface Planned extends Listed {
  readonly handler: Context.Key<never, Tool.Handler<string>>
  readonly decode: (args: unknown) => Effect.Effect<{ readonly [name: string]: unknown }, Schema.SchemaError>
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
  const planned = Result.map(
    listed,
    (listed): Planned => ({
      ...listed,
      handler: Context.Service(tool.id),
      decode: decoder(tool)
    })
  )
  plans.set(tool, planned)
  return planned
}

const decoder = (tool: Tool.Any): Planned["decode"] => {
  const schema = tool.parametersSchema as Schema.Codec<{ readonly [name: string]: unknown }, unknown>
  let decode: ((input: unknown, options: SchemaAST.ParseOptions) => ReturnType<Planned["decode"]>) | undefined
  const options = { onExcessProperty: Tool.getStrictMode(tool) === true ? "error" : "ignore" } as const
  return (args) => {
    decode ??= Schema.decodeUnknownEffect(schema)
    return decode(args, options)
  }
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

export const bodyOf = (handler: Handler) => {
  const services = servicesOf(handler)
  return (args: unknown, toolkit: unknown) => (context: Context.Context<never>) =>
    Effect.updateContext(
      attempt(`Tool '${handler.name}'`, () => handler.handler(args, toolkit as never)),
      (_: Context.Context<never>) => under(services, context)
    ) as Effect.Effect<unknown, unknown> // a handler's own requirements are in its context: effect/ai erases them
}

/** A handler with its resolvers run first. */
export const wrap = (
  planned: Planned,
  handler: Handler,
  overrides: ReadonlyArray<Override | undefined> | undefined
): Handler => {
  const body = bodyOf(handler)
  const run = (args: Engine.Invocation["args"], toolkit: unknown) =>
    inRound({ plan: planned.plan, asks: planned.asks, overrides, args, body: body(args, toolkit) })
  // effect/ai erases what a handler takes and gives, too
  return { ...handler, context: Context.empty(), handler: run as Handler["handler"] }
}
