/**
 * Questions that the server sends mid-call to a client of 2025-11-25 or older, one at a time, first come first served.
 *
 * Each has its own time limit, under one limit for the whole call; nothing is sent after it has passed (DESIGN.md 3).
 * effect/ai answers a malformed result with a defect; here the answer is read as on 2026-07-28 (`serve/answers.ts`), or
 * is a typed failure under effect/ai's own adapters.
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
import * as Question from "../../../Question.ts"
import * as Text from "../../base/sentences.ts"
import { type Answered, CurrentAnswer } from "../../base/wire.ts"
import { missing } from "../../question/capabilities.ts"
import { wrongKind } from "../../question/elicitation.ts"
import * as Asker from "../asker.ts"
import { hasStoppedAsking, type Session } from "../memory.ts"
import { CurrentQuestionObserver } from "../observer.ts"
import { whileOpen } from "../stopwatch.ts"
import * as Telemetry from "../telemetry.ts"
import type { Interpreter, Turn } from "./interpreter.ts"

type Client = McpSchema.McpServerClient["Service"]
type Params = { readonly [key: string]: unknown } | undefined

const decodeElicit = Schema.decodeUnknownEffect(McpSchema.Elicit.payloadSchema)
const decodeCreateMessage = Schema.decodeUnknownEffect(McpSchema.CreateMessage.payloadSchema)
const encodeElicit = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.ElicitResult))
const encodeCreateMessage = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.CreateMessageResult))
const encodeRoots = Schema.encodeUnknownEffect(Schema.toCodecJson(McpSchema.ListRootsResult))

// plain objects would fail in effect/ai without a hint: it wants its own classes
const send = (client: McpSchema.McpReverseClient, method: Question.Method, params: Params) => {
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

const omitContext = ({ context: _, ...rest }: NonNullable<Question.Capabilities["sampling"]>) => rest

/** Everything that is no answer, as one typed failure; interruption stays what it is. */
const failed = (resolver: string, cause: Cause.Cause<unknown>): Effect.Effect<never, Question.AskFailed> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    const code = error instanceof McpSchema.McpReverseOperationError ? codeOf(error.cause) : undefined
    if (code !== undefined) {
      const detail = Text.clientError(code)
      return Effect.fail(new Question.AskFailed({ resolver, reason: "ClientError", code, detail, cause: error }))
    }
  }
  return Effect.fail(wrongKind(resolver, Cause.squash(cause)))
}

const timedOut = (resolver: string, detail: string) =>
  Effect.fail(new Question.AskFailed({ resolver, reason: "Timeout", detail }))

const actionOf = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "action" in answer
    ? ["decline", "cancel"].find((action) => action === answer.action)
    : undefined

export interface Options {
  readonly session: Session
  /** The tool, prompt or resource that is called. */
  readonly owner: string
  readonly client: Client
  /** The context of the request: limits are read from it. */
  readonly context: Context.Context<never>
}

export const make = ({ session, client, context, owner }: Options): Interpreter => {
  const turnstile = Semaphore.makeUnsafe(1)
  const perQuestion = Context.get(context, Question.Timeout)
  const perCall = Duration.fromInputUnsafe(Context.get(context, Question.CallTimeout))
  const observer = Context.get(context, CurrentQuestionObserver)

  /** A version that has no such question is as good as a client that did not declare it. */
  const lacks = (required: Question.Capabilities): Question.Capabilities | undefined => {
    const { protocolVersion, clientCapabilities } = client
    if (protocolVersion >= "2025-11-25") return missing(required, clientCapabilities)
    const { elicitation, sampling } = required
    const unknown =
      (elicitation !== undefined && (protocolVersion < "2025-06-18" || elicitation.url !== undefined)) ||
      sampling?.tools !== undefined
    // a context could be asked for then, without a capability of its own
    const known = sampling?.context === undefined ? required : { ...required, sampling: omitContext(sampling) }
    return unknown ? known : missing(known, clientCapabilities)
  }

  const put = Effect.fnUntraced(function* <A, E>({ asker, key }: Turn, question: Question.Question<A, E>) {
    const params = yield* question.project(client.protocolVersion, asker.key)
    const left = session.startedAt + Duration.toMillis(perCall) - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* timedOut(asker.key, Text.callTooLong(Duration.format(perCall)))
    const own = Duration.fromInputUnsafe(question.timeout ?? perQuestion)
    const limit = Duration.min(own, Duration.millis(left))
    if (observer !== undefined) yield* observer({ key, method: question.method, params })
    yield* Telemetry.questionPut({
      resolver: asker.key,
      owner,
      method: question.method,
      protocol: client.protocolVersion
    })
    const askedAt = yield* Clock.currentTimeMillis
    const wire: Answered = { answer: undefined }
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
    supports: (capabilities) => Effect.sync(() => lacks(capabilities) === undefined),
    ask: <A, E>(turn: Turn, question: Question.Question<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | Question.AskFailed | Question.MissingCapability> => {
        const { asker } = turn
        const required = lacks(question.requires)
        if (required !== undefined) {
          return Effect.fail(new Question.MissingCapability({ resolver: asker.key, requiredCapabilities: required }))
        }
        // a call that has ended, or will be refused for want of a capability, asks nothing more and waits for nobody
        const asked = Semaphore.withPermit(
          turnstile,
          Effect.suspend(() => (hasStoppedAsking(session) ? Effect.never : put(turn, question)))
        )
        const stopped = Effect.interruptible(Deferred.await(session.stopped))
        const open = Effect.flatMap(
          Effect.raceFirst(Effect.asSome(asked), Effect.as(stopped, Option.none<A>())),
          Option.match({
            // what asks when its call has ended is a fiber that was detached from it
            onNone: () => (session.ended ? Effect.interrupt : Asker.suspend(asker, session.parked)),
            onSome: Effect.succeed
          })
        )
        // those beside it have their capabilities checked before the first one is sent
        return whileOpen(Effect.andThen(Effect.yieldNow, open), asker, session.stopwatches)
      })
  }
}
