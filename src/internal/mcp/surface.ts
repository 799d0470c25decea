/** What tools, prompts and resources share: a handler that effect/ai calls with decoded arguments, inside a round. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { ParentSpan } from "effect/Tracer"
import * as Text from "../base/sentences.ts"
import * as Engine from "../call/engine.ts"
import * as Plan from "../graph/plan.ts"
import { CurrentRound, endingOf, type Round } from "./round.ts"

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
      return Text.argumentUnreadable(check.name, check.resolver)
    }
  }
  return undefined
}

export interface Handled extends Pick<Engine.Invocation, "plan" | "overrides" | "args" | "asks" | "body"> {
  /** What becomes of a failure that effect/ai must not see; without it effect/ai maps the failure itself. */
  readonly failed?: ((exit: Exit.Failure<unknown, unknown>, round: Round) => Effect.Effect<never, unknown>) | undefined
}

/** Runs resolvers and body; what effect/ai has no room for is left in the round, and the handler ends without a value. */
export const inRound = ({ failed, ...handled }: Handled): Effect.Effect<unknown, unknown> =>
  Effect.withFiber((fiber) => {
    const { plan, args } = handled
    const round = Context.get(fiber.context, CurrentRound)
    if (round === undefined) {
      return Effect.die(new Error(Text.outsideOfRegistration(Plan.label(plan.owner))))
    }
    round.started = true
    const problem = argumentProblem(plan, args)
    if (problem !== undefined) {
      round.ending = { _tag: "Said", message: problem, invalidArguments: true }
      return Effect.interrupt
    }
    return Effect.flatMap(
      Engine.execute({
        ...handled,
        context: round.span === undefined ? fiber.context : Context.add(fiber.context, ParentSpan, round.span),
        session: round.session,
        mcp: round.mcp,
        questions: Engine.offer(round.service),
        prefix: "",
        parent: undefined
      }),
      (outcome): Effect.Effect<unknown, unknown> => {
        round.decoded = args
        round.ending = endingOf(outcome)
        if (outcome._tag === "Suspended" || (round.ending !== undefined && round.ending._tag !== "Value")) {
          return Effect.interrupt
        }
        const exit = Engine.settled(plan, outcome.exit)
        return failed !== undefined && Exit.isFailure(exit) ? failed(exit, round) : exit
      }
    )
  })
