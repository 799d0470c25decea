/**
 * One request of a call on the wire: its state is opened before anything runs (I8), the interpreter is chosen, the
 * arguments are decoded (I6), and what the round ends in becomes a result, an interim result or a refusal.
 */
import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ParentSpan, type Span } from "effect/Tracer"
import { MissingCapability } from "../base/questionErrors.ts"
import type { Service } from "../base/questions.ts"
import { MaxStaleAnswers } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { CurrentReadCarrier } from "../base/wire.ts"
import * as Asking from "../call/asking.ts"
import * as Call from "../call/call.ts"
import { Calling } from "../call/calling.ts"
import type { CallExit } from "../call/exit.ts"
import * as BackChannel from "../call/interpreter/backChannel.ts"
import * as MultiRound from "../call/interpreter/multiRound.ts"
import * as Memory from "../call/memory.ts"
import * as Telemetry from "../call/telemetry.ts"
import type { Override } from "../graph/definition.ts"
import { unavailable } from "../question/elicitation.ts"
import { questionErrorIn } from "../question/modelError.ts"
import type { Binding, Opened as State } from "../state/claims.ts"
import { Journal } from "../state/journal.ts"
import { pack, type Trace, unpack } from "../state/packed.ts"
import { RequestState, type Service as Seal } from "../state/requestState.ts"
import { argumentProblem } from "./arguments.ts"
import * as BadState from "./badState.ts"
import { fromRequest, NestedRead } from "./context.ts"
import * as Once from "./journal.ts"
import * as Kept from "./kept.ts"
import * as Refusal from "./refusal.ts"
import type { Listed } from "./tools.ts"

type Arguments = { readonly [name: string]: unknown }

/** A tool, prompt or resource as one request calls it. */
export interface Surface<A> {
  readonly server: McpServer["Service"]
  readonly method: Binding["method"]
  readonly target: string
  /** As the client sent them, and as the state is bound to them. */
  readonly arguments: unknown
  readonly planned: Listed
  readonly overrides: ReadonlyArray<Override | undefined> | undefined
  /** Decodes what was sent, or what an earlier round made of it (I6); fails with what is wrong, in words. */
  readonly decode: (args: unknown) => Effect.Effect<Arguments, { readonly message: string }>
  /** Arguments to seal in place of what was sent, because decoding added something to them (I6). */
  readonly generated: (decoded: unknown) => Effect.Effect<unknown>
  readonly body: (args: Arguments) => (context: Context.Context<never>) => Effect.Effect<unknown, unknown>
  readonly encode: (value: unknown) => Effect.Effect<A, unknown>
  readonly declared: Call.Invocation<A>["declared"]
  /** A sentence for the client, in the shape of this surface. */
  readonly said: (message: string) => Effect.Effect<A, Refusal.Refusal>
  readonly invalid: (message: string) => Effect.Effect<A, Refusal.Refusal>
  readonly broken: Effect.Effect<A, Refusal.Refusal>
}

interface Opened {
  readonly calling: Calling
  /** Trace and span of the round before, as sealed. */
  readonly previous: Trace | undefined
  /** The state that it came with: what a journal claims. */
  readonly state: Pick<State, "id" | "expiresAt"> | undefined
  readonly service: Service
}

const openState = (seal: Seal, binding: Binding, request: McpSchema.McpRequestContext["Service"]) =>
  Effect.matchEffect(seal.open(binding, request.requestState), {
    onFailure: ({ reason, cause }) => BadState.refuse(binding.method, reason, cause),
    onSuccess: ({ expiresAt, id: stateId, issuedAt, payload, startedAt }) =>
      Effect.map(
        Effect.catch(unpack(payload), () => BadState.refuse(binding.method, Text.otherPayload)),
        ({ args, durable, id, recorded, shown, stale, trace }) => {
          // answers without a state prove nothing: nobody knows what they answer
          const fresh = new Map(Object.entries(request.inputResponses ?? {}))
          const memory: Memory.Memory = { id, startedAt, durable, args, questions: { recorded, shown, fresh, stale } }
          return { memory, trace, askedAt: issuedAt, state: { id: stateId, expiresAt } }
        }
      )
  })

