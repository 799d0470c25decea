/**
 * One round of a call of a tool, prompt or resource with its resolvers, whoever called it: a request from the wire, a
 * program in process, or another call.
 *
 * The resolvers run, then the body; its result is encoded; then the scope closes with that verdict (I9), and what the
 * round ends in is given to the caller. Nothing else signals an end.
 */
import { CallToolResult } from "effect/ai/McpSchema"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ParentSpan } from "effect/Tracer"
import { Call, Elicitation, McpContext, Roots, Sampling } from "../base/keys.ts"
import type { Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import type { Override } from "../graph/definition.ts"
import { label, type Plan } from "../graph/plan.ts"
import { questionErrorOf } from "../question/modelError.ts"
import { Asker, CurrentAsker } from "./asker.ts"
import type * as Body from "./body.ts"
import { type Calling, CurrentCalling } from "./calling.ts"
import { type CallExit, toExit } from "./exit.ts"
import { fill, isValues, pending } from "./inputs.ts"
import * as Nodes from "./nodes.ts"
import { report } from "./report.ts"
import * as Telemetry from "./telemetry.ts"

export const questionServices: ReadonlyArray<Context.Key<any, Service>> = [Elicitation, Sampling, Roots]

export interface Invocation<A> {
  readonly plan: Plan
  readonly overrides: ReadonlyArray<Override | undefined> | undefined
  readonly args: { readonly [name: string]: unknown }
  /** The request's services, or those that a program in process provides. */
  readonly context: Context.Context<never>
  readonly calling: Calling
  readonly mcp: McpContext["Service"]
  /** What resolvers ask by; a body finds it only when its tool says that it asks. */
  readonly questions: (context: Context.Context<never>) => Context.Context<never>
  readonly asks: boolean
  /** The body with its own services in reach, as a function of what the engine gives it. */
  readonly body: (context: Context.Context<never>) => Effect.Effect<unknown, unknown>
  /** Makes the reply of what the body gave; what cannot be made is a failure of the call. */
  readonly encode: (value: unknown) => Effect.Effect<A, unknown>
  /** Makes the reply of a failure that the tool has declared; `undefined` for all others. */
  readonly declared: (error: unknown) => Effect.Effect<A, unknown> | undefined
  /** Makes of open questions what goes out, or what ends the call in their place. */
  readonly suspend: Effect.Effect<CallExit<A>>
  readonly prefix: string
  /** The how-manieth call of its round it is: 0 is the outer one. */
  readonly sequence: number
  readonly parent: Asker | undefined
}

/** The three services by which a body of this call asks, all by one implementation. */
export const offer =
  (service: Service) =>
  (context: Context.Context<never>): Context.Context<never> =>
    questionServices.reduce((context, key) => Context.add(context, key, service), context)

/** What users see of a call, and no more. */
class Identity {
  readonly startedAt: number
  readonly #memory: Calling["memory"]
  constructor(memory: Calling["memory"]) {
    this.#memory = memory
    this.startedAt = memory.startedAt
  }
  get id() {
    return this.#memory.id
  }
}

export const execute = <A>(invocation: Invocation<A>): Effect.Effect<CallExit<A>> => {
  const { context, plan } = invocation
  if (!Telemetry.isTraced(context)) return run(invocation)
  return Telemetry.inSpan(
    "Resolve.call",
    { context, attributes: { [`effect_resolve.${plan.owner.kind.toLowerCase()}`]: plan.owner.name } },
    (span) => run({ ...invocation, context: Context.add(context, ParentSpan, span) }),
    (exit) => ({
      attributes: { "effect_resolve.outcome": Exit.isSuccess(exit) ? exit.value._tag.toLowerCase() : "interrupted" },
      exit:
        Exit.isSuccess(exit) && exit.value._tag !== "Suspended" ? Telemetry.withoutValue(toExit(exit.value)) : Exit.void
    })
  )
}

const run = <A>(invocation: Invocation<A>): Effect.Effect<CallExit<A>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const { calling, parent } = invocation
      const scope = Scope.makeUnsafe()
      return Effect.flatMap(Effect.exit(restore(round(invocation, scope))), (exit) => {
        if (parent === undefined) calling.end()
        return Exit.isSuccess(exit) ? close(invocation, scope, exit.value) : interrupted(invocation, scope, exit)
      })
    })
  )

/** The verdict is known: nothing that may fail comes after, but closing itself. */
const close = <A>(invocation: Invocation<A>, scope: Scope.Closeable, exit: CallExit<A>): Effect.Effect<CallExit<A>> => {
  const { calling, plan } = invocation
  const told = exit._tag === "Broken" ? report(plan.owner, calling.memory.id, exit.cause) : undefined
  const closed = Effect.matchCauseEffect(Scope.close(scope, toExit(exit)), {
    onSuccess: () => Effect.succeed(exit),
    onFailure: (cause) =>
      Effect.as(
        report(plan.owner, calling.memory.id, cause),
        // what failed may have been the commit
        exit._tag === "Completed" ? ({ _tag: "Broken", cause, begun: true } as const) : exit
      )
  })
  return told === undefined ? closed : Effect.andThen(told, closed)
}

