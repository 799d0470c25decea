// effect-resolve check --calls calls.json
// 1: Call of 'order_book' with {}: 'shop/Consent' asked in other words when its round was run again: "It is <time>. Order?", then "It is <time>. Order?". A person's answer counts for the words that were shown: keep the time, chance and data that moves out of a question (Call.startedAt and durable values stand still)
import { DateTime, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

class Consent extends Resolver.Service<Consent>()("shop/Consent", {
  resolve: () =>
    Effect.flatMap(DateTime.now, (now) => Elicitation.confirm(`It is ${DateTime.formatIso(now).slice(11, 16)}. Order?`))
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { description: "Order a book.", success: Schema.String, dependencies: [Consent] })
)
const ShopLive = Shop.toLayer({ order_book: () => Effect.succeed("ordered") })

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
