import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Call, Elicitation, Resolve, Resolver } from "effect-resolve"
import { Answer, type Peer, Rounds } from "effect-resolve/testing"

class OrderId extends Resolver.Service<OrderId>()("bookshop/OrderId", {
  durable: Schema.String,
  resolve: () => Effect.map(Call.id, (id) => `order-${id.slice(0, 8)}`)
}) {}

class Copies extends Resolver.Service<Copies>()("bookshop/Copies", {
  resolve: () => Elicitation.form({ message: "How many?", schema: Schema.Struct({ copies: Schema.Int }) })
}) {}

class Consent extends Resolver.Service<Consent>()("bookshop/Consent", {
  dependencies: [Copies, OrderId],
  resolve: Effect.fn(function* () {
    const { copies } = yield* Copies
    yield* Elicitation.confirm(`${yield* OrderId}: ${copies} copies. Order them?`)
  })
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order_book", { success: Schema.String, dependencies: [Copies, Consent, OrderId] })
)

const world = Effect.sync(() => {
  const orders: Array<number> = []
  const ShopLive = Shop.toLayer({
    order_book: Effect.fn(function* () {
      yield* Consent
      orders.push((yield* Copies).copies)
      return `Ordered ${(yield* Copies).copies}.`
    })
  })
  return {
    registrations: Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive)),
    effects: Effect.sync(() => orders)
  }
})

const first = (peer: Peer.Peer) => peer.callToolOnce("order_book")
const answers = {
  "bookshop/Copies": Answer.accept({ copies: 2 }),
  "bookshop/Consent": Answer.accept({ confirm: true })
}

it.effect("a call is the same on any server, with any key, late, and beside answers that nobody asked for", () =>
  Effect.gen(function* () {
    // an order's id is another one in each call: it is in the second question
    const steady = Effect.map(world, (world) => ({
      ...world,
      registrations: Layer.provide(world.registrations, Resolver.override(OrderId, "order-1"))
    }))
    const result = yield* Rounds.split({ world: steady, first, answers })
    assert.strictEqual(result.text, "Ordered 2.")
  })
)

it.effect("its questions stand still", () => Rounds.stable({ world, first, answers }))

it.effect.prop("whatever a person answers, the call goes on", { answers: Answer.person }, ({ answers }) =>
  Effect.map(Rounds.stable({ world, first, answers }), ({ text }) => assert.match(text, /^Ordered -?\d+\.$|declined?/))
)
