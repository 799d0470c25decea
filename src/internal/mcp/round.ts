/**
 * One request of a call on the wire: its state is opened before anything runs (I8), the interpreter is chosen, and
 * what the engine made of it becomes a result, an interim result or a refusal.
 */
import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Span } from "effect/Tracer"
import type { McpContext } from "../../McpContext.ts"
import { MaxStaleAnswers, MissingCapability, type Service } from "../../Question.ts"
import { type Binding, RequestState, type Service as Seal } from "../../RequestState.ts"
import * as Text from "../base/sentences.ts"
import { CurrentReadCarrier } from "../base/wire.ts"
import { Unstable } from "../call/asker.ts"
import * as BackChannel from "../call/interpreter/backChannel.ts"
import { toService } from "../call/interpreter/interpreter.ts"
import * as MultiRound from "../call/interpreter/multiRound.ts"
import * as Session from "../call/memory.ts"
import type { Outcome } from "../call/nodes.ts"
import * as Telemetry from "../call/telemetry.ts"
import { unavailable } from "../question/elicitation.ts"
import { questionErrorOf } from "../question/modelError.ts"
import { fromRequest, NestedRead } from "./context.ts"
import * as Refusal from "./refusal.ts"

/** How a call ended, where effect/ai's own result has no room for it. */
export type Ending =
  | { readonly _tag: "Suspended" }
  | { readonly _tag: "Refused"; readonly refusal: Refusal.Refusal }
  /** A sentence for the client: a refusal of a question, a time limit, or arguments that a resolver cannot read. */
  | { readonly _tag: "Said"; readonly message: string; readonly invalidArguments?: true }
  | { readonly _tag: "Value"; readonly value: unknown }

export interface Round {
  readonly session: Session.Session
  /** Trace and span of the round before, as sealed. */
  readonly previous: Telemetry.Trace | undefined
  readonly mcp: McpContext["Service"]
  readonly service: Service
  /** Whether the handler was reached: arguments decode before that. */
  started: boolean
  /** The decoded arguments, once they are known. */
  decoded: unknown
  ending: Ending | undefined
  /** The span of this round, in a program that traces. */
  span: Span | undefined
}

/** The registration opens a round, the handler beside it fills it: effect/ai's own code runs between the two. */
export const CurrentRound = Context.Reference<Round | undefined>("effect-resolve/internal/CurrentRound", {
  defaultValue: () => undefined
})

const rejected = (binding: Binding, reason: string, cause?: unknown) =>
  Effect.logWarning(Text.rejectedStateOn(binding.method, reason), ...(cause === undefined ? [] : [cause])).pipe(
    Effect.andThen(Telemetry.countRejection(reason)),
    Effect.andThen(Effect.fail(Refusal.frozen))
  )

const openState = (seal: Seal, binding: Binding, token: unknown, answers: { readonly [key: string]: unknown }) =>
  Effect.matchEffect(seal.open(binding, token), {
    onFailure: ({ reason, cause }) => rejected(binding, reason, cause),
    onSuccess: ({ issuedAt, payload, startedAt }) =>
      Effect.map(
        Effect.catch(Session.unpack(payload, startedAt, answers), () => rejected(binding, Text.otherPayload)),
        (opened) => ({ ...opened, askedAt: issuedAt })
      )
  })

const open = (
  server: McpServer["Service"],
  binding: Binding,
  seal: Seal,
  context: Context.Context<never>,
  now: number
): Effect.Effect<Round, Refusal.Refusal> => {
  const request = Context.getUnsafe(context, McpSchema.McpRequestContext)
  const client = Context.getOrUndefined(context, McpSchema.McpServerClient)
  const silent = Context.get(context, NestedRead)
    ? Text.readInsideCall
    : binding.method === "resources/read" &&
        client === undefined &&
        Context.get(context, CurrentReadCarrier) === undefined
      ? Text.needsOurAdapters
      : undefined
  const interpreter = (session: Session.Session) =>
    client !== undefined
      ? BackChannel.make({ session, client, context, owner: binding.target })
      : MultiRound.make({
          session,
          declared: request.clientCapabilities,
          digest: seal.digest,
          maxStale: Context.get(context, MaxStaleAnswers),
          onStale: ({ asker }) => Effect.logDebug(Text.discarded(asker.key))
        })
  const start = (session: Session.Session, previous: Telemetry.Trace | undefined): Round => ({
    session,
    previous,
    mcp: fromRequest(server, request, context, session),
    service: silent !== undefined ? unavailable(silent) : toService(session, () => interpreter(session)),
    started: false,
    decoded: undefined,
    ending: undefined,
    span: undefined
  })
  if (request.requestState === undefined || client !== undefined) {
    return Effect.succeed(start(Session.make(now), undefined))
  }
  // answers without a state prove nothing: nobody knows what they answer
  return Effect.flatMap(openState(seal, binding, request.requestState, request.inputResponses ?? {}), (opened) =>
    Effect.as(
      opened.session.fresh.size === 0 ? Effect.void : Telemetry.recordAnswerTime(now - opened.askedAt),
      start(opened.session, opened.trace)
    )
  )
}

/** The end of a call whose question keeps changing: it passes every consumer as a defect does. */
export const unstableOf = (exit: Exit.Exit<unknown, unknown>): Unstable | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Die" && reason.defect instanceof Unstable) return reason.defect
  }
  return undefined
}

/** What an outcome of the engine means for this round; `undefined` leaves it to effect/ai. */
export const endingOf = (outcome: Outcome): Ending | undefined => {
  if (outcome._tag === "Suspended") return outcome
  if (Exit.isSuccess(outcome.exit)) return { _tag: "Value", value: outcome.exit.value }
  const unstable = unstableOf(outcome.exit)
  if (unstable !== undefined) return { _tag: "Said", message: unstable.message }
  const error = questionErrorOf(outcome.exit.cause)
  if (error === undefined) return undefined
  return error instanceof MissingCapability
    ? { _tag: "Refused", refusal: Refusal.missingCapability(error) }
    : { _tag: "Said", message: error.message }
}

