/** 13: a resolver that holds something for one call, and one that must be quick. */
import { Context, Effect, Exit, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

/** What the shop's warehouse can do: an app service, built once. */
export class Warehouse extends Context.Service<
  Warehouse,
  {
    readonly hold: (title: string) => Effect.Effect<string>
    readonly release: (hold: string, sold: boolean) => Effect.Effect<void>
    readonly shelf: (title: string) => Effect.Effect<string>
  }
>()("bookshop/Warehouse") {
  static readonly layer = Layer.succeed(Warehouse, {
    hold: (title) => Effect.succeed(`hold of ${title}`),
    release: (hold, sold) => Effect.logInfo(sold ? `${hold} is sold` : `${hold} is given back`),
    shelf: (title) => Effect.succeed(title < "M" ? "A1" : "B2")
  })
}

/** Held until the call is over, however it ends: a finalizer is told whether it was a success. */
export class Held extends Resolver.Service<Held>()("bookshop/Held", {
  parameters: { title: Schema.String },
  dependencies: () => [Consent],
  resolve: Effect.fn(function* ({ title }) {
    const warehouse = yield* Warehouse
    yield* Consent
    return yield* Effect.acquireRelease(warehouse.hold(title), (hold, exit) =>
      warehouse.release(hold, Exit.isSuccess(exit))
    )
  })
}) {}

export class Consent extends Resolver.Service<Consent>()("bookshop/Consent", {
  parameters: { title: Schema.String },
  resolve: ({ title }) => Elicitation.confirm(`Order '${title}'?`)
}) {}

/** Two seconds of work; while a question is open the time stands still. */
export class Shelf extends Resolver.Service<Shelf>()("bookshop/Shelf", {
  parameters: { title: Schema.String },
  timeout: "2 seconds",
  resolve: ({ title }) => Effect.flatMap(Warehouse, (warehouse) => warehouse.shelf(title))
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [Held, Shelf]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    yield* Held
    return `Ordered '${title}' from shelf ${yield* Shelf}.`
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide(OrdersLive), Layer.provide(Warehouse.layer))
