/**
 * Questions that ride back inside the result: the call suspends, the client answers and retries (2026-07-28).
 *
 * An answer counts only for the exact question that was shown, when it arrives and when it is restored (I3). It is
 * looked up only after a body asks, and never stands in for a computed value (I4).
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { AskFailed, type Capabilities, MissingCapability, type Question } from "../../../Question.ts"
import { canonicalJson } from "../../base/canonical.ts"
import * as Text from "../../base/sentences.ts"
import { missing } from "../../question/capabilities.ts"
import * as Asker from "../asker.ts"
import type { Outcome, Recorded, Session } from "../memory.ts"
import * as Telemetry from "../telemetry.ts"
import type { Interpreter, Turn } from "./interpreter.ts"

export interface Options {
  readonly session: Session
  readonly declared: Capabilities
  readonly digest: (text: string) => Effect.Effect<string>
  readonly maxStale: number
  /** Called for each answer that is dropped because its question has changed. */
  readonly onStale: (turn: Turn) => Effect.Effect<void>
}

const toAnswer = ({ kind, data }: Outcome): unknown =>
  kind === "answer" ? data : kind === "accept" ? { action: "accept", content: data } : { action: kind }

const record = (
  question: Question<unknown, unknown>,
  digest: string,
  answer: unknown,
  invalid: AskFailed | undefined
): Outcome => {
  // what was wrong with it and not what it was: a replay fails with the same words
  if (invalid !== undefined) return { digest, kind: "invalid", data: invalid.detail }
  if (question.method !== "elicitation/create") return { digest, kind: "answer", data: answer }
  const { action, content } = answer as { readonly action: Recorded; readonly content?: unknown }
  return action === "accept" ? { digest, kind: "accept", data: content ?? undefined } : { digest, kind: action }
}

const invalidOf = (exit: Exit.Exit<unknown, unknown>): AskFailed | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Cause.findErrorOption(exit.cause)
  return Option.isSome(error) && error.value instanceof AskFailed && error.value.reason === "InvalidAnswer"
    ? error.value
    : undefined
}

/** What the record says of a question: its outcome, or that it must be asked (again, or because it has changed). */
type Verdict<A, E> = Exit.Exit<A, E> | "ask" | "stale"

export const make = (options: Options): Interpreter => {
  const { session } = options

  const suspend = <A, E>(
    { asker, key, count }: Turn,
    question: Question<A, E>,
    text: string,
    digest: string | undefined
  ): Effect.Effect<never, MissingCapability> => {
    const required = missing(question.requires, options.declared)
    if (required !== undefined) {
      return Effect.fail(new MissingCapability({ resolver: asker.key, requiredCapabilities: required }))
    }
    // what was recorded from here on is no longer what this run asks
    const outcomes = session.outcomes.get(key)
    if (outcomes !== undefined) outcomes.length = Math.min(outcomes.length, count)
    session.pending.set(key, {
      resolver: asker.key,
      wireKey: asker.wireKey,
      index: asker.index,
      order: session.pending.size,
      method: question.method,
      params: question.params,
      text,
      digest
    })
    return Asker.suspend(asker, session.parked)
  }

  const verdict = Effect.fnUntraced(function* <A, E>(
    { asker, key, count }: Turn,
    question: Question<A, E>,
    digest: string
  ): Effect.fn.Return<Verdict<A, E | AskFailed>> {
    const outcomes = session.outcomes.get(key) ?? []
    const recorded = outcomes[count]
    if (recorded !== undefined) {
      if (recorded.digest !== digest) return "stale"
      if (recorded.kind === "invalid") {
        const detail = String(recorded.data)
        return Exit.fail(new AskFailed({ resolver: asker.key, reason: "InvalidAnswer", detail }))
      }
      const exit = yield* Effect.exit(question.interpret(toAnswer(recorded), asker.key))
      // one that no longer decodes is asked again
      return invalidOf(exit) === undefined ? exit : "ask"
    }
    if (count > outcomes.length || !session.fresh.has(key) || !session.asked.has(key)) return "ask"
    const answer = session.fresh.get(key)
    if (session.asked.get(key) !== digest) {
      session.fresh.delete(key)
      return "stale"
    }
    const exit = yield* Effect.exit(question.interpret(answer, asker.key))
    // taken when it is read: one whose reading was cut short is kept
    session.fresh.delete(key)
    const outcome = record(question, digest, answer, invalidOf(exit))
    outcomes.push(outcome)
    session.outcomes.set(key, outcomes)
    if (outcome.kind === "decline" || outcome.kind === "cancel") yield* Telemetry.countRefusal(outcome.kind)
    return exit
  })

  /** An answer to a question that has since changed: asked again, but not for ever (I13). */
  const stale = (turn: Turn, again: Effect.Effect<never, MissingCapability>): Effect.Effect<never, MissingCapability> =>
    Effect.suspend(() => {
      const { asker, key } = turn
      const count = (session.stale.get(key) ?? 0) + 1
      session.stale.set(key, count)
      if (count < options.maxStale) return Effect.andThen(options.onStale(turn), again)
      return Asker.abort(asker, session.parked, new Asker.Unstable({ message: Text.changing(asker.key, count) }))
    })

  return {
    supports: (capabilities) => Effect.sync(() => missing(capabilities, options.declared) === undefined),
    ask: <A, E>(turn: Turn, question: Question<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | AskFailed | MissingCapability> => {
        const { asker, key } = turn
        const text = canonicalJson({ method: question.method, params: question.params })
        // nothing can be known of it yet: no look-up, no digest
        if (!session.outcomes.has(key) && !session.fresh.has(key)) return suspend(turn, question, text, undefined)
        return Asker.looking(
          asker,
          Effect.flatMap(options.digest(text), (digest) =>
            Effect.map(verdict(turn, question, digest), (verdict) => ({ verdict, digest }))
          )
        ).pipe(
          Effect.flatMap(({ verdict, digest }): Effect.Effect<A, E | AskFailed | MissingCapability> => {
            if (session.outcomes.has(key) || session.asked.has(key)) asker.again = againBecause(verdict)
            if (verdict === "ask") return suspend(turn, question, text, digest)
            if (verdict === "stale")
              return stale(
                turn,
                Effect.suspend(() => suspend(turn, question, text, digest))
              )
            return verdict
          })
        )
      })
  }
}

/** Why a question is put once more, for traces. */
const againBecause = (verdict: Verdict<unknown, unknown>): string | undefined =>
  verdict === "stale" ? Text.questionChanged : verdict === "ask" ? Text.noAnswerCounts : undefined

/**
 * What becomes of answers that no question of this round has taken. Where their resolver has asked something else
 * instead, its questions change by their labels, which `stale` cannot see: gives the sentence for that, in time (I13).
 * The others are kept for the round that reaches their question (I15).
 */
export const untaken = (session: Session, maxStale: number): string | undefined => {
  for (const [key, data] of session.fresh) {
    const digest = session.asked.get(key)
    if (digest === undefined) continue
    const instead = Array.from(session.pending.values()).find(
      ({ wireKey }) => key === wireKey || key.startsWith(`${wireKey}#`)
    )
    if (instead === undefined) {
      session.outcomes.set(key, [...(session.outcomes.get(key) ?? []), { digest, kind: "answer", data }])
      continue
    }
    const count = (session.stale.get(instead.wireKey) ?? 0) + 1
    session.stale.set(instead.wireKey, count)
    if (count >= maxStale) return Text.changing(instead.resolver, count)
  }
  return undefined
}
