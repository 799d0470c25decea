/** Tools run in process: by a program, inside another call, or by a language model. */
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { ElicitationError } from "../../Elicitation.ts"
import { McpContext } from "../../McpContext.ts"
import type { Service } from "../../Question.ts"
import * as Text from "../base/sentences.ts"
import * as Asker from "../call/asker.ts"
import * as Engine from "../call/engine.ts"
import * as InProcess from "../call/interpreter/inProcess.ts"
import { isEngineService, toService } from "../call/interpreter/interpreter.ts"
import * as Session from "../call/memory.ts"
import type { Outcome } from "../call/nodes.ts"
import { escape } from "../graph/definition.ts"
import * as Plan from "../graph/plan.ts"
import { inProcess } from "./context.ts"
import { unstableOf } from "./round.ts"
import { argumentProblem } from "./surface.ts"
import * as Tools from "./tools.ts"

/** The question services of the program, seen to by the engine; those of a call that is joined already are. */
const adopt =
  (session: Session.Session) =>
  (context: Context.Context<never>): Context.Context<never> => {
    let adopted = context
    for (const key of Engine.questionServices) {
      const service: Service | undefined = Context.getOrUndefined(context, key)
      if (service === undefined || isEngineService(service)) continue
      adopted = Context.add(
        adopted,
        key,
        toService(session, () => InProcess.make(session, service))
      )
    }
    return adopted
  }

/** The body in whose context a call is made: the call joins that body's. */
const joined = (context: Context.Context<never>): Asker.Asker | undefined => {
  const asker = Context.get(context, Asker.CurrentAsker)
  // a closure that outlived its call is a program of its own
  return asker === undefined || asker.ended || asker.session.ended ? undefined : asker
}

/** A tool's name or a label within a path: `a` with `b/c` is not `a/b` with `c` (I10). */
const segment = (text: string): string => escape(text).replaceAll("/", encodeURIComponent)

/** Where the keys of a call inside a call begin; twice the same would let one call take the other's values. */
const prefixOf = (asker: Asker.Asker, tool: string, label: string | undefined): string | undefined => {
  const path = `${asker.wireKey}>${segment(tool)}${label === undefined ? "" : `#${segment(label)}`}/`
  const turns = asker.turns.get(path)
  if (turns !== undefined && turns.state !== "failed") return undefined
  asker.turns.set(path, { count: 0, state: "open" })
  return path
}

const run = (
  planned: Tools.Planned,
  handler: Tool.Handler<string>,
  args: Engine.Invocation["args"],
  toolkit: unknown,
  context: Context.Context<never>,
  label: string | undefined
): Effect.Effect<unknown, unknown> =>
  Effect.withFiber((fiber) => {
    const { plan } = planned
    const outer = joined(context)
    const prefix = outer === undefined ? "" : prefixOf(outer, plan.owner.name, label)
    if (prefix === undefined) {
      return Effect.die(new Error(Text.calledTwice(outer!.key, plan.owner.name)))
    }
    const session = outer?.session ?? Session.make(fiber.getRef(Clock).currentTimeMillisUnsafe())
    const executed = Engine.execute({
      plan,
      overrides: Plan.overridesOf(plan, context),
      args,
      context,
      session,
      // a call made inside a request's call has that request at hand
      mcp: outer === undefined ? inProcess : Context.get(context as Context.Context<McpContext>, McpContext),
      questions: adopt(session),
      asks: planned.asks,
      body: Tools.bodyOf(handler)(args, toolkit),
      prefix,
      parent: outer
    })
    return Effect.flatMap(
      outer === undefined ? executed : Effect.onExit(executed, (exit) => Effect.sync(() => leave(outer, prefix, exit))),
      (outcome) => {
        if (outcome._tag === "Done") {
          const unstable = unstableOf(outcome.exit)
          return unstable === undefined || outer === undefined
            ? Engine.settled(plan, outcome.exit)
            : Asker.abort(outer, session.parked, unstable)
        }
        // the question of the inner call is one of the outer: its body suspends, too
        return outer === undefined
          ? Effect.die(new Error(Text.suspendedOutside(Plan.label(plan.owner))))
          : Asker.suspend(outer, session.parked)
      }
    )
  })

/** A call that failed may be made again in the same place, as `Effect.retry` does. */
const leave = (outer: Asker.Asker, prefix: string, exit: Exit.Exit<Outcome>): void => {
  outer.turns.get(prefix)!.state = succeeded(exit) ? "answered" : "failed"
  // a failure beats a pending question here, too; what its caller's own question has cut off is still to be asked
  if (outer.pending || (Exit.isSuccess(exit) && exit.value._tag === "Suspended")) return
  const { pending } = outer.session
  for (const key of pending.keys()) if (key.startsWith(prefix)) pending.delete(key)
}

const succeeded = (exit: Exit.Exit<Outcome>): boolean =>
  Exit.isSuccess(exit) && exit.value._tag === "Done" && Exit.isSuccess(exit.value.exit)

const handlerOf = ({ handler }: Tools.Planned, context: Context.Context<never>): Tool.Handler<string> =>
  Context.getUnsafe(context, handler)

export const call = (
  tool: Tool.Any,
  args: unknown,
  label: string | undefined,
  invalid: (message: string) => unknown
): Effect.Effect<unknown, unknown> =>
  Effect.withFiber((fiber) => {
    const { context } = fiber
    return Effect.flatMap(Effect.orDie(Effect.fromResult(Tools.planOf(tool))), (planned) =>
      Effect.flatMap(
        Effect.mapError(planned.decode(args), ({ message }) => invalid(message)),
        (decoded) => {
          const problem = argumentProblem(planned.plan, decoded)
          return problem !== undefined
            ? Effect.fail(invalid(problem))
            : run(planned, handlerOf(planned, context), decoded, noPreliminary, context, label)
        }
      )
    )
  })

const noPreliminary = { preliminary: () => Effect.void }

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
    const handler = handlerOf(planned, context)
    const wrapped: Tool.Handler<string>["handler"] = (args, toolkit) =>
      Effect.withFiber((fiber) => {
        const problem = argumentProblem(planned.plan, args)
        if (problem !== undefined) return Effect.die(new Error(`Tool '${tool.name}': ${problem}`))
        const merged = Context.merge(context, fiber.context)
        return run(planned, handler, args, toolkit, merged, undefined) as Effect.Effect<any, any> // as effect/ai erases it
      })
    handlers = Context.add(handlers, planned.handler, {
      ...handler,
      context: Context.empty(),
      handler: wrapped
    })
  }
  return yield* Effect.updateContext(
    Toolkit.make(...tools.map(widen)) as unknown as Effect.Effect<unknown>, // whose handlers are all in the context
    (_: Context.Context<never>) => handlers
  )
})
