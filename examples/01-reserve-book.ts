/** 01: a tool with one resolver. The model gives a title; what is in stock comes from the shop. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import { Inventory, Stock } from "./bookshop.ts"

export class CheckStock extends Resolver.Service<CheckStock>()("bookshop/CheckStock", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    const inventory = yield* Inventory
    return new Stock({ title, copies: yield* inventory.copies(title) })
  })
}) {}

export const ReserveBook = Resolve.tool("reserve_book", {
  description: "Reserve a copy of a book.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [CheckStock]
})

export const Reservations = Toolkit.make(ReserveBook)

export const ReservationsLive = Reservations.toLayer({
  reserve_book: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    return stock.copies > 0 ? `Reserved '${title}' (${stock.copies - 1} copies left).` : `'${title}' is out of stock.`
  })
})

export const registrations = Resolve.toolkit(Reservations).pipe(Layer.provide([ReservationsLive, Inventory.layer]))
