/** The bookshop over stdio: `npm run server`. Add it to a client as a command, or open it in the MCP Inspector. */
import { Layer } from "effect"
import { ResolveServer } from "effect-resolve"
import * as Reserve from "./01-reserve-book.ts"
import * as Order from "./03-ask-first.ts"
import * as Recommend from "./04-ask-the-model.ts"
import * as Search from "./06-search-books.ts"
import * as Describe from "./07-describe-catalog.ts"

export const registrations = Layer.mergeAll(
  Reserve.registrations,
  Order.registrations,
  Recommend.registrations,
  Search.registrations,
  Describe.registrations
)

if (process.argv[1] === import.meta.filename) {
  ResolveServer.run(ResolveServer.layerStdio({ name: "bookshop", version: "1.0.0", registrations }))
}
