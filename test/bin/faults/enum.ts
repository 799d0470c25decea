// effect-resolve check
// 2: faults/enum.ts:7: TypeScript enum is not supported in strip-only mode. Node strips types and compiles nothing: no enums, namespaces or parameter properties ("erasableSyntaxOnly": true in tsconfig.json finds them)
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

export enum Genre {
  Fiction,
  Poetry
}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
