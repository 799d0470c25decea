/** Tools run in process: by a program, inside another call, or by a language model. */
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { McpContext } from "../base/keys.ts"
import { ElicitationError } from "../base/questionErrors.ts"
import type { Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { type Asker, CurrentAsker } from "../call/asker.ts"
import { isEngineService, toService } from "../call/asking.ts"
import * as Call from "../call/call.ts"
import { Calling, CurrentCalling } from "../call/calling.ts"
import { type CallExit, suspended } from "../call/exit.ts"
import * as InProcess from "../call/interpreter/inProcess.ts"
import * as Memory from "../call/memory.ts"
import { suspend } from "../call/suspension.ts"
import { escape } from "../graph/definition.ts"
import * as Plan from "../graph/plan.ts"
import { argumentProblem } from "./arguments.ts"
import * as Codec from "./codec.ts"
import { inProcess } from "./context.ts"
import * as Tools from "./tools.ts"

type Arguments = { readonly [name: string]: unknown }

/** The question services of the program, seen to by the engine; those of a call that is joined already are. */
const adopt =
  (calling: Calling) =>
  (context: Context.Context<never>): Context.Context<never> => {
    let adopted = context
    for (const key of Call.questionServices) {
      const service: Service | undefined = Context.getOrUndefined(context, key)
      if (service === undefined || isEngineService(service)) continue
      adopted = Context.add(
        adopted,
        key,
        toService(calling, undefined, () => InProcess.make(service))
      )
    }
    return adopted
  }

interface Outer {
  readonly asker: Asker
  readonly calling: Calling
}

/** The body in whose context a call is made: the call joins that body's. */
const joined = (context: Context.Context<never>): Outer | undefined => {
  const asker = Context.get(context, CurrentAsker)
  const calling = Context.get(context, CurrentCalling)
  // a closure that outlived its call is a program of its own
  if (asker === undefined || calling === undefined || asker.ended || calling.ended) return undefined
  return { asker, calling }
}

/** A tool's name or a label within a path: `a` with `b/c` is not `a/b` with `c` (I10). */
const segment = (text: string): string => escape(text).replaceAll("/", encodeURIComponent)

/** Where the keys of a call inside a call begin. */
const prefixOf = ({ wireKey }: Asker, tool: string, label: string | undefined): string =>
  `${wireKey}>${segment(tool)}${label === undefined ? "" : `#${segment(label)}`}/`

const run = (
  tool: Tool.Any,
  planned: Tools.Planned,
  args: Arguments,
  toolkit: unknown,
  context: Context.Context<never>,
  label: string | undefined
): Effect.Effect<unknown, unknown> =>
  Effect.withFiber((fiber) => {
    const { plan } = planned
    const outer = joined(context)
    const prefix = outer === undefined ? "" : prefixOf(outer.asker, plan.owner.name, label)
    const sequence = outer === undefined ? 0 : outer.calling.ledger.enter(prefix)
    // twice the same would let one call take the other's values
    if (sequence === undefined) return Effect.die(new Error(Text.calledTwice(outer!.asker.key, plan.owner.name)))
    const calling = outer?.calling ?? new Calling(Memory.make(fiber.getRef(Clock).currentTimeMillisUnsafe()))
    const result = Codec.resultCodec(tool)
    const executed = Call.execute<unknown>({
      plan,
      overrides: Plan.overridesOf(plan, context),
      args,
      context,
      calling,
      // a call made inside a request's call has that request at hand
      mcp: outer === undefined ? inProcess : Context.get(context as Context.Context<McpContext>, McpContext),
      questions: adopt(calling),
      asks: planned.asks,
      body: Tools.bodyOf(Context.getUnsafe(context, planned.handler))(args, toolkit),
      encode: (value) => Effect.as(Tools.encodable(tool, value), value),
      declared: (error) => (result.isFailure(error) ? Effect.as(result.encodeFailure(error), undefined) : undefined),
      suspend: Effect.succeed(suspended),
      prefix,
      sequence,
      parent: outer?.asker
    })
    if (outer === undefined) return Effect.flatMap(executed, (exit) => give(plan, exit))
    const left = Effect.onExit(executed, (exit) =>
      Effect.sync(() => outer.calling.ledger.leave(outer.asker, prefix, outcomeOf(exit)))
    )
    // the question of the inner call is one of the outer: its body suspends, too
    return Effect.flatMap(left, (exit) =>
      exit._tag === "Suspended" ? suspend(outer.asker, calling.parked) : give(plan, exit)
    )
  })

const outcomeOf = (exit: Exit.Exit<CallExit<unknown>>): "answered" | "failed" | "suspended" => {
  if (Exit.isFailure(exit)) return "failed"
  return exit.value._tag === "Completed" ? "answered" : exit.value._tag === "Suspended" ? "suspended" : "failed"
}

/** What the end of a call is to a program. */
const give = (plan: Plan.Plan, exit: CallExit<unknown>): Effect.Effect<unknown, unknown> => {
  switch (exit._tag) {
    case "Completed":
      return Effect.succeed(exit.reply)
    case "Failed":
      // a body's own `isError` result is its success there
      return exit.reply === undefined ? Effect.fail(exit.error) : Effect.succeed(exit.reply)
    case "Broken":
      return Effect.failCause(exit.cause)
    case "Suspended":
      return Effect.die(new Error(Text.suspendedOutside(Plan.label(plan.owner))))
  }
}

export const call = (
  tool: Tool.Any,
  args: unknown,
  label: string | undefined,
  invalid: (message: string) => unknown
): Effect.Effect<unknown, unknown> =>
  Effect.withFiber(({ context }) =>
    Effect.flatMap(Effect.orDie(Effect.fromResult(Tools.planOf(tool))), (planned) =>
      Effect.flatMap(
        Effect.mapError(Codec.decodeInProcess(tool)(args), ({ message }) => invalid(message)),
        (decoded) => {
          const problem = argumentProblem(planned.plan, decoded)
          return problem !== undefined
            ? Effect.fail(invalid(problem))
            : run(tool, planned, decoded, Tools.noPreliminary, context, label)
        }
      )
    )
  )

// question errors are part of a tool's failure there, so that they are thrown or returned as its `failureMode` says
const widen = (tool: Tool.Any): Tool.Any =>
  Context.getOrUndefined(tool.annotations, Tools.List) === undefined
    ? tool
    : (tool as Tool.Tool<string, any>).setFailure(Schema.Union([tool.failureSchema, ElicitationError]))

export const withHandlers = Effect.fnUntraced(function* (toolkit: Toolkit.Any) {
  const context = yield* Effect.context<never>()
  const tools = Object.values(toolkit.tools)
  let handlers = context
  for (const tool of tools) {
    const planned = yield* Effect.fromResult(Tools.planOf(tool))
    const handler = Context.getUnsafe(context, planned.handler)
    const wrapped: Tool.Handler<string>["handler"] = (args, toolkit) =>
      Effect.withFiber((fiber) => {
        const problem = argumentProblem(planned.plan, args)
        if (problem !== undefined) return Effect.die(new Error(`Tool '${tool.name}': ${problem}`))
        const merged = Context.merge(context, fiber.context)
        return run(tool, planned, args, toolkit, merged, undefined) as Effect.Effect<any, any> // as effect/ai erases it
      })
    handlers = Context.add(handlers, planned.handler, {
      ...handler,
      context: Context.empty(),
      handler: wrapped
    })
  }
  return yield* Effect.updateContext(
    Toolkit.make(...tools.map((tool) => Codec.shadow(widen(tool)))) as unknown as Effect.Effect<unknown>, // whose handlers are all in the context
    (_: Context.Context<never>) => handlers
  )
})
