// effect-resolve check
// 1: faults/two-tools.ts: Tool 'order_book' is registered already; a second one would take its place without a word. Rename one of them
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

const Other = Toolkit.make(Resolve.tool("order_book", { description: "Another one.", success: Schema.String }))
const OtherLive = Other.toLayer({ order_book: () => Effect.succeed("ordered there") })

export const registrations = Layer.mergeAll(
  Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive)),
  Resolve.toolkit(Other).pipe(Layer.provide(OtherLive))
)
