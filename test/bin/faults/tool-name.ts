// effect-resolve check
// 1: Tool 'order book': model APIs take names of 1 to 64 letters, digits, '_' and '-' only, and refuse the whole list for one that is otherwise
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(Resolve.tool("order book", { description: "Order a book.", success: Schema.String }))
const ShopLive = Shop.toLayer({ "order book": () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
