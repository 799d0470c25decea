// effect-resolve check
// 1: Tool 'order_book': argument 'the title' has a name that model APIs refuse: 1 to 64 letters, digits, '_', '.' and '-' (Schema.encodeKeys renames it on the wire only)
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, parameters: Schema.Struct({ "the title": Schema.String }) })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
