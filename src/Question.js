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
import * as Context from "effect/Context";
import * as Schema from "effect/Schema";
/**
 * Marks every error that a question can end with. Tools need not declare such errors, and a user's own `Declined`
 * must not pass for ours, so the mark is checked and not the tag (DESIGN.md 2).
 *
 * @category models
 * @since 0.1.0
 */
export const TypeId = "~effect-resolve/Question";
/**
 * Tells a question error from any other value, by its mark.
 *
 * @category guards
 * @since 0.1.0
 */
export const isQuestionError = (u) => typeof u === "object" && u !== null && TypeId in u;
const capabilityNames = (capabilities) => [
    ...(capabilities.elicitation?.form !== undefined ? ["form elicitation"] : []),
    ...(capabilities.elicitation?.url !== undefined ? ["url elicitation"] : []),
    ...(capabilities.sampling?.tools !== undefined ? ["sampling.tools"] : []),
    ...(capabilities.sampling?.context !== undefined ? ["sampling.context"] : []),
    ...(capabilities.sampling !== undefined && Object.keys(capabilities.sampling).length === 0 ? ["sampling"] : []),
    ...(capabilities.roots !== undefined ? ["roots"] : [])
];
/**
 * The client did not declare a capability that a question needs, so nothing was sent. Uncaught it ends the call as
 * JSON-RPC error -32021 with `data.requiredCapabilities`, on every protocol version (DESIGN.md 9;
 * https://modelcontextprotocol.io/specification/2026-07-28/basic).
 *
 * @category errors
 * @since 0.1.0
 */
export class MissingCapability extends Schema.TaggedError()("MissingCapability", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String,
    /** What is missing, as deep as needed. */
    requiredCapabilities: Schema.declare((u) => typeof u === "object" && u !== null)
}) {
    [TypeId] = TypeId;
    get message() {
        const names = capabilityNames(this.requiredCapabilities);
        return `Client did not declare the ${names.join(", ")} ${names.length === 1 ? "capability" : "capabilities"} required by resolver '${this.resolver}'`;
    }
}
/**
 * The question was put, or could not be, and no usable answer came back. To ask again after an answer that does not
 * fit, use `Effect.retry` on the question: it works on every protocol version (DESIGN.md 9).
 *
 * @category errors
 * @since 0.1.0
 */
export class AskFailed extends Schema.TaggedError()("AskFailed", {
    /** The key of the resolver that asked; a body asks under its tool's name. */
    resolver: Schema.String,
    reason: Schema.Literals(["Timeout", "ClientError", "InvalidAnswer", "Unavailable"]),
    /** The JSON-RPC code of a `ClientError`. */
    code: Schema.optionalKey(Schema.Number),
    /** What happened, in words that may be shown to the client. */
    detail: Schema.String,
    /** For logs only: the client's own error, or why an answer did not decode. */
    cause: Schema.optionalKey(Schema.Defect())
}) {
    [TypeId] = TypeId;
    get message() {
        return this.reason === "InvalidAnswer"
            ? `Resolver '${this.resolver}' ${this.detail}`
            : `Resolver for '${this.resolver}' could not resolve: ${this.detail}`;
    }
}
/**
 * How long one question may stay open on the back channel of an older protocol: 10 minutes unless changed, or set by
 * the question's own `timeout`. On 2026-07-28 no clock of ours runs while a person thinks.
 *
 * @category references
 * @since 0.1.0
 */
export const Timeout = Context.Reference("effect-resolve/Question/Timeout", {
    defaultValue: () => "10 minutes"
});
/**
 * How long one call on an older protocol may take up to its last question: 30 minutes unless changed. Nothing is
 * sent after it has passed (DESIGN.md 3).
 *
 * @category references
 * @since 0.1.0
 */
export const CallTimeout = Context.Reference("effect-resolve/Question/CallTimeout", {
    defaultValue: () => "30 minutes"
});
/**
 * How many answers may arrive for a question that has changed since it was shown, before the call ends with an error
 * that names the resolver: 2 unless changed (rule I13).
 *
 * @category references
 * @since 0.1.0
 */
export const MaxStaleAnswers = Context.Reference("effect-resolve/Question/MaxStaleAnswers", {
    defaultValue: () => 2
});
