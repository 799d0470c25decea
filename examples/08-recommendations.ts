/** 08: a tool that is there only while another one has switched it on. Clients are told that their list has changed. */
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

export const DisableRecommendations = Resolve.tool("disable_recommendations", {
  description: "Switch off the recommendation tool.",
  success: Schema.String
})

export const Switches = Toolkit.make(EnableRecommendations, DisableRecommendations)

export const SwitchesLive = Switches.toLayer(
  Effect.gen(function* () {
    // checked when the server starts; added when it is wanted, for the life of the server
    const recommendations = yield* Resolve.register(Recommendations)
    return {
      // it fails when another tool has the name by then, which here nobody does
      enable_recommendations: () => Effect.as(Effect.orDie(recommendations.add), "Recommendations are now available."),
      disable_recommendations: () => Effect.as(recommendations.remove, "Recommendations are gone.")
    }
  })
)

export const registrations = Resolve.toolkit(Switches).pipe(
  Layer.provide(SwitchesLive),
  Layer.provide(RecommendationsLive)
)
