/** The README's program without a client: its graph run in process, and with one resolver replaced. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { Delivery, Shop, ShopLive } from "./shop.ts"

it.effect("says who declined, as a typed error", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Resolve.call(Shop, "order_book", { title: "Emma" }))
    assert.deepInclude(error, { _tag: "Declined", resolver: "bookshop/Delivery" })
  }).pipe(Effect.provide([ShopLive, Elicitation.layer(() => Effect.succeed({ action: "decline" }))]))
)

it.effect("orders without asking when the resolver is replaced", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      yield* Resolve.call(Shop, "order_book", { title: "Emma" }),
      "Ordered 'Emma'; it arrives tomorrow."
    )
  }).pipe(Effect.provide([ShopLive, Elicitation.layerUnavailable, Resolver.override(Delivery, "tomorrow")]))
)
