/**
 * Questions to the client's own model: one completion (`createMessage`), or the whole model behind effect/ai's
 * `LanguageModel` (`languageModel`).
 *
 * Sampling is deprecated by SEP-2577: it is for servers that have no model of their own and for clients that still
 * offer theirs. When you can, use a model of your own (an app service with `LanguageModel`): it streams, counts tokens,
 * lets you choose, and costs no round. On 2026-07-28 every completion rides in the sealed state of each later round of
 * its call, so a large one makes all of them large: keep `maxTokens` small (`RequestState`, `maxBytes`).
 *
 * What the model says is no more to be trusted than what a client sends
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
 *
 * @since 0.1.0
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask } from "./internal/question/ask.ts"
import { unavailable } from "./internal/question/elicitation.ts"
import * as Question_ from "./internal/question/sampling.ts"
import * as Model from "./internal/question/samplingModel.ts"
import type * as Question from "./Question.ts"
import * as Resolver from "./Resolver.ts"

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
 * Service that puts requests to the client's model. Resolvers use it freely; a tool's body uses it when the tool lists
 * it in `dependencies`. The engine implements it for calls from the wire; `Resolve.call` and `Resolve.withHandlers`
 * require yours: `Sampling.layer` or `Sampling.layerUnavailable`.
 *
 * @category services
 * @since 0.1.0
 */
export class Sampling extends Context.Service<Sampling, Question.Service>()("effect-resolve/Sampling") {}

/**
 * Asks the client's model for one completion.
 *
 * The answer to a request without tools is one block; with `tools` or `toolChoice` it is a list. The model may answer
 * with an image where you hoped for text: look at the block's `type`. A `tool_use` of the answer is yours to run; carry
 * on with another `createMessage`, labelled, whose prompt holds it and its `tool_result`.
 *
 * Every `tool_use` needs its `tool_result` in the next message, in a message of its own; otherwise nothing is sent.
 * Protocols before 2025-11-25 have no tools (`MissingCapability`) and one block a message: more are sent as as many
 * messages. Deprecated by SEP-2577: see the top of this module for when to prefer a model of your own, and for
 * what a large completion costs.
 *
 * Fails with `Question.MissingCapability` or `Question.AskFailed`. On 2026-07-28 a client that refuses does not retry,
 * and the server hears nothing of it (https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
 *
 * @category constructors
 * @since 0.1.0
 */
export const createMessage: {
  (
    options: Options & { readonly tools?: undefined; readonly toolChoice?: undefined }
  ): Effect.Effect<Completion, Question.MissingCapability | Question.AskFailed, Sampling>
  (
    options: Options & ToolOptions & ({ readonly tools: {} } | { readonly toolChoice: {} })
  ): Effect.Effect<ToolCompletion, Question.MissingCapability | Question.AskFailed, Sampling>
} = (options: Options & ToolOptions): Effect.Effect<any, Question.MissingCapability | Question.AskFailed, Sampling> =>
  ask(Sampling, (resolver) => Question_.createMessage(options, resolver))

/**
 * Tells whether the client declared that its model can be asked. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const supported: Effect.Effect<boolean, never, Sampling> = Sampling.use((service) =>
  service.supports({ sampling: {} })
)

/**
 * Tells whether the client declared that its model can be given tools. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const toolsSupported: Effect.Effect<boolean, never, Sampling> = Sampling.use((service) =>
  service.supports({ sampling: { tools: {} } })
)

/**
 * Tells whether the client declared that it adds its own context, as `includeContext` asks for. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const contextSupported: Effect.Effect<boolean, never, Sampling> = Sampling.use((service) =>
  service.supports({ sampling: { context: {} } })
)

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
 * Implements `Sampling` with a function of yours, for programs without a client: a model of your own, a test's script.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  answer: (request: Request) => Effect.Effect<Answer, never, R>
): Layer.Layer<Sampling, never, R> =>
  Layer.effect(
    Sampling,
    Effect.map(Effect.context<R>(), (context) =>
      Question_.inProcess((request) => Effect.provideContext(answer(request), context))
    )
  )

/**
 * For programs without a model to ask: every question fails with `Question.AskFailed`, reason `Unavailable`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerUnavailable: Layer.Layer<Sampling> = Layer.succeed(Sampling, unavailable())

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

/**
 * The client's model behind effect/ai's own key: a resolver of `LanguageModel.LanguageModel`. List it, then
 * `yield* LanguageModel.generateText(..)`. In a tool's own list name `Sampling.Sampling` beside it: there the body asks.
 *
 * Each call of the model is one question, labelled by the digest of its request (and counted, when the same request is
 * made again): a loop of three calls asks three questions, on 2026-07-28 in three rounds. A prompt must not depend on
 * the time or on chance, or every round asks a new question. An object is asked for by its JSON Schema in a last
 * message and decoded with the schema. The finish reason and the model are the client's, usage is unknown,
 * `streamText` emits all text as one part. Files, reasoning and what only a model's vendor can run fail with an
 * `AiError` that names the part.
 *
 * Its errors are `AiError`, those of the question among them. One that nobody caught, from the question, ends the call
 * as that question's own error would: a missing capability is JSON-RPC -32021. Deprecated by SEP-2577, as all of
 * this module is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const languageModel: Resolver.Made<
  LanguageModel.LanguageModel,
  "effect/ai/LanguageModel",
  LanguageModel.LanguageModel,
  never,
  Sampling,
  never,
  never
> = Resolver.make(LanguageModel.LanguageModel, {
  key: "effect/ai/LanguageModel",
  // the service is not kept: a question is asked by whoever calls the model, and this resolver has ended by then
  resolve: () => Effect.andThen(Sampling, Model.make(Sampling, ModelOptions))
})
