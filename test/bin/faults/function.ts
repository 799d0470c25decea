// effect-resolve check
// 2: the export 'registrations' of faults/function.ts has to be a Layer and is a function; export the Layer that it gives
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = () => Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
