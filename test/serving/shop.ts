/** A bookshop whose order asks, with a resolver that holds something while a call lives. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, McpContext, Resolve, Resolver } from "effect-resolve"

/** What the resolver `shop/Reservation` has taken and given back. */
export const held = { acquired: 0, released: 0 }

class Reservation extends Resolver.Service<Reservation>()("shop/Reservation", {
  resolve: Effect.fn(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => held.acquired++),
      () => Effect.sync(() => held.released++)
    )
    return { note: "held" }
  })
}) {}

class Confirm extends Resolver.Service<Confirm>()("shop/Confirm", {
  dependencies: [Reservation],
  resolve: Effect.fn(function* () {
    yield* Reservation
    return yield* Elicitation.form({
      message: "Order anyway?",
      schema: Schema.Struct({ confirm: Schema.Boolean })
    })
  })
}) {}

class Wish extends Resolver.Service<Wish>()("shop/Wish", {
  resolve: Effect.fn(function* () {
    return yield* Elicitation.form({
      message: "Any wish?",
      schema: Schema.Struct({ wish: Schema.optionalKey(Schema.String) })
    })
  })
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order", { success: Schema.String, dependencies: [Reservation, Confirm] }),
  Resolve.tool("wish", { success: Schema.String, dependencies: [Wish] }),
  Resolve.tool("id", { success: Schema.String })
)

const ShopLive = Shop.toLayer({
  order: () => Effect.map(Confirm, ({ confirm }) => (confirm ? "Ordered." : "Not ordered.")),
  wish: () => Effect.map(Wish, ({ wish }) => `Wish: ${wish ?? "none"}.`),
  id: () => Effect.map(McpContext.requestId, (id) => JSON.stringify(id))
})

export const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
