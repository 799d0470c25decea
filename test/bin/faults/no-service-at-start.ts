// effect-resolve check
// 1: faults/no-service-at-start.ts: nothing provides the service 'shop/Inventory'; Layer.provide it to the registrations, or, if it is of one request, give it by an McpServer.middleware
import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

class Inventory extends Context.Service<Inventory, { readonly copies: number }>()("shop/Inventory") {}
const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String }))
const ShopLive = Shop.toLayer(
  Effect.map(Inventory, ({ copies }) => ({ order_book: () => Effect.succeed(`${copies} left`) }))
)

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