const interrupted = <A>(
  { calling, plan }: Invocation<unknown>,
  scope: Scope.Closeable,
  exit: Exit.Failure<A, never>
): Effect.Effect<A> =>
  Effect.andThen(
    Effect.catchCause(Scope.close(scope, exit), (cause) => report(plan.owner, calling.memory.id, cause)),
    exit
  )

const round = <A>(invocation: Invocation<A>, scope: Scope.Closeable): Effect.Effect<CallExit<A>> => {
  const { asks, calling, parent, plan, prefix, sequence } = invocation
  const base = invocation.context.pipe(
    Context.add(Scope.Scope, scope as Scope.Scope),
    Context.add(Call, new Identity(calling.memory)),
    Context.add(McpContext, invocation.mcp),
    Context.add(CurrentCalling, calling as Calling | undefined)
  )
  const asking = asks || plan.nodes.length > 0 ? invocation.questions(base) : base
  const call: Body.Call = {
    plan,
    overrides: invocation.overrides,
    args: invocation.args,
    calling,
    context: asking,
    prefix,
    sequence,
    parent
  }
  return Effect.flatMap(Nodes.gather(call), (inputs): Effect.Effect<CallExit<A>> => {
    if (inputs === pending) return invocation.suspend
    if (!isValues(inputs)) return judge(invocation, inputs, calling.begun)
    // a resolver may have the name of a body that does not ask: what they call must not meet under one path
    const path = prefix + (asks ? plan.path : `>${plan.path}`)
    const asker = new Asker(plan.owner.name, path, plan.nodes.length, sequence, parent)
    const context = fill(Context.add(asks ? asking : base, CurrentAsker, asker), plan, plan.roots, inputs)
    calling.begun = true
    const body = Effect.exit(asks ? own(asker, invocation.body(context)) : invocation.body(context))
    return Effect.flatMap(body, (exit): Effect.Effect<CallExit<A>> => {
      asker.ended = true
      return asker.pending ? invocation.suspend : judge(invocation, exit, true)
    })
  })
}

/** A body that asks has a fiber of its own: a suspension interrupts that one and nothing else (I11). */
const own = (asker: Asker, body: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(
    Effect.forkDetach(
      Effect.withFiber((fiber) => {
        asker.fiber = fiber
        return body
      }),
      { startImmediately: true }
    ),
    (fiber) =>
      Effect.onInterrupt(
        Effect.callback<unknown, unknown>((resume) => void fiber.addObserver(resume)),
        () => {
          fiber.interruptUnsafe()
          return Effect.callback<void>((resume) => void fiber.addObserver(() => resume(Effect.void)))
        }
      )
  )

/** The one place where a round's end is told from the others. */
const judge = <A>(
  invocation: Invocation<A>,
  exit: Exit.Exit<unknown, unknown>,
  begun: boolean
): Effect.Effect<CallExit<A>> => {
  const broken = (cause: Cause.Cause<unknown>): CallExit<A> => ({ _tag: "Broken", cause, begun })
  if (Exit.isSuccess(exit)) {
    return Effect.matchCause(
      Effect.suspend(() => invocation.encode(exit.value)),
      {
        onFailure: broken,
        onSuccess: (reply): CallExit<A> =>
          reply instanceof CallToolResult && reply.isError === true
            ? { _tag: "Failed", error: reply, reply, begun }
            : { _tag: "Completed", reply }
      }
    )
  }
  const question = questionErrorOf(exit.cause)
  if (question !== undefined) {
    // in process the program is given what its types say, which may be another error around it
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error ?? question
    return Effect.succeed({ _tag: "Failed", error, reply: undefined, begun })
  }
  const failure = Cause.findFail(exit.cause)
  const declared =
    failure._tag === "Success" && !Cause.hasDies(exit.cause) ? invocation.declared(failure.success.error) : undefined
  if (declared !== undefined) {
    const { error } = (failure as Extract<typeof failure, { readonly _tag: "Success" }>).success
    return Effect.matchCause(declared, {
      onFailure: broken,
      onSuccess: (reply): CallExit<A> => ({ _tag: "Failed", error, reply, begun })
    })
  }
  return Effect.succeed(
    broken(
      // an interruption by a resolver's or body's own doing is no cancelled request
      Cause.hasInterruptsOnly(exit.cause)
        ? Cause.die(new Error(Text.interrupted(label(invocation.plan.owner)), { cause: exit.cause }))
        : exit.cause
    )
  )
}
