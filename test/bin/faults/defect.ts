// effect-resolve call
// 1: Error: the inventory is locked
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

class Stock extends Resolver.Service<Stock>()("shop/Stock", {
  resolve: () => Effect.die(new Error("the inventory is locked"))
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Stock] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
