/** 03b: the same question, but the tool decides what a refusal means: it lists the resolver's `.result`. */
import { Effect, Layer, Result, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { ConfirmBackorder } from "./03-ask-first.ts"
import { Inventory } from "./bookshop.ts"

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [ConfirmBackorder.result]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    const answer = yield* ConfirmBackorder.result
    if (Result.isSuccess(answer)) return answer.success.confirm ? `Ordered '${title}'.` : "No order placed."
    return answer.failure._tag === "Cancelled"
      ? "Not ordered (cancelled)."
      : "Not ordered (declined). In stock instead: Dune."
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Inventory.layer]))
