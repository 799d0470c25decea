import { Context, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export class Inventory extends Context.Service<
  Inventory,
  { readonly copies: (title: string) => Effect.Effect<number> }
>()("consumer/Inventory") {
  static readonly layer = Layer.succeed(Inventory, { copies: (title) => Effect.succeed(title === "Dune" ? 3 : 0) })
}

export class Backorder extends Schema.Class<Backorder>("Backorder")({ confirm: Schema.Boolean }) {}

export class CheckStock extends Resolver.Service<CheckStock>()("consumer/CheckStock", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    const inventory = yield* Inventory
    return { title, copies: yield* inventory.copies(title) }
  })
}) {}

export class ConfirmBackorder extends Resolver.Service<ConfirmBackorder>()("consumer/ConfirmBackorder", {
  parameters: { title: Schema.String },
  dependencies: [CheckStock],
  resolve: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    if (stock.copies > 0) return new Backorder({ confirm: true })
    return yield* Elicitation.form({ message: `'${title}' is out of stock. Order anyway?`, schema: Backorder })
  })
}) {}

export const Shop = Toolkit.make(
  Resolve.tool("order_book", {
    description: "Order a book from the shop.",
    parameters: Schema.Struct({ title: Schema.String }),
    success: Schema.String,
    dependencies: [CheckStock, ConfirmBackorder]
  })
)

export const ShopLive = Shop.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    const stock = yield* CheckStock
    const { confirm } = yield* ConfirmBackorder
    return confirm ? `Ordered '${title}' (${stock.copies} here).` : "No order placed."
  })
})

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide([ShopLive, Inventory.layer]))
