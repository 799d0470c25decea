/** 06: the request at hand. `McpContext` is asked for by type, and the model never sees it. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"

const books = [
  { title: "Dune", author: "Frank Herbert" },
  { title: "Dune Messiah", author: "Frank Herbert" },
  { title: "Children of Dune", author: "Frank Herbert" },
  { title: "Neuromancer", author: "William Gibson" }
]

export class Catalog extends Context.Service<
  Catalog,
  { readonly search: (query: string) => Effect.Effect<typeof books> }
>()("bookshop/Catalog") {
  static readonly layer = Layer.succeed(Catalog, {
    search: (query) =>
      Effect.succeed(
        books.filter(({ title, author }) => `${title} ${author}`.toLowerCase().includes(query.toLowerCase()))
      )
  })
}

export const SearchBooks = Resolve.tool("search_books", {
  description: "Search the catalog by title or author.",
  parameters: Schema.Struct({ query: Schema.String }),
  success: Schema.String
})

export const Search = Toolkit.make(SearchBooks)

export const SearchLive = Search.toLayer(
  Effect.gen(function* () {
    const catalog = yield* Catalog
    return {
      search_books: Effect.fn(function* ({ query }) {
        const found = yield* catalog.search(query)
        // the client's own id of this request; not there on effect/ai's bare adapters
        const request = Option.getOrElse(yield* McpContext.requestId, () => "?")
        return `[request ${request}] Found ${found.length} books matching '${query}'.`
      })
    }
  })
)

export const registrations = Resolve.toolkit(Search).pipe(Layer.provide(SearchLive), Layer.provide(Catalog.layer))