// ---------------------------------------------------------------- the interim result

const internal = (problem: string, cause?: unknown) =>
  Effect.andThen(Effect.logError(problem, ...(cause === undefined ? [] : [cause])), Effect.fail(Refusal.internal))

const interim = Effect.fnUntraced(function* (
  binding: Binding,
  seal: Seal,
  session: Session.Session,
  context: Context.Context<never>,
  trace: Telemetry.Trace | undefined
) {
  const maxStale = Context.get(context, MaxStaleAnswers)
  const { protocolVersion: protocol } = Context.getUnsafe(context, McpSchema.McpRequestContext)
  const changing = MultiRound.untaken(session, maxStale)
  if (changing !== undefined) return { _tag: "Said", message: changing } as const
  const pending = Array.from(session.pending).sort(([, a], [, b]) => a.index - b.index || a.order - b.order)
  // the client would retry for ever
  if (pending.length === 0) return yield* internal(Text.noQuestion(binding.target))
  for (const [, question] of pending) {
    question.digest ??= yield* seal.digest(question.text)
    yield* Telemetry.questionPut({
      resolver: question.resolver,
      owner: binding.target,
      method: question.method,
      protocol
    })
  }
  const requestState = yield* Effect.catch(
    seal.seal(binding, { startedAt: session.startedAt, payload: Session.pack(session, trace) }),
    (error) => internal(Text.unsealable(error.reason), error)
  )
  if (requestState.length > seal.maxBytes) {
    return {
      _tag: "Said",
      message: Text.tooMuchState(requestState.length, seal.maxBytes, Session.heaviest(session))
    } as const
  }
  return new McpSchema.InputRequired({
    inputRequests: Object.fromEntries(
      pending.map(([key, { method, params }]) => [key, params === undefined ? { method } : { method, params }])
    ) as { readonly [key: string]: McpSchema.McpInputRequest }, // made by the constructors of the three kinds
    requestState
  })
})

export interface Options<A> {
  readonly server: McpServer["Service"]
  readonly method: Binding["method"]
  readonly target: string
  /** As the client sent them. */
  readonly arguments: unknown
  /** effect/ai's own handler, given what it must decode: what was sent, or what an earlier round made of it (I6). */
  readonly handle: (args: unknown) => Effect.Effect<A, unknown, McpSchema.McpRequestContext>
  /** Arguments to seal in place of what was sent, because decoding added something to them (I6). */
  readonly generated: (decoded: unknown) => Effect.Effect<unknown>
  readonly complete: (exit: Exit.Exit<A, unknown>, round: Round) => Effect.Effect<A, unknown>
  readonly said: (message: string, invalidArguments: boolean) => Effect.Effect<A, unknown>
}

export const run = <A>(
  options: Options<A>
): Effect.Effect<A | McpSchema.InputRequired, unknown, McpSchema.McpRequestContext> =>
  Effect.withFiber((fiber) => {
    const context = fiber.context
    const seal = Context.get(context, RequestState)
    const binding: Binding = { method: options.method, target: options.target, arguments: options.arguments }
    const now = fiber.getRef(Clock).currentTimeMillisUnsafe()
    return Effect.flatMap(
      Effect.andThen(Telemetry.countRound, open(options.server, binding, seal, context, now)),
      (round) =>
        Telemetry.isTraced(context)
          ? Telemetry.inSpan(
              "Resolve.round",
              {
                context,
                // effect/ai writes the arguments into the span that it finds
                hidden: true,
                parent: Telemetry.parentIn(Context.getUnsafe(context, McpSchema.McpRequestContext).requestMetadata),
                links: round.previous === undefined ? [] : [Telemetry.linkTo(round.previous)],
                attributes: {
                  "effect_resolve.method": binding.method,
                  "effect_resolve.target": binding.target,
                  "effect_resolve.call": round.session.id
                }
              },
              (span) => {
                round.span = span
                return fill(options, binding, seal, context, round, [span.traceId, span.spanId])
              },
              (exit) => ({
                attributes: { "effect_resolve.outcome": outcomeOf(exit) },
                exit: Telemetry.withoutValue(exit)
              })
            )
          : fill(options, binding, seal, context, round, undefined)
    )
  })

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? "refused" : exit.value instanceof McpSchema.InputRequired ? "input_required" : "complete"

const fill = <A>(
  options: Options<A>,
  binding: Binding,
  seal: Seal,
  context: Context.Context<never>,
  round: Round,
  trace: Telemetry.Trace | undefined
): Effect.Effect<A | McpSchema.InputRequired, unknown, McpSchema.McpRequestContext> =>
  Effect.flatMap(
    Effect.exit(Effect.provideService(options.handle(round.session.args ?? options.arguments), CurrentRound, round)),
    (exit): Effect.Effect<A | McpSchema.InputRequired, unknown> => {
      switch (round.ending?._tag) {
        case "Suspended":
          return Effect.flatMap(
            Effect.flatMap(options.generated(round.decoded), (args) => {
              round.session.args ??= args
              return interim(binding, seal, round.session, context, trace)
            }),
            (result): Effect.Effect<A | McpSchema.InputRequired, unknown> =>
              result._tag === "Said" ? options.said(result.message, false) : Effect.succeed(result)
          )
        case "Refused":
          return Effect.fail(round.ending.refusal)
        case "Said":
          return options.said(round.ending.message, round.ending.invalidArguments === true)
        default:
          return options.complete(exit, round)
      }
    }
  )
