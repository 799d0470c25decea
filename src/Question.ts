/**
 * What the three kinds of question share: forms and URLs (`Elicitation`), the client's model (`Sampling`) and its
 * roots (`Roots`). Here are the errors that any question can end with, the limits on a question, and the shape in
 * which a question reaches whoever answers it.
 *
 * A question is a service call. Who answers is decided by the transport, not by the program: on 2026-07-28 the
 * question rides back inside the result and the client retries; on older protocols the server sends the client a
 * request mid-call; in process the implementation is yours.
 *
 * Never catch these errors to carry on as if the person had said yes: `Declined`, `Cancelled`, `AskFailed` and
 * `MissingCapability` are four different things.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Text from "./internal/base/sentences.ts"

/**
 * Marks every error that a question can end with. Tools need not declare such errors, and a user's own `Declined`
 * must not pass for ours, so the mark is checked and not the tag (DESIGN.md 2).
 *
 * @category models
 * @since 0.1.0
 */
export const TypeId = "~effect-resolve/Question" as const

/**
 * The type of the mark on question errors.
 *
 * @category models
 * @since 0.1.0
 */
export type TypeId = typeof TypeId

/**
 * An error of a question: it names the resolver that asked, and its message is the sentence that a client is shown.
 *
 * @category errors
 * @since 0.1.0
 */
export interface QuestionError {
  readonly [TypeId]: TypeId
  readonly resolver: string
  readonly message: string
}

/**
 * Tells a question error from any other value, by its mark.
 *
 * @category guards
 * @since 0.1.0
 */
export const isQuestionError = (u: unknown): u is QuestionError => typeof u === "object" && u !== null && TypeId in u

/**
 * Client capabilities in the shape of the protocol: an object of objects, as deep as needed, such as
 * `{ elicitation: { url: {} } }` or `{ sampling: { tools: {} } }`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Capabilities {
  readonly elicitation?: { readonly form?: {} | undefined; readonly url?: {} | undefined } | undefined
  readonly sampling?: { readonly tools?: {} | undefined; readonly context?: {} | undefined } | undefined
  readonly roots?: {} | undefined
}

const capabilityNames = (capabilities: Capabilities): ReadonlyArray<string> => [
  ...(capabilities.elicitation?.form !== undefined ? ["form elicitation"] : []),
  ...(capabilities.elicitation?.url !== undefined ? ["url elicitation"] : []),
  ...(capabilities.sampling?.tools !== undefined ? ["sampling.tools"] : []),
  ...(capabilities.sampling?.context !== undefined ? ["sampling.context"] : []),
  ...(capabilities.sampling !== undefined && Object.keys(capabilities.sampling).length === 0 ? ["sampling"] : []),
  ...(capabilities.roots !== undefined ? ["roots"] : [])
]

/**
 * The client did not declare a capability that a question needs, so nothing was sent. Uncaught it ends the call as
 * JSON-RPC error -32021 with `data.requiredCapabilities`, on every protocol version (DESIGN.md 9;
 * https://modelcontextprotocol.io/specification/2026-07-28/basic).
 *
 * @category errors
 * @since 0.1.0
 */
export class MissingCapability
  extends Schema.TaggedError<MissingCapability>()("MissingCapability", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String,
    /** What is missing, as deep as needed. */
    requiredCapabilities: Schema.declare((u): u is Capabilities => typeof u === "object" && u !== null)
  })
  implements QuestionError
{
  readonly [TypeId] = TypeId
  override get message(): string {
    return Text.missingCapability(this.resolver, capabilityNames(this.requiredCapabilities))
  }
}

/**
 * Why a question has no usable answer: nobody answered in `Timeout`, the client answered with a JSON-RPC error
 * (`ClientError`, older protocols only), the answer does not fit the question (`InvalidAnswer`), or there was nobody
 * to ask (`Unavailable`).
 *
 * @category models
 * @since 0.1.0
 */
export type AskFailedReason = "Timeout" | "ClientError" | "InvalidAnswer" | "Unavailable"

/**
 * The question was put, or could not be, and no usable answer came back. To ask again after an answer that does not
 * fit, use `Effect.retry` on the question: it works on every protocol version (DESIGN.md 9).
 *
 * @category errors
 * @since 0.1.0
 */
export class AskFailed
  extends Schema.TaggedError<AskFailed>()("AskFailed", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String,
    reason: Schema.Literals(["Timeout", "ClientError", "InvalidAnswer", "Unavailable"]),
    /** The JSON-RPC code of a `ClientError`. */
    code: Schema.optionalKey(Schema.Number),
    /** What happened, in words that may be shown to the client. */
    detail: Schema.String,
    /** For logs only: the client's own error, or why an answer did not decode. */
    cause: Schema.optionalKey(Schema.Unknown).pipe(
      // it may hold a validator's words: nothing of it is encoded
      Schema.encodeTo(Schema.optionalKey(Schema.Never), {
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.omit()
      })
    )
  })
  implements QuestionError
{
  readonly [TypeId] = TypeId
  override get message(): string {
    return this.reason === "InvalidAnswer"
      ? Text.invalidAnswer(this.resolver, this.detail)
      : Text.unresolved(this.resolver, this.detail)
  }
}

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
 * sent after it has passed (DESIGN.md 3).
 *
 * @category references
 * @since 0.1.0
 */
export const CallTimeout = Context.Reference<Duration.Input>("effect-resolve/Question/CallTimeout", {
  defaultValue: () => "30 minutes"
})

/**
 * How many answers may arrive for a question that has changed since it was shown, before the call ends with an error
 * that names the resolver: 2 unless changed (rule I13).
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
 * that version cannot express it. `interpret` turns the answer, as JSON, into the value or the refusal.
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
