/** What the tests of prompts and resources share: resolvers that a tool lists as well. */
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver, Sampling } from "effect-resolve"

export class Copies extends Context.Service<Copies, (title: string) => Effect.Effect<number>>()("shop/Copies") {
  static readonly layer = Layer.succeed(Copies, (title) => Effect.succeed(title === "Dune" ? 7 : 0))
}

/** Reads an argument, an app service and nothing else. */
export class Stock extends Resolver.Service<Stock>()("shop/Stock", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    const copies = yield* Copies
    return yield* copies(title)
  })
}) {}

/** Asks, when there is reason to. */
export class Reader extends Resolver.Service<Reader>()("shop/Reader", {
  dependencies: [Stock],
  resolve: Effect.fn(function* () {
    if ((yield* Stock) > 0) return { name: "anybody" }
    return yield* Elicitation.form({ message: "Who reads it?", schema: Schema.Struct({ name: Schema.String }) })
  })
}) {}

const blurb = Effect.fnUntraced(function* (title: string) {
  return `'${title}' (${yield* Stock}) for ${(yield* Reader).name}`
})

const Tools = Toolkit.make(
  Resolve.tool("blurb", {
    parameters: Schema.Struct({ title: Schema.String }),
    success: Schema.String,
    dependencies: [Stock, Reader]
  })
)

/** One resolver, asked for by a tool, a prompt, a template and a resource. */
export const registrations = Layer.mergeAll(
  Resolve.toolkit(Tools).pipe(Layer.provide(Tools.toLayer({ blurb: ({ title }) => blurb(title) }))),
  Resolve.prompt({
    name: "blurb",
    title: "Blurb",
    description: "Writes a blurb.",
    parameters: {
      title: Schema.String.annotate({ description: "Of which book" }),
      tone: Schema.optional(Schema.String)
    },
    completion: {
      title: (input) => Effect.succeed(["Dune", "Dune Messiah", "Emma"].filter((title) => title.startsWith(input)))
    },
    dependencies: [Stock, Reader],
    content: ({ title }) => blurb(title)
  }),
  Resolve.resourceTemplate`shop://blurbs/${McpSchema.param("title", Schema.String)}`({
    name: "blurbs",
    description: "A blurb.",
    mimeType: "text/plain",
    audience: ["user"],
    priority: 0.5,
    completion: {
      title: (input) => Effect.succeed(["Dune", "Emma"].filter((title) => title.startsWith(input)))
    },
    dependencies: [Stock, Reader],
    content: (_uri, title) => blurb(title)
  }),
  Resolve.resource({
    uri: "shop://mood",
    name: "mood",
    description: "How the shop feels.",
    mimeType: "text/plain",
    audience: ["assistant"],
    priority: 1,
    dependencies: [Sampling.Sampling, Elicitation.Elicitation],
    content: Effect.map(
      Elicitation.form({ message: "Mood?", schema: Schema.Struct({ mood: Schema.String }) }),
      ({ mood }) => `The mood is ${mood}`
    )
  })
)
