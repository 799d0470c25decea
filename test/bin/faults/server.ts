// effect-resolve check
// 2: faults/server.ts starts a server as it is loaded; name the file that exports the registrations, or start it only when it is the program: `if (process.argv[1] === import.meta.filename) ..`
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, ResolveServer } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))

ResolveServer.run(ResolveServer.layerStdio({ name: "bookshop", version: "1.0.0", registrations }))
