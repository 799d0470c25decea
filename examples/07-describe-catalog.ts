/** 07: a tool that reads one of the server's own resources, as a client would. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"

export const Genres = Resolve.resource({
  uri: "catalog://genres",
  name: "genres",
  description: "The genres of the catalog.",
  mimeType: "text/plain",
  content: Effect.succeed("fiction, non-fiction, poetry")
})

export const DescribeCatalog = Resolve.tool("describe_catalog", {
  description: "Describe how the catalog is organised.",
  success: Schema.String,
  failure: McpContext.ReadResourceError
})

export const Descriptions = Toolkit.make(DescribeCatalog)

export const DescriptionsLive = Descriptions.toLayer({
  describe_catalog: Effect.fn(function* () {
    const contents = yield* McpContext.readResource("catalog://genres")
    const genres = contents.map((part) => ("text" in part ? part.text : "")).join("")
    return `The catalog is organised into: ${genres}`
  })
})

export const registrations = Layer.merge(Genres, Resolve.toolkit(Descriptions).pipe(Layer.provide(DescriptionsLive)))
