// effect-resolve call
// 1: nothing provides the service 'shop/Inventory'; Layer.provide it to the registrations, or, if it is of one request, give it by an McpServer.middleware
import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"

class Inventory extends Context.Service<Inventory, { readonly copies: number }>()("shop/Inventory") {}
class Stock extends Resolver.Service<Stock>()("shop/Stock", {
  resolve: () => Effect.map(Inventory, ({ copies }) => copies)
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Stock] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
