// effect-resolve check
// 1: faults/no-argument.ts: Tool 'order_book': no argument 'title', which resolver 'shop/Stock' reads; it has 'name'
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

class Stock extends Resolver.Service<Stock>()("shop/Stock", {
  parameters: { title: Schema.String },
  resolve: () => Effect.succeed(1)
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, parameters: Schema.Struct({ name: Schema.String }), dependencies: [Stock] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
