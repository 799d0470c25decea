import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Call, Elicitation, McpContext, Resolve, Resolver } from "effect-resolve"
// A library of resolvers, as somebody publishes it: its declarations must be emitted, and read as they were written.
export class Stock extends Schema.Class<Stock>("Stock")({ title: Schema.String, copies: Schema.Int }) {}
export class Backorder extends Schema.Class<Backorder>("Backorder")({ confirm: Schema.Boolean }) {}
export class Inventory extends Context.Service<
  Inventory,
  { readonly copies: (title: string) => Effect.Effect<number> }
>()("Inventory") {
  static readonly layer = Layer.succeed(Inventory, { copies: () => Effect.succeed(1) })
}
export class CheckStock extends Resolver.Service<CheckStock>()("bookshop/CheckStock", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    const inventory = yield* Inventory
    return new Stock({ title, copies: yield* inventory.copies(title) })
  })
}) {}
export class ConfirmBackorder extends Resolver.Service<ConfirmBackorder>()("bookshop/ConfirmBackorder", {
  parameters: Schema.Struct({ title: Schema.String }), // a struct does, too
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
export const Bookshop = Toolkit.make(OrderBook)
export const BookshopLive = Bookshop.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    const backorder = yield* ConfirmBackorder
    yield* Effect.addFinalizer(() => Effect.void)
    return `${title} ${stock.copies} ${backorder.confirm} ${yield* Call.id} ${yield* McpContext.protocolVersion}`
  })
})
export const registrations = Resolve.toolkit(Bookshop).pipe(Layer.provide([BookshopLive, Inventory.layer]))

export class CurrentUser extends Context.Service<CurrentUser, { readonly id: string }>()("CurrentUser") {}
export class Price extends Context.Service<Price, { readonly cents: number }>()("Price") {}
export const PriceOf = Resolver.make(Price, {
  dependencies: [CheckStock, CurrentUser],
  resolve: Effect.fn(function* () {
    return { cents: (yield* CheckStock).copies }
  })
})
export class Seat extends Resolver.Service<Seat>()("bookshop/Seat", {
  durable: Schema.Struct({ row: Schema.Int }),
  dependencies: () => [PriceOf, ConfirmBackorder.result],
  resolve: () => Effect.succeed({ row: 1 })
}) {}
export const handlers = Resolve.withHandlers(Bookshop)
export const called = Resolve.call(Bookshop, "order_book", { title: "Dune" })
