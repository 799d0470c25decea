/** Everything that a question can end with besides an answer, and the mark by which such errors are told from others. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Text from "./sentences.ts"

/**
 * Marks every error that a question can end with. Tools need not declare such errors, and a user's own `Declined`
 * must not pass for ours, so the mark is checked and not the tag.
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
 * JSON-RPC error -32021 with `data.requiredCapabilities`, on every protocol version
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic).
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
 * fit, use `Effect.retry` on the question: it works on every protocol version.
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
 * The person read the question and said no.
 *
 * @category errors
 * @since 0.1.0
 */
export class Declined
  extends Schema.TaggedError<Declined>()("Declined", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String
  })
  implements QuestionError
{
  readonly [TypeId] = TypeId
  override get message(): string {
    return Text.unresolved(this.resolver, Text.declined)
  }
}

/**
 * The person closed the question without an answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class Cancelled
  extends Schema.TaggedError<Cancelled>()("Cancelled", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String
  })
  implements QuestionError
{
  readonly [TypeId] = TypeId
  override get message(): string {
    return Text.unresolved(this.resolver, Text.cancelled)
  }
}

/**
 * Schema of everything an elicitation can end with. A tool whose body asks declares it by listing `Elicitation`.
 *
 * @category errors
 * @since 0.1.0
 */
export const ElicitationError = Schema.Union([Declined, Cancelled, MissingCapability, AskFailed])

/**
 * Everything an elicitation can end with.
 *
 * @category errors
 * @since 0.1.0
 */
export type ElicitationError = Declined | Cancelled | MissingCapability | AskFailed

/** What a question can end with that nobody can decline: one to the client's model, or for its roots. */
export const AskError = Schema.Union([MissingCapability, AskFailed])

/**
 * A resolver took longer than its `timeout`. Like the errors of questions it needs no declaration by the tool: its
 * message may be shown.
 *
 * @category errors
 * @since 0.1.0
 */
export class TimedOut
  extends Schema.TaggedError<TimedOut>()("TimedOut", {
    /** The key of the resolver. */
    resolver: Schema.String,
    /** Its limit, in words. */
    limit: Schema.String
  })
  implements QuestionError
{
  readonly [TypeId] = TypeId
  override get message(): string {
    return Text.unresolved(this.resolver, Text.tookTooLong(this.limit))
  }
}
