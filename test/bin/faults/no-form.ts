// effect-resolve check --calls calls.json
// 1: Call of 'order_book' with {}: Error executing tool order_book: Resolver for 'shop/Consent' could not resolve: its question cannot be shown: field 'address' is an object; a form is flat: ask for its fields directly
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

class Consent extends Resolver.Service<Consent>()("shop/Consent", {
  resolve: () =>
    Elicitation.form({
      message: "Where to?",
      schema: Schema.Struct({ address: Schema.Struct({ street: Schema.String }) })
    })
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Consent] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
