/** A question on its way to whoever answers it, and the limits on it. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { AskFailed, Capabilities, MissingCapability } from "./questionErrors.ts"

/**
 * How long one question may stay open on the back channel of an older protocol: 10 minutes unless changed, or set by
 * the question's own `timeout`. On 2026-07-28 no clock of ours runs while a person thinks.
 *
 * As the other two limits it is a reference: provide it to the registrations or to the server they are part of, as in
 * `Layer.provide(registrations, Layer.succeed(Question.Timeout, "2 minutes"))`.
 *
 * @category references
 * @since 0.1.0
 */
export const Timeout = Context.Reference<Duration.Input>("effect-resolve/Question/Timeout", {
  defaultValue: () => "10 minutes"
})

/**
 * How long one call on an older protocol may take up to its last question: 30 minutes unless changed. Nothing is
 * sent after it has passed.
 *
 * @category references
 * @since 0.1.0
 */
export const CallTimeout = Context.Reference<Duration.Input>("effect-resolve/Question/CallTimeout", {
  defaultValue: () => "30 minutes"
})

/**
 * How many stale rounds in a row end a call with an error that names the resolver: 2 unless changed (rule I13). Stale is a
 * round in which a question has changed since it was shown, or in which a resolver that was sent answers found a question for
 * none of them and asked all the same.
 *
 * @category references
 * @since 0.1.0
 */
export const MaxStaleAnswers = Context.Reference<number>("effect-resolve/Question/MaxStaleAnswers", {
  defaultValue: () => 2
})

/**
 * The protocol's method for each kind of question.
 *
 * @category models
 * @since 0.1.0
 */
export type Method = "elicitation/create" | "sampling/createMessage" | "roots/list"

/**
 * One question on its way to whoever answers it.
 *
 * `params` is the request as 2026-07-28 has it; `project` gives it as another protocol version has it, or says why
 * that version cannot express it. `interpret` turns the answer, as JSON, into the value, or the error that it stands for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Question<out A, out E> {
  readonly method: Method
  readonly params: { readonly [key: string]: unknown } | undefined
  /** Tells a second question of one body apart. */
  readonly label: string | undefined
  readonly timeout: Duration.Input | undefined
  readonly requires: Capabilities
  readonly project: (
    protocolVersion: string,
    resolver: string
  ) => Effect.Effect<{ readonly [key: string]: unknown } | undefined, AskFailed>
  readonly interpret: (answer: unknown, resolver: string) => Effect.Effect<A, E | AskFailed>
}

/**
 * What the three question services offer, whoever implements them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /** Puts the question and gives its answer. */
  readonly ask: <A, E>(question: Question<A, E>) => Effect.Effect<A, E | AskFailed | MissingCapability>
  /** Tells whether the other side declared these capabilities. */
  readonly supports: (capabilities: Capabilities) => Effect.Effect<boolean>
}
