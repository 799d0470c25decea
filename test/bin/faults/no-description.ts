// effect-resolve check
// 0: Tool 'order_book': it has no description; models choose a tool by that
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