const open = (
  { method, server: _, target }: Surface<unknown>,
  binding: Binding,
  seal: Seal,
  context: Context.Context<never>,
  now: number
): Effect.Effect<Opened, Refusal.Refusal> => {
  const request = Context.getUnsafe(context, McpSchema.McpRequestContext)
  const client = Context.getOrUndefined(context, McpSchema.McpServerClient)
  const silent = Context.get(context, NestedRead)
    ? Text.readInsideCall
    : method === "resources/read" && client === undefined && Context.get(context, CurrentReadCarrier) === undefined
      ? Text.needsOurAdapters
      : undefined
  const { clientCapabilities: declared, protocolVersion } = request
  const start = (memory: Memory.Memory, previous: Trace | undefined, state: Opened["state"]): Opened => {
    const calling = new Calling(memory)
    const interpreter = () =>
      client !== undefined
        ? BackChannel.make({ calling, client, context })
        : MultiRound.make({ calling, declared, protocolVersion })
    const audience = { owner: target, protocol: protocolVersion }
    const service = silent !== undefined ? unavailable(silent) : Asking.toService(calling, audience, interpreter)
    return { calling, previous, state, service }
  }
  if (request.requestState === undefined || client !== undefined) {
    return Effect.succeed(start(Memory.make(now), undefined, undefined))
  }
  return Effect.flatMap(openState(seal, binding, request), ({ askedAt, memory, state, trace }) =>
    Effect.as(
      memory.questions.fresh.size === 0 ? Effect.void : Telemetry.recordAnswerTime(now - askedAt),
      start(memory, trace, state)
    )
  )
}

// ---------------------------------------------------------------- the interim result

const internal = (problem: string, cause?: unknown): Effect.Effect<CallExit<never>> =>
  Effect.as(
    Effect.logError(problem, ...(cause === undefined ? [] : [cause])),
    failed<never>(Refusal.internal, undefined)
  )

const failed = <A>(error: Refusal.Refusal, reply: A | undefined): CallExit<A> => ({
  _tag: "Failed",
  error,
  reply,
  begun: true
})

/** A sentence in place of the questions. */
const said = <A>(surface: Surface<A>, message: string): Effect.Effect<CallExit<A>> =>
  Effect.match(surface.said(message), {
    onFailure: (refusal) => failed<A>(refusal, undefined),
    onSuccess: (reply) => failed(Refusal.sentence(message), reply)
  })

/** Seals what the call remembers, beside the questions that are open. */
const interim = Effect.fnUntraced(function* <A>(
  surface: Surface<A>,
  binding: Binding,
  seal: Seal,
  { calling }: Opened,
  context: Context.Context<never>,
  trace: Trace | undefined
): Effect.fn.Return<CallExit<A>> {
  const { ledger, memory } = calling
  const changing = ledger.settle(Context.get(context, MaxStaleAnswers))
  if (changing !== undefined) return yield* said(surface, changing)
  const { pending } = ledger
  // the client would retry for ever
  if (pending.length === 0) return yield* internal(Text.noQuestion(surface.target))
  const { args, durable, id, questions, startedAt } = memory
  const { recorded, stale } = questions
  const payload = pack({ id, recorded, shown: ledger.shown, stale, durable, args, trace })
  const sealed = yield* Effect.result(seal.seal(binding, { startedAt, payload }))
  if (sealed._tag === "Failure") return yield* internal(Text.unsealable(sealed.failure.reason), sealed.failure)
  const requestState = sealed.success
  if (requestState.length > seal.maxBytes) {
    return yield* said(surface, Text.tooMuchState(requestState.length, seal.maxBytes, Memory.heaviest(memory)))
  }
  const { protocolVersion: protocol } = Context.getUnsafe(context, McpSchema.McpRequestContext)
  for (const { method, turn } of pending) {
    yield* Asking.told({ owner: surface.target, protocol }, turn.asker, method)
  }
  const reply = new McpSchema.InputRequired({
    inputRequests: Object.fromEntries(
      pending.map(({ method, params, turn }) => [turn.key, params === undefined ? { method } : { method, params }])
    ) as { readonly [key: string]: McpSchema.McpInputRequest }, // made by the constructors of the three kinds
    requestState
  })
  return { _tag: "Suspended", reply }
})

// ---------------------------------------------------------------- a round

type Reply<A> = Effect.Effect<A | McpSchema.InputRequired, Refusal.Refusal>

