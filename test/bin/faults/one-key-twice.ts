// effect-resolve check
// 1: faults/one-key-twice.ts: Tool 'order_book': two different resolvers have the key 'shop/Stock': one at shop/Stock, one at shop/Stock
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

class Stock extends Resolver.Service<Stock>()("shop/Stock", { resolve: () => Effect.succeed(1) }) {}
class Price extends Resolver.Service<Price>()("shop/Stock", { resolve: () => Effect.succeed(2) }) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Stock, Price] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
