/** A request to the client's model, and its answer, as programs write and read them. */
import type * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"

type Payload = typeof McpSchema.CreateMessage.payloadSchema.Type

/**
 * A block of a message: text, image, audio, `tool_use` or `tool_result`, as in effect/ai's `McpSchema`. Binary data
 * is a `Uint8Array`; base64 exists on the wire only.
 *
 * @category models
 * @since 0.1.0
 */
export type Block = McpSchema.SamplingMessageContentBlock

/**
 * A message of the conversation that the client's model is to carry on. A string is one text block.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly role: "user" | "assistant"
  readonly content: string | Block | ReadonlyArray<Block>
  readonly _meta?: { readonly [key: string]: unknown } | undefined
}

/**
 * What `createMessage` asks for: the fields of the protocol. What is not given is not sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The conversation, sent as `messages`; a string is one message of the user. */
  readonly prompt: string | ReadonlyArray<Message>
  /** The most tokens that the client may sample. */
  readonly maxTokens: number
  readonly systemPrompt?: string | undefined
  readonly temperature?: number | undefined
  readonly stopSequences?: ReadonlyArray<string> | undefined
  /** What matters in the choice of a model; the client decides. */
  readonly modelPreferences?: Payload["modelPreferences"]
  /** Deprecated. Other than `none` it needs the `sampling.context` capability, so it is sent only when given here. */
  readonly includeContext?: "none" | "thisServer" | "allServers" | undefined
  readonly metadata?: { readonly [key: string]: unknown } | undefined
  /** Tells a second question of one body apart. */
  readonly label?: string | undefined
  /** Limits the question on the back channel of older protocols (`Question.Timeout` otherwise). */
  readonly timeout?: Duration.Input | undefined
}

/**
 * Tools that the client's model may call; either of the two needs the `sampling.tools` capability, an empty list, too.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolOptions {
  readonly tools?: Payload["tools"]
  readonly toolChoice?: Payload["toolChoice"]
}

interface Answered {
  readonly role: "user" | "assistant"
  /** The model that answered, by the client's name for it. */
  readonly model: string
  /** Why it stopped: `endTurn`, `maxTokens`, `stopSequence`, `toolUse`, or whatever else a client says. */
  readonly stopReason?: string | undefined
  readonly _meta?: { readonly [key: string]: unknown } | undefined
}

/**
 * What the client's model answers to a request without tools: one block.
 *
 * @category models
 * @since 0.1.0
 */
export interface Completion extends Answered {
  readonly content: McpSchema.TextContent | McpSchema.ImageContent | McpSchema.AudioContent
}

/**
 * What the client's model answers to a request with tools: blocks, `tool_use` among them. A client that sends a
 * single block has sent a list of one.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCompletion extends Answered {
  readonly content: ReadonlyArray<
    McpSchema.TextContent | McpSchema.ImageContent | McpSchema.AudioContent | McpSchema.ToolUseContent
  >
}

/**
 * A request to the model as a program in process answers it: the fields of the protocol, binary data as `Uint8Array`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request extends Payload {
  /** The key of the resolver that asks; a body asks under its tool's name. */
  readonly resolver: string
  readonly label: string | undefined
}

/**
 * What a program in process answers: a text, a block, or blocks when the request has tools.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly content: string | Block | ReadonlyArray<Block>
  readonly model: string
  readonly stopReason?: string | undefined
}

/**
 * What `languageModel` sends beside the prompt, as `Options` has it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelOptions
  extends Pick<
    Options,
    "maxTokens" | "temperature" | "stopSequences" | "modelPreferences" | "includeContext" | "metadata" | "timeout"
  > {}

/**
 * What `languageModel` sends beside the prompt: 1024 tokens at most and nothing else, unless provided around a call,
 * as in `Effect.provideService(Sampling.ModelOptions, { maxTokens: 50, temperature: 0 })`.
 *
 * @category references
 * @since 0.1.0
 */
export const ModelOptions = Context.Reference<ModelOptions>("effect-resolve/Sampling/ModelOptions", {
  defaultValue: () => ({ maxTokens: 1024 })
})
