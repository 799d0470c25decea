/** 05: the client's model as effect/ai's `LanguageModel`: any code that wants one can have it, here for an object. */
import { Effect, Layer, Schema } from "effect"
import { AiError, LanguageModel, Toolkit } from "effect/ai"
import { Resolve, Resolver, Sampling } from "effect-resolve"

export class Suggestion extends Schema.Class<Suggestion>("Suggestion")({
  title: Schema.String,
  reason: Schema.String
}) {}

export class Suggest extends Resolver.Service<Suggest>()("bookshop/Suggest", {
  parameters: { genre: Schema.String },
  dependencies: [Sampling.languageModel],
  resolve: Effect.fn(
    function* ({ genre }) {
      const taste = yield* LanguageModel.generateText({ prompt: `What do readers of ${genre} like? Be brief.` })
      const suggestion = yield* LanguageModel.generateObject({
        prompt: `Suggest one ${genre} book to somebody who likes this: ${taste.text}`,
        schema: Suggestion
      })
      return suggestion.value
    },
    Effect.provideService(Sampling.ModelOptions, { maxTokens: 200, temperature: 0 })
  )
}) {}

export const RecommendBook = Resolve.tool("recommend_book", {
  description: "Recommend a book in the given genre, and say why.",
  parameters: Schema.Struct({ genre: Schema.String }),
  success: Schema.String,
  failure: AiError.AiError,
  dependencies: [Suggest]
})

export const Recommendations = Toolkit.make(RecommendBook)

export const RecommendationsLive = Recommendations.toLayer({
  recommend_book: Effect.fn(function* ({ genre }) {
    const { title, reason } = yield* Suggest
    return `Today's ${genre} pick: ${title} (${reason})`
  })
})

export const registrations = Resolve.toolkit(Recommendations).pipe(Layer.provide(RecommendationsLive))
