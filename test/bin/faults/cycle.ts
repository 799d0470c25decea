// effect-resolve check
// 1: faults/cycle.ts: Tool 'order_book': its resolvers wait for each other in a cycle: shop/A -> shop/B -> shop/A (path: shop/A -> shop/B -> shop/A)
import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

const A = Resolver.make(Context.Service<string, string>("shop/A"), {
  key: "shop/A",
  dependencies: () => [B],
  resolve: () => Effect.succeed("a")
})
const B = Resolver.make(Context.Service<string, string>("shop/B"), {
  key: "shop/B",
  dependencies: () => [A],
  resolve: () => Effect.succeed("b")
})

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [A] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
