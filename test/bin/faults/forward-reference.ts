// effect-resolve check
// 2: faults/forward-reference.ts:8: 'Stock' is used before it is defined. A list of dependencies that names what is defined below is written as a function: `dependencies: () => [Stock]`
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

class Price extends Resolver.Service<Price>()("shop/Price", {
  dependencies: [Stock],
  resolve: () => Effect.succeed(1)
}) {}
class Stock extends Resolver.Service<Stock>()("shop/Stock", { resolve: () => Effect.succeed(1) }) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Price] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
