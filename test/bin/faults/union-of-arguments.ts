// effect-resolve check
// 1: faults/union-of-arguments.ts: McpServer cannot register tool 'order_book': its parameters must encode to a JSON Schema with an object root (type: "object"), such as a Schema.Struct. Use Tool.EmptyParams for a tool without parameters.
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, parameters: Schema.Union([
      Schema.Struct({ title: Schema.String }),
      Schema.Struct({ isbn: Schema.String })
    ]) })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
