/** 02: a resolver that depends on another. Two consumers, one look-up per call. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import { CheckStock } from "./01-reserve-book.ts"
import { Inventory } from "./bookshop.ts"

export class Delivery extends Resolver.Service<Delivery>()("bookshop/Delivery", {
  dependencies: [CheckStock],
  resolve: Effect.fn(function* () {
    const stock = yield* CheckStock
    return stock.copies > 0 ? "tomorrow" : "in 2-3 weeks"
  })
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [CheckStock, Delivery]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    const delivery = yield* Delivery
    return stock.copies > 0
      ? `Ordered '${title}'; it arrives ${delivery}.`
      : `'${title}' is on backorder; it would arrive ${delivery}.`
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Inventory.layer]))
