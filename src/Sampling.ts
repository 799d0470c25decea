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
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sampling } from "./internal/base/keys.ts"
import type { AskFailed, MissingCapability } from "./internal/base/questionErrors.ts"
import { ask } from "./internal/question/ask.ts"
import { unavailable } from "./internal/question/elicitation.ts"
import * as Question_ from "./internal/question/sampling.ts"
import * as Model from "./internal/question/samplingModel.ts"
import type {
  Answer,
  Completion,
  Options,
  Request,
  ToolCompletion,
  ToolOptions
} from "./internal/question/samplingTypes.ts"
import * as Resolver from "./Resolver.ts"

export { Sampling } from "./internal/base/keys.ts"
export {
  type Answer,
  type Block,
  type Completion,
  type Message,
  ModelOptions,
  type Options,
  type Request,
  type ToolCompletion,
  type ToolOptions
} from "./internal/question/samplingTypes.ts"

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
 * Fails with `Question.MissingCapability` or `Question.AskFailed`. On 2026-07-28 a client that will not answer does not retry,
 * and the server hears nothing of it (https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
 *
 * @category constructors
 * @since 0.1.0
 */
export const createMessage: {
  (
    options: Options & { readonly tools?: undefined; readonly toolChoice?: undefined }
  ): Effect.Effect<Completion, MissingCapability | AskFailed, Sampling>
  (
    options: Options & ToolOptions & ({ readonly tools: {} } | { readonly toolChoice: {} })
  ): Effect.Effect<ToolCompletion, MissingCapability | AskFailed, Sampling>
} = (options: Options & ToolOptions): Effect.Effect<any, MissingCapability | AskFailed, Sampling> =>
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
  resolve: () => Effect.andThen(Sampling, Model.languageModel)
})
