/** `npm run graph`: what each example's tools need, as Mermaid. Writes to standard output. */
import { Effect, Graph } from "effect"
import type { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { Reservations } from "./01-reserve-book.ts"
import * as Delivery from "./02-order-book.ts"
import * as Ask from "./03-ask-first.ts"
import * as Branch from "./03b-branch-on-refusal.ts"
import * as Model from "./04-ask-the-model.ts"
import * as LanguageModel from "./05-language-model.ts"
import * as Identity from "./09-identity.ts"
import * as Durable from "./10-durable.ts"
import { Shop } from "./app/shop.ts"

export const toolkits: ReadonlyArray<readonly [example: string, toolkit: Toolkit.Any]> = [
  ["01-reserve-book", Reservations],
  ["02-order-book", Delivery.Orders],
  ["03-ask-first", Ask.Orders],
  ["03b-branch-on-refusal", Branch.Orders],
  ["04-ask-the-model", Model.Recommendations],
  ["05-language-model", LanguageModel.Recommendations],
  ["09-identity", Identity.Orders],
  ["10-durable", Durable.Orders],
  ["app", Shop]
]

/** Tools have round ends, durable resolvers are drawn as stores. */
export const mermaid = (toolkit: Toolkit.Any) =>
  Effect.map(Resolve.graph(toolkit), (graph) =>
    Graph.toMermaid(graph, {
      direction: "LR",
      nodeShape: ({ kind }) => (kind === "tool" ? "stadium" : kind === "durable" ? "cylindrical" : "rectangle"),
      edgeLabel: (mode) => (mode === "result" ? ".result" : "")
    })
  )

const all = Effect.forEach(toolkits, ([example, toolkit]) =>
  Effect.map(mermaid(toolkit), (picture) => `%% ${example}\n${picture}\n`)
)

if (process.argv[1] === import.meta.filename) {
  process.stdout.write((await Effect.runPromise(all)).join("\n"))
}
