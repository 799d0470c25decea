/** 12: a prompt, a resource and a resource template that take resolvers as tools do. */
import { Effect, Layer, Result, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { CheckStock } from "./01-reserve-book.ts"
import { Inventory } from "./bookshop.ts"

export class Tone extends Resolver.Service<Tone>()("bookshop/Tone", {
  resolve: () =>
    Elicitation.form({
      message: "Which tone?",
      schema: Schema.Struct({ tone: Schema.Literals(["dry", "warm"]).annotate({ title: "Tone" }) })
    })
}) {}

const titles = ["Dune", "Dune Messiah", "Emma"]

export const Blurb = Resolve.prompt({
  name: "blurb",
  description: "Write a blurb for a book of the shop.",
  parameters: { title: Schema.String },
  completion: { title: (typed) => Effect.succeed(titles.filter((title) => title.startsWith(typed))) },
  dependencies: [CheckStock, Tone],
  content: Effect.fn(function* ({ title }) {
    const { copies } = yield* CheckStock
    const { tone } = yield* Tone
    return `Write a ${tone} blurb for '${title}', of which there are ${copies} copies.`
  })
})

export const Greeting = Resolve.prompt({
  name: "greeting",
  description: "Greet a reader, in a tone of theirs if they choose one.",
  dependencies: [Tone.result],
  content: Effect.fn(function* () {
    const tone = yield* Tone.result
    const role = "user" as const
    const text = Result.isSuccess(tone) ? `Greet the reader, ${tone.success.tone}.` : "Greet the reader."
    return [{ role, content: { type: "text" as const, text } }]
  })
})

export const Hours = Resolve.resource({
  uri: "bookshop://hours",
  name: "hours",
  mimeType: "text/plain",
  content: Effect.succeed("Monday to Saturday, 10 to 6")
})

export const Stock = Resolve.resourceTemplate`stock://${McpSchema.param("title", Schema.String)}`({
  name: "stock",
  description: "How many copies of a book there are.",
  mimeType: "application/json",
  completion: { title: (typed) => Effect.succeed(titles.filter((title) => title.startsWith(typed))) },
  dependencies: [CheckStock],
  content: (_uri, title) => Effect.map(CheckStock, ({ copies }) => JSON.stringify({ title, copies }))
})

export const registrations = Layer.mergeAll(Blurb, Greeting, Hours, Stock).pipe(Layer.provide(Inventory.layer))
