/** 10: a value made once per call. The id shown in the question is the id that is ordered, whatever the protocol. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export class OrderId extends Resolver.Service<OrderId>()("bookshop/OrderId", {
  durable: Schema.String,
  resolve: () => Effect.sync(() => crypto.randomUUID())
}) {}

export class ConfirmOrder extends Resolver.Service<ConfirmOrder>()("bookshop/ConfirmOrder", {
  parameters: { title: Schema.String },
  dependencies: [OrderId],
  resolve: Effect.fn(function* ({ title }) {
    yield* Elicitation.confirm(`Place ${yield* OrderId} for '${title}'?`)
  })
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [OrderId, ConfirmOrder]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    yield* ConfirmOrder
    return `Placed ${yield* OrderId} for '${title}'.`
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide(OrdersLive))
