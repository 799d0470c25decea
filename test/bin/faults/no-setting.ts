// effect-resolve check
// 1: faults/no-setting.ts: a setting cannot be read: Expected string at ["SHOP_URL"]; set it in the environment, as where the server runs
import { Config, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String }))
const ShopLive = Shop.toLayer(
  Effect.map(Config.String("SHOP_URL"), (url) => ({ order_book: () => Effect.succeed(url) }))
)

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
