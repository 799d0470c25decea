/**
 * Runs a tool, prompt or resource with its resolvers, whoever called it: a request from the wire, a program in
 * process, or another call (FINDINGS b10). The scope of a call closes however it ends (I9).
 */
import { CallToolResult, InputRequired } from "effect/ai/McpSchema"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ParentSpan } from "effect/Tracer"
import { Call } from "../../Call.ts"
import { Elicitation } from "../../Elicitation.ts"
import { McpContext } from "../../McpContext.ts"
import type { Service } from "../../Question.ts"
import { Roots } from "../../Roots.ts"
import { Sampling } from "../../Sampling.ts"
import * as Text from "../base/sentences.ts"
import type { Override } from "../graph/definition.ts"
import { label, type Plan } from "../graph/plan.ts"
import * as Asker from "./asker.ts"
import * as Session from "./memory.ts"
import * as Run from "./nodes.ts"
import * as Telemetry from "./telemetry.ts"

export const questionServices: ReadonlyArray<Context.Key<any, Service>> = [Elicitation, Sampling, Roots]

export interface Invocation {
  readonly plan: Plan
  readonly overrides: ReadonlyArray<Override | undefined> | undefined
  readonly args: { readonly [name: string]: unknown }
  /** The request's services, or those that a program in process provides. */
  readonly context: Context.Context<never>
  readonly session: Session.Session
  readonly mcp: McpContext["Service"]
  /** What resolvers ask by; a body finds it only when its tool says that it asks. */
  readonly questions: (context: Context.Context<never>) => Context.Context<never>
  readonly asks: boolean
  /** The body with its own services in reach, as a function of what the engine gives it. */
  readonly body: (context: Context.Context<never>) => Effect.Effect<unknown, unknown>
  readonly prefix: string
  readonly parent: Asker.Asker | undefined
}

/** The three services by which a body of this call asks, all by one implementation. */
export const offer =
  (service: Service) =>
  (context: Context.Context<never>): Context.Context<never> =>
    questionServices.reduce((context, key) => Context.add(context, key, service), context)

/** What users see of a session, and no more. */
class Identity {
  readonly startedAt: number
  private readonly session: Session.Session
  constructor(session: Session.Session) {
    this.session = session
    this.startedAt = session.startedAt
  }
  get id() {
    return this.session.id
  }
}

/** To the log and to whoever collects errors; nothing of it goes to a client (I14). */
export const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.andThen(Effect.logError(cause), ErrorReporter.report(cause))

const exitOf = (outcome: Run.Outcome): Exit.Exit<unknown, unknown> =>
  outcome._tag === "Suspended"
    ? Exit.failCause(Asker.suspendedCause)
    : Exit.isSuccess(outcome.exit) &&
        outcome.exit.value instanceof CallToolResult &&
        outcome.exit.value.isError === true
      ? Exit.fail(outcome.exit.value)
      : outcome.exit

export const execute = (invocation: Invocation): Effect.Effect<Run.Outcome> => {
  const { context, plan } = invocation
  if (!Telemetry.isTraced(context)) return run(invocation)
  return Telemetry.inSpan(
    "Resolve.call",
    { context, attributes: { [`effect_resolve.${plan.owner.kind.toLowerCase()}`]: plan.owner.name } },
    (span) => run({ ...invocation, context: Context.add(context, ParentSpan, span) }),
    (exit) => ({
      attributes: { "effect_resolve.outcome": Exit.isSuccess(exit) ? exit.value._tag.toLowerCase() : "interrupted" },
      exit: Exit.isSuccess(exit) && exit.value._tag === "Done" ? Telemetry.withoutValue(exit.value.exit) : Exit.void
    })
  )
}

const run = (invocation: Invocation): Effect.Effect<Run.Outcome> =>
  Effect.suspend(() => {
    const { plan, session, asks, prefix, parent } = invocation
    const scope = Scope.makeUnsafe()
    const base = Context.add(
      Context.add(Context.add(invocation.context, Scope.Scope, scope), Call, new Identity(session)),
      McpContext,
      invocation.mcp
    )
    const asking = asks || plan.nodes.length > 0 ? invocation.questions(base) : base
    const call: Run.Call = {
      plan,
      overrides: invocation.overrides,
      args: invocation.args,
      session,
      context: asking,
      prefix,
      parent,
      cells: [],
      settled: [],
      askers: []
    }
    return Effect.onExit(
      Run.run(call, {
        key: plan.owner.name,
        path: plan.path,
        asks,
        context: asks ? asking : base,
        run: invocation.body
      }),
      (exit) => {
        const ended = Exit.isSuccess(exit) ? exitOf(exit.value) : exit
        if (parent === undefined) {
          session.ended = true
          Session.stopAsking(session)
          Asker.release(session.parked)
        }
        return Effect.catchCause(Scope.close(scope, ended), report)
      }
    )
  })

/**
 * What must not pass for something else: an interruption by a resolver's or body's own doing is no cancelled request,
 * and an interim result of a body's own making is none of ours (DESIGN.md 9).
 */
export const settled = (plan: Plan, exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) {
    return exit.value instanceof InputRequired ? Exit.die(new Error(Text.ownInputRequired(label(plan.owner)))) : exit
  }
  return Cause.hasInterruptsOnly(exit.cause)
    ? Exit.die(new Error(Text.interrupted(label(plan.owner)), { cause: exit.cause }))
    : exit
}
