/** 03: a resolver that asks. In stock there is nothing to ask; out of stock a person decides, and a refusal ends the call. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { CheckStock } from "./01-reserve-book.ts"
import { Inventory } from "./bookshop.ts"

export class Backorder extends Schema.Class<Backorder>("Backorder")({
  confirm: Schema.Boolean.annotate({ description: "Order anyway and wait?" })
}) {}

export class ConfirmBackorder extends Resolver.Service<ConfirmBackorder>()("bookshop/ConfirmBackorder", {
  parameters: { title: Schema.String },
  dependencies: [CheckStock],
  resolve: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    if (stock.copies > 0) return new Backorder({ confirm: true })
    return yield* Elicitation.form({
      message: `'${title}' is out of stock (2-3 weeks). Order anyway?`,
      schema: Backorder
    })
  })
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [CheckStock, ConfirmBackorder]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    const backorder = yield* ConfirmBackorder
    if (stock.copies > 0) return `Ordered '${title}'.`
    return backorder.confirm ? `Backordered '${title}'; it ships in 2-3 weeks.` : "No order placed."
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Inventory.layer]))
