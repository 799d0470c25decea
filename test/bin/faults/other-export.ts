// effect-resolve check
// 2: faults/other-export.ts has no export 'registrations'; its Layers are 'bookshop': say which with --export bookshop
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const bookshop = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
