// effect-resolve check
// 2: faults/type-import.ts:5: The requested module 'effect-resolve' does not provide an export named 'Dependencies'. If 'Dependencies' is a type, write `import type` ("verbatimModuleSyntax": true in tsconfig.json finds it)
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Dependencies, Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
