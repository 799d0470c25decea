import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { eras, Peer } from "effect-resolve/testing"
import * as SearchBooks from "../../examples/06-search-books.ts"
import * as DescribeCatalog from "../../examples/07-describe-catalog.ts"
import * as Recommendations from "../../examples/08-recommendations.ts"

const propertiesOf = (tools: ReadonlyArray<any>, name: string) =>
  Object.keys(tools.find((tool) => tool.name === name).inputSchema.properties ?? {})

describe("06", () => {
  eras("06: search_books says which request it answers, by the client's own id", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: SearchBooks.registrations })
      const result = yield* peer.callTool("search_books", { query: "dune" }, { id: 3 })
      assert.strictEqual(result.text, "[request 3] Found 3 books matching 'dune'.")
      assert.isFalse(result.isError)
      const tools = yield* peer.listTools
      assert.deepStrictEqual(propertiesOf(tools, "search_books"), ["query"])
      assert.strictEqual(tools[0].description, "Search the catalog by title or author.")
    })
  )
})

describe("07", () => {
  eras("07: describe_catalog reads the server's own resource", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: DescribeCatalog.registrations })
      const result = yield* peer.callTool("describe_catalog")
      assert.strictEqual(result.text, "The catalog is organised into: fiction, non-fiction, poetry")
      const tools = yield* peer.listTools
      assert.deepStrictEqual(propertiesOf(tools, "describe_catalog"), [])
      assert.strictEqual(tools[0].description, "Describe how the catalog is organised.")
      const { contents } = yield* peer.readResource("catalog://genres")
      assert.deepStrictEqual(contents, [
        { uri: "catalog://genres", mimeType: "text/plain", text: "fiction, non-fiction, poetry" }
      ])
    })
  )
})

describe("08", () => {
  eras("08: recommend_book is unknown until it is switched on, and then there at once", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: Recommendations.registrations })
      const before = yield* Effect.flip(peer.callTool("recommend_book", { genre: "fantasy" }))
      assert.deepInclude(before, { code: -32602, message: "Unknown tool: recommend_book" })
      const enabled = yield* peer.callTool("enable_recommendations")
      assert.strictEqual(enabled.text, "Recommendations are now available.")
      const after = yield* peer.callTool("recommend_book", { genre: "fantasy" })
      assert.strictEqual(after.text, "In fantasy, try Dune.")
      const tools = yield* peer.listTools
      assert.deepStrictEqual(propertiesOf(tools, "recommend_book"), ["genre"])
      assert.deepStrictEqual(propertiesOf(tools, "enable_recommendations"), [])
    })
  )
})
