/** Tools with resolvers: what a tool remembers of its list, and its handler with the graph run before it. */
import * as McpSchema from "effect/ai/McpSchema"
import type * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Asker from "./asker.ts"
import { type Override, referenceOf } from "./definition.ts"
import * as Engine from "./engine.ts"
import * as Plan from "./plan.ts"
import { CurrentRound, endingOf } from "./round.ts"

/** The list of a tool, kept on the tool itself: effect/ai's `dependencies` leave nothing at run time. */
export class List extends Context.Service<List, () => ReadonlyArray<unknown>>()("effect-resolve/internal/List") {}

const none: ReadonlyArray<unknown> = []

/** A list as it is written: given, or given later. */
export const thunk = (dependencies: unknown): (() => ReadonlyArray<unknown>) =>
  typeof dependencies === "function"
    ? (dependencies as () => ReadonlyArray<unknown>)
    : () => (dependencies ?? none) as ReadonlyArray<unknown>

export const listOf = (tool: Tool.Any): (() => ReadonlyArray<unknown>) =>
  Context.getOrUndefined(tool.annotations, List) ?? (() => none)

const questionKeys = new Set(Engine.questionServices.map((key) => key.key))

/** A body asks only when its tool lists a question service. */
export const asks = (list: ReadonlyArray<unknown>): boolean =>
  list.some((element) => Context.isKey(element) && referenceOf(element) === undefined && questionKeys.has(element.key))

export interface Planned {
  readonly plan: Plan.Plan
  readonly asks: boolean
}

const plans = new WeakMap<Tool.Any, Result.Result<Planned, Plan.InvalidSignature>>()

const bodyClash = (plan: Plan.Plan): boolean => plan.nodes.some((node) => node.definition.key === plan.owner.name)

/** The plan of a tool, made once per tool. */
export const planOf = (tool: Tool.Any): Result.Result<Planned, Plan.InvalidSignature> => {
  const known = plans.get(tool)
  if (known !== undefined) return known
  const list = listOf(tool)
  const owner: Plan.Owner = { kind: "Tool", name: tool.name, arguments: Plan.argumentsOf(tool.parametersSchema) }
  const planned = Result.flatMap(Plan.make(owner, list), (plan): Result.Result<Planned, Plan.InvalidSignature> => {
    const planned = { plan, asks: asks(list()) }
    return planned.asks && bodyClash(plan)
      ? Result.fail(
          new Plan.InvalidSignature({
            owner: `Tool '${tool.name}'`,
            path: [tool.name],
            message: `Tool '${tool.name}': its body asks under the tool's name, which is also the key of one of its resolvers; rename one of them`
          })
        )
      : Result.succeed(planned)
  })
  plans.set(tool, planned)
  return planned
}

// ---------------------------------------------------------------- arguments

const predicates = new WeakMap<Plan.Check, (u: unknown) => boolean>()

/** What a resolver's own schema finds wrong with the decoded arguments (DESIGN.md 2), in words for the client. */
export const argumentProblem = (plan: Plan.Plan, args: { readonly [name: string]: unknown }): string | undefined => {
  for (const check of plan.checks) {
    let is = predicates.get(check)
    if (is === undefined) {
      is = Schema.is(Schema.toType(Schema.Struct({ [check.name]: check.schema })))
      predicates.set(check, is)
    }
    if (!is(Object.hasOwn(args, check.name) ? { [check.name]: args[check.name] } : {})) {
      return `argument '${check.name}' is not one that resolver '${check.resolver}' can read`
    }
  }
  return undefined
}

// ---------------------------------------------------------------- handlers

type Handler = Tool.Handler<string>

// services of one request: a handler built while another request ran must not bring them along
const requestKeys = [
  McpSchema.McpRequestContext,
  McpSchema.McpServerClient,
  HttpServerRequest.HttpServerRequest,
  HttpServerRequest.ParsedSearchParams,
  HttpRouter.RouteContext
] as const

const lasting = (context: Context.Context<never>): Context.Context<never> => Context.omit(...requestKeys)(context)

export const bodyOf = (handler: Handler) => {
  const services = lasting(handler.context)
  return (args: unknown, toolkit: unknown) => (context: Context.Context<never>) =>
    Effect.updateContext(
      Effect.suspend(() => handler.handler(args, toolkit as never)),
      (_: Context.Context<never>) => (services.mapUnsafe.size === 0 ? context : Context.merge(services, context))
    ) as Effect.Effect<unknown, unknown> // a handler's own requirements are in its context: effect/ai erases them
}

/** A handler with its resolvers run first; what effect/ai has no room for is left in the round. */
export const wrap = (
  planned: Planned,
  handler: Handler,
  overrides: ReadonlyArray<Override | undefined> | undefined
): Handler => {
  const { plan } = planned
  const body = bodyOf(handler)
  const run = (args: Engine.Invocation["args"], toolkit: unknown): Effect.Effect<unknown, unknown> =>
    Effect.withFiber((fiber) => {
      const round = Context.get(fiber.context, CurrentRound)
      if (round === undefined)
        return Effect.die(new Error(`Tool '${plan.owner.name}' was called outside of its registration`))
      round.started = true
      const problem = argumentProblem(plan, args)
      if (problem !== undefined) {
        round.ending = { _tag: "Said", message: problem }
        return Effect.interrupt
      }
      return Effect.flatMap(
        Engine.execute({
          plan,
          overrides,
          args,
          context: fiber.context,
          session: round.session,
          mcp: round.mcp,
          questions: Engine.offer(round.service),
          asks: planned.asks,
          body: body(args, toolkit),
          prefix: "",
          parent: undefined as Asker.Asker | undefined
        }),
        (outcome) => {
          round.decoded = args
          round.ending = endingOf(outcome)
          if (round.ending !== undefined && round.ending._tag !== "Value") return Effect.interrupt
          return outcome._tag === "Suspended" ? Effect.interrupt : Engine.settled(plan, outcome.exit)
        }
      )
    })
  // effect/ai erases what a handler takes and gives, too
  return { ...handler, context: Context.empty(), handler: run as Handler["handler"] }
}
