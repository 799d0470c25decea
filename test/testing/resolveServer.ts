/**
 * A bookshop on the engine: two questions that do not depend on each other.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export class Inventory extends Context.Service<
  Inventory,
  { readonly copies: (title: string) => Effect.Effect<number> }
>()("bookshop/Inventory") {
  static readonly layer = Layer.succeed(Inventory, {
    copies: (title) => Effect.delay(Effect.succeed(title === "Dune" ? 0 : 3), title === "Slow" ? "5 minutes" : 0)
  })
}

export class CheckStock extends Resolver.Service<CheckStock>()("bookshop/CheckStock", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    return { copies: yield* (yield* Inventory).copies(title) }
  })
}) {}

class ConfirmBackorder extends Resolver.Service<ConfirmBackorder>()("bookshop/ConfirmBackorder", {
  parameters: { title: Schema.String },
  dependencies: [CheckStock],
  resolve: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    if (stock.copies > 0) return { confirm: true }
    return yield* Elicitation.form({
      message: `'${title}' is out of stock. Order anyway?`,
      schema: Schema.Struct({ confirm: Schema.Boolean })
    })
  })
}) {}

class GiftNote extends Resolver.Service<GiftNote>()("bookshop/GiftNote", {
  parameters: { title: Schema.String },
  resolve: ({ title }) =>
    Elicitation.form({ message: `A line for the reader of ${title}?`, schema: Schema.Struct({ line: Schema.String }) })
}) {}

const OrderBook = Resolve.tool("order_book", {
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [CheckStock, ConfirmBackorder, GiftNote]
})
const Bookshop = Toolkit.make(OrderBook)

/** What is served, its app services left open: one tool that asks twice. */
export const openRegistrations = Resolve.toolkit(Bookshop).pipe(
  Layer.provide(
    Bookshop.toLayer({
      order_book: Effect.fn(function* ({ title }) {
        const { confirm } = yield* ConfirmBackorder
        const { line } = yield* GiftNote
        return confirm ? `ordered ${title} with '${line}'` : "not ordered"
      })
    })
  )
)

export const registrations = Layer.provide(openRegistrations, Inventory.layer)
