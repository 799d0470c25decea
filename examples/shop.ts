/** The README's program: a tool that asks before it orders what is not there. `main.ts` serves it. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export class Delivery extends Resolver.Service<Delivery>()("bookshop/Delivery", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    if (title === "Dune") return "tomorrow"
    yield* Elicitation.confirm(`'${title}' is out of stock. Order anyway?`)
    return "in 2-3 weeks"
  })
}) {}

export const Shop = Toolkit.make(
  Resolve.tool("order_book", {
    description: "Order a book from the shop.",
    parameters: Schema.Struct({ title: Schema.String }),
    success: Schema.String,
    dependencies: [Delivery]
  })
)

export const ShopLive = Shop.toLayer({
  order_book: ({ title }) => Effect.map(Delivery, (when) => `Ordered '${title}'; it arrives ${when}.`)
})

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