export const run = <A>(surface: Surface<A>): Reply<A> =>
  Effect.withFiber((fiber) => {
    const context = fiber.context
    const seal = Context.get(context, RequestState)
    const binding: Binding = { method: surface.method, target: surface.target, arguments: surface.arguments }
    const now = fiber.getRef(Clock).currentTimeMillisUnsafe()
    const opened = Effect.andThen(Telemetry.countRound, open(surface, binding, seal, context, now))
    return Effect.flatMap(opened, (opened) => {
      if (!Telemetry.isTraced(context)) return answerOnce(surface, binding, seal, opened, context, undefined)
      return Telemetry.inSpan(
        "Resolve.round",
        {
          context,
          parent: Telemetry.parentIn(Context.getUnsafe(context, McpSchema.McpRequestContext).requestMetadata),
          links: opened.previous === undefined ? [] : [Telemetry.linkTo(opened.previous)],
          attributes: {
            "effect_resolve.method": binding.method,
            "effect_resolve.target": binding.target,
            "effect_resolve.call": opened.calling.memory.id
          }
        },
        (span) => answerOnce(surface, binding, seal, opened, Context.add(context, ParentSpan, span), span),
        (exit) => ({
          attributes: { "effect_resolve.outcome": outcomeOf(exit) },
          exit: Telemetry.withoutValue(exit)
        })
      )
    })
  })

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? "refused" : exit.value instanceof McpSchema.InputRequired ? "input_required" : "complete"

/** With a journal, a round that came with a state is answered once, however often it is sent. */
const answerOnce = <A>(
  surface: Surface<A>,
  binding: Binding,
  seal: Seal,
  opened: Opened,
  context: Context.Context<never>,
  span: Span | undefined
): Reply<A> => {
  const run = answer(surface, binding, seal, opened, context, span && [span.traceId, span.spanId])
  const journal = Context.get(context, Journal)
  if (journal === undefined || opened.state === undefined) return run
  const { calling, state } = opened
  return Once.once(
    journal,
    seal,
    {
      ...state,
      ...Kept.codecOf<A>(surface.method),
      call: calling.memory.id,
      method: surface.method,
      target: surface.target,
      answers: Context.getUnsafe(context, McpSchema.McpRequestContext).inputResponses,
      run,
      begun: (exit) => calling.begun || (Exit.isSuccess(exit) && exit.value instanceof McpSchema.InputRequired)
    },
    {
      refuse: (reason) => BadState.refuse(surface.method, reason),
      givenBack: Effect.sync(() => span?.attribute("effect_resolve.given_back", true))
    }
  )
}

const answer = <A>(
  surface: Surface<A>,
  binding: Binding,
  seal: Seal,
  opened: Opened,
  context: Context.Context<never>,
  trace: Trace | undefined
): Reply<A> => {
  const { calling, service } = opened
  const { planned, server } = surface
  const request = Context.getUnsafe(context, McpSchema.McpRequestContext)
  return Effect.matchEffect(surface.decode(calling.memory.args ?? surface.arguments), {
    onFailure: ({ message }) => surface.invalid(message),
    onSuccess: (args): Reply<A> => {
      const problem = argumentProblem(planned.plan, args)
      if (problem !== undefined) return surface.invalid(problem)
      const executed = Call.execute<A>({
        plan: planned.plan,
        asks: planned.asks,
        overrides: surface.overrides,
        args,
        context,
        calling,
        mcp: fromRequest(server, request, context, calling),
        questions: Call.offer(service),
        body: surface.body(args),
        encode: surface.encode,
        declared: surface.declared,
        suspend: Effect.flatMap(surface.generated(args), (generated) => {
          calling.memory.args ??= generated
          return interim(surface, binding, seal, opened, context, trace)
        }),
        prefix: "",
        sequence: 0,
        parent: undefined
      })
      return Effect.flatMap(executed, (exit) => replyOf(surface, exit))
    }
  })
}

/** What the end of a call is on the wire. */
const replyOf = <A>(
  surface: Surface<A>,
  exit: CallExit<A>
): Effect.Effect<A | McpSchema.InputRequired, Refusal.Refusal> => {
  switch (exit._tag) {
    case "Suspended":
      return exit.reply === undefined ? Effect.fail(Refusal.internal) : Effect.succeed(exit.reply)
    case "Completed":
      return Effect.succeed(exit.reply)
    case "Broken":
      return surface.broken
    case "Failed": {
      if (exit.reply !== undefined) return Effect.succeed(exit.reply)
      if (exit.error instanceof Refusal.Refusal) return Effect.fail(exit.error)
      const question = questionErrorIn(exit.error)
      if (question === undefined) return Effect.fail(Refusal.ofProtocol(exit.error as McpSchema.McpErrorBase)) // what else a surface declares
      return question instanceof MissingCapability
        ? Effect.fail(Refusal.missingCapability(question))
        : surface.said(question.message)
    }
  }
}
