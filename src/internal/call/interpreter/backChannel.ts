/**
 * Questions that the server sends mid-call to a client of 2025-11-25 or older, one at a time, first come first served.
 *
 * Each has its own time limit, under one limit for the whole call; nothing is sent after it has passed. effect/ai
 * answers a malformed result with a defect; here the answer is read as on 2026-07-28, or is a typed failure under
 * effect/ai's own adapters.
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { AskFailed } from "../../base/questionErrors.ts"
import { CallTimeout, type Method, type Question, Timeout } from "../../base/questions.ts"
import * as Text from "../../base/sentences.ts"
import { type Answered, CurrentAnswer } from "../../base/wire.ts"
import { wrongKind } from "../../question/elicitation.ts"
import { lacking } from "../../question/revisions.ts"
import type { Calling } from "../calling.ts"
import type { Turn } from "../ledger.ts"
import { CurrentQuestionObserver } from "../observer.ts"
import { suspend } from "../suspension.ts"
import * as Telemetry from "../telemetry.ts"
import type { Interpreter } from "./interpreter.ts"

type Client = McpSchema.McpServerClient["Service"]
type Params = { readonly [key: string]: unknown } | undefined

const decodeElicit = Schema.decodeUnknownEffect(McpSchema.Elicit.payloadSchema)
const decodeCreateMessage = Schema.decodeUnknownEffect(McpSchema.CreateMessage.payloadSchema)
const encodeElicit = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.ElicitResult))
const encodeCreateMessage = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.CreateMessageResult))
const encodeRoots = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.ListRootsResult))

// plain objects would fail in effect/ai without a hint: it wants its own classes
const send = (client: McpSchema.McpReverseClient, method: Method, params: Params) => {
  switch (method) {
    case "elicitation/create":
      return Effect.flatMap(Effect.flatMap(decodeElicit(params), client.elicit), encodeElicit)
    case "sampling/createMessage":
      return Effect.flatMap(Effect.flatMap(decodeCreateMessage(params), client.createMessage), encodeCreateMessage)
    case "roots/list":
      // without an argument effect/ai sends `params: null`, which clients refuse
      return Effect.flatMap(client.listRoots({}), encodeRoots)
  }
}

const codeOf = (cause: unknown): number | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "number"
    ? cause.code
    : undefined

/** Everything that is no answer, as one typed failure; interruption stays what it is. */
const failed = (resolver: string, cause: Cause.Cause<unknown>): Effect.Effect<never, AskFailed> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    const code = error instanceof McpSchema.McpReverseOperationError ? codeOf(error.cause) : undefined
    if (code !== undefined) {
      const detail = Text.clientError(code)
      return Effect.fail(new AskFailed({ resolver, reason: "ClientError", code, detail, cause: error }))
    }
  }
  return Effect.fail(wrongKind(resolver, Cause.squash(cause)))
}

const timedOut = (resolver: string, detail: string) =>
  Effect.fail(new AskFailed({ resolver, reason: "Timeout", detail }))

const actionOf = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "action" in answer
    ? ["decline", "cancel"].find((action) => action === answer.action)
    : undefined

export interface Options {
  readonly calling: Calling
  readonly client: Client
  /** The context of the request: limits are read from it. */
  readonly context: Context.Context<never>
}

export const make = ({ calling, client, context }: Options): Interpreter => {
  const { clientCapabilities, protocolVersion } = client
  const turnstile = Semaphore.makeUnsafe(1)
  const perQuestion = Context.get(context, Timeout)
  const perCall = Duration.fromInputUnsafe(Context.get(context, CallTimeout))
  const observer = Context.get(context, CurrentQuestionObserver)

  const exchange = Effect.fnUntraced(function* <A, E>(
    { asker, key }: Turn,
    question: Question<A, E>,
    told: (method: Method) => Effect.Effect<void>
  ) {
    const params = yield* question.project(protocolVersion, asker.key)
    const left = calling.memory.startedAt + Duration.toMillis(perCall) - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* timedOut(asker.key, Text.callTooLong(Duration.format(perCall)))
    const own = Duration.fromInputUnsafe(question.timeout ?? perQuestion)
    const limit = Duration.min(own, Duration.millis(left))
    if (observer !== undefined) yield* observer({ key, method: question.method, params })
    yield* told(question.method)
    const askedAt = yield* Clock.currentTimeMillis
    const wire: Answered = { form: params?.requestedSchema, answer: undefined }
    const answered = yield* client.getClient.pipe(
      Effect.flatMap((reverse) => send(reverse, question.method, params)),
      Effect.scoped,
      Effect.provideService(CurrentAnswer, wire),
      // its span would be told the answer (I14)
      Effect.provideService(References.TracerEnabled, false),
      // an answer counts as the client wrote it, whatever effect/ai makes of it
      Effect.matchCauseEffect({
        onSuccess: (encoded) => Effect.succeed(wire.answer === undefined ? encoded : wire.answer.value),
        onFailure: (cause) => (wire.answer === undefined ? failed(asker.key, cause) : Effect.succeed(wire.answer.value))
      }),
      Effect.timeoutOption(limit)
    )
    if (Option.isNone(answered)) {
      return yield* timedOut(asker.key, Text.noAnswerIn(Duration.format(limit)))
    }
    yield* Telemetry.recordAnswerTime((yield* Clock.currentTimeMillis) - askedAt)
    const action = actionOf(answered.value)
    if (action !== undefined) yield* Telemetry.countRefusal(action)
    return yield* question.interpret(answered.value, asker.key)
  })

  return {
    lacking: (required) => lacking(protocolVersion, clientCapabilities, required),
    supports: (required) => Effect.sync(() => lacking(protocolVersion, clientCapabilities, required) === undefined),
    put: <A, E>(turn: Turn, question: Question<A, E>, told: (method: Method) => Effect.Effect<void>) =>
      Effect.suspend(() => {
        // it may have been stopped while others had their turn
        const asked = Semaphore.withPermit(
          turnstile,
          Effect.suspend(() => (calling.hasStopped ? Effect.never : exchange(turn, question, told)))
        )
        const stopped = Effect.interruptible(Deferred.await(calling.stopped))
        const open = Effect.flatMap(
          Effect.raceFirst(Effect.asSome(asked), Effect.as(stopped, Option.none<A>())),
          Option.match({
            // what asks when its call has ended is a fiber that was detached from it
            onNone: () => (calling.ended ? Effect.interrupt : suspend(turn.asker, calling.parked)),
            onSome: Effect.succeed
          })
        )
        // those beside it have their capabilities checked before the first one is sent
        return Effect.andThen(Effect.andThen(Effect.yieldNow, calling.paused), open)
      })
  }
}
