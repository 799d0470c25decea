// effect-resolve check --calls calls.json --answers answers.json
// 1: Call of 'order_book' with {}: Error executing tool order_book: Resolver for 'shop/Consent' could not resolve: it asked two questions without a label; give each further question of one body a `label`
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

class Consent extends Resolver.Service<Consent>()("shop/Consent", {
  resolve: () => Effect.andThen(Elicitation.confirm("Order?"), Elicitation.confirm("Sure?"))
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Consent] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
