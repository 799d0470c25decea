/** (a1) By hand on effect/ai, through `McpServer.toolkit`. */
import { Effect, Layer, Schema } from "effect"
import { McpServer, Tool, Toolkit } from "effect/ai"
import { serveEffect } from "./effect-http.ts"
import { Inventory } from "./inventory.ts"
import { delivery, descriptions, hoursText, orderText } from "./shop.ts"

const OrderBook = Tool.make("order_book", {
  description: descriptions.order_book,
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String
})
const ShopHours = Tool.make("shop_hours", {
  description: descriptions.shop_hours,
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String
})
const Bookshop = Toolkit.make(OrderBook, ShopHours)

const BookshopLive = Bookshop.toLayer(
  Effect.gen(function* () {
    const inventory = yield* Inventory
    const checkStock = Effect.fnUntraced(function* (title: string) {
      return { title, copies: yield* inventory.copies(title) }
    })
    const estimateDelivery = (stock: { readonly copies: number }) => Effect.succeed(delivery(stock.copies))
    return {
      order_book: Effect.fnUntraced(function* ({ title }) {
        const stock = yield* checkStock(title)
        return orderText(title, stock.copies, yield* estimateDelivery(stock))
      }),
      shop_hours: ({ title }) => Effect.succeed(hoursText(title))
    }
  })
)

serveEffect(McpServer.toolkit(Bookshop).pipe(Layer.provide(BookshopLive), Layer.provide(Inventory.layer)))
