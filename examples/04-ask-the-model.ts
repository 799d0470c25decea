/** 04: a resolver that asks the client's model. What is no text is no title: then it is the classics. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver, Sampling } from "effect-resolve"

export class Pick extends Resolver.Service<Pick>()("bookshop/Pick", {
  parameters: { genre: Schema.String },
  resolve: Effect.fn(function* ({ genre }) {
    const { content } = yield* Sampling.createMessage({
      prompt: `Suggest one ${genre} book title. Answer with the title only.`,
      maxTokens: 50
    })
    return content.type === "text" ? content.text : "the classics"
  })
}) {}

export const RecommendBook = Resolve.tool("recommend_book", {
  description: "Recommend a book in the given genre.",
  parameters: Schema.Struct({ genre: Schema.String }),
  success: Schema.String,
  dependencies: [Pick]
})

export const Recommendations = Toolkit.make(RecommendBook)

export const RecommendationsLive = Recommendations.toLayer({
  recommend_book: Effect.fn(function* ({ genre }) {
    return `Today's ${genre} pick: ${yield* Pick}`
  })
})

export const registrations = Resolve.toolkit(Recommendations).pipe(Layer.provide(RecommendationsLive))
