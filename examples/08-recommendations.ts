/** 08: a tool that is not there until another one switches it on. Clients are told that their list has changed. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

export const RecommendBook = Resolve.tool("recommend_book", {
  description: "Recommend a book in the given genre.",
  parameters: Schema.Struct({ genre: Schema.String }),
  success: Schema.String
})

export const Recommendations = Toolkit.make(RecommendBook)

export const RecommendationsLive = Recommendations.toLayer({
  recommend_book: ({ genre }) => Effect.succeed(`In ${genre}, try Dune.`)
})

export const EnableRecommendations = Resolve.tool("enable_recommendations", {
  description: "Switch on the recommendation tool.",
  success: Schema.String
})

export const Switches = Toolkit.make(EnableRecommendations)

export const SwitchesLive = Switches.toLayer(
  Effect.gen(function* () {
    // checked when the server starts; registered when it is run, for the life of the server
    const register = yield* Resolve.register(Recommendations)
    return {
      enable_recommendations: () => Effect.as(register, "Recommendations are now available.")
    }
  })
)

export const registrations = Resolve.toolkit(Switches).pipe(
  Layer.provide(SwitchesLive),
  Layer.provide(RecommendationsLive)
)
