import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Ref, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Call, Elicitation, RequestState, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"

/** What the outside world counts: how often an effect happened, whatever the server remembers. */
class World extends Context.Service<
  World,
  {
    readonly charges: Ref.Ref<number>
    readonly runs: Ref.Ref<ReadonlyArray<string>>
    readonly wording: Ref.Ref<string>
  }
>()("World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      return {
        charges: yield* Ref.make(0),
        runs: yield* Ref.make<ReadonlyArray<string>>([]),
        wording: yield* Ref.make("first")
      }
    })
  )
}

const ran = (name: string) => Effect.flatMap(World, (world) => Ref.update(world.runs, (runs) => [...runs, name]))

class OrderId extends Resolver.Service<OrderId>()("shop/OrderId", {
  durable: Schema.String,
  resolve: Effect.fn(function* () {
    yield* ran("OrderId")
    const world = yield* World
    return `order-${yield* Ref.updateAndGet(world.charges, (n) => n + 1)}`
  })
}) {}

class Ask extends Resolver.Service<Ask>()("shop/Ask", {
  dependencies: [OrderId],
  parameters: { request: Schema.String },
  resolve: Effect.fn(function* ({ request }) {
    const id = yield* OrderId
    const wording = yield* Ref.get((yield* World).wording)
    return yield* Elicitation.form({
      message: `${wording}: order ${id}, request ${request}, begun ${yield* Call.startedAt}?`,
      schema: Schema.Struct({ ok: Schema.Boolean })
    })
  })
}) {}

let generated = 0
const Order = Resolve.tool("order", {
  parameters: Schema.Struct({
    request: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => `generated-${++generated}`)))
  }),
  success: Schema.String,
  dependencies: [OrderId, Ask]
})
const Orders = Toolkit.make(Order)
const OrdersLive = Orders.toLayer({
  order: Effect.fn(function* ({ request }) {
    yield* Ask
    return `${yield* OrderId} for ${request} of ${yield* Call.startedAt}`
  })
})

const withWorld = Effect.fnUntraced(function* () {
  const context = yield* Layer.build(World.layer)
  const world = Context.get(context, World)
  const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Layer.succeed(World, world)]))
  return { world, registrations }
})

describe("durable values", () => {
  eras(
    "I6: a question of a durable id, a generated default and Call.startedAt is asked once, and what was shown is used",
    (era) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_800_000_000_000)
        const { registrations, world } = yield* withWorld()
        const before = generated
        const peer = yield* Peer.make({
          registrations,
          ...era,
          answers: (question) =>
            Effect.as(TestClock.adjust("1 minute"), Answer.accept({ ok: question.method === "elicitation/create" }))
        })
        const result = yield* peer.callTool("order", {})
        const shown = `order order-1, request generated-${before + 1}, begun 1800000000000?`
        assert.deepStrictEqual(
          peer.questions.map((question) => (question.params as { message: string }).message),
          [`first: ${shown}`]
        )
        assert.strictEqual(result.text, `order-1 for generated-${before + 1} of 1800000000000`)
        assert.strictEqual(yield* Ref.get(world.charges), 1)
      })
  )

  it.effect(
    "I13: a question with a volatile timestamp ends the call after two stale answers, with the resolver's name",
    () =>
      Effect.gen(function* () {
        let tick = 0
        class Volatile extends Resolver.Service<Volatile>()("shop/Volatile", {
          resolve: () => Elicitation.form({ message: `At ${++tick}?`, schema: Schema.Struct({ ok: Schema.Boolean }) })
        }) {}
        const T = Toolkit.make(Resolve.tool("volatile", { success: Schema.String, dependencies: [Volatile.result] }))
        const peer = yield* Peer.make({
          registrations: Resolve.toolkit(T).pipe(Layer.provide(T.toLayer({ volatile: () => Effect.succeed("never") }))),
          protocol: "2026-07-28",
          answers: { "shop/Volatile": () => Answer.accept({ ok: true }) }
        })
        const result = yield* peer.callTool("volatile", {})
        assert.isTrue(result.isError)
        assert.include(
          result.text,
          "Error executing tool volatile: Resolver 'shop/Volatile' asked a question that changed 2 times"
        )
        assert.strictEqual(peer.questions.length, 2)
      })
  )

  eras("I15: a durable charge before a question that is reworded and asked again happens once", (era) =>
    Effect.gen(function* () {
      const { registrations, world } = yield* withWorld()
      let asked = 0
      const peer = yield* Peer.make({
        registrations,
        ...era,
        answers: () =>
          Effect.as(Ref.set(world.wording, asked++ === 0 ? "second" : "second"), Answer.accept({ ok: true }))
      })
      const result = yield* peer.callTool("order", { request: "r" })
      assert.include(result.text, "order-1 for r")
      assert.strictEqual(yield* Ref.get(world.charges), 1)
      assert.strictEqual(peer.questions.length, era.protocol === "2026-07-28" ? 2 : 1)
    })
  )

  it.effect("I15: a durable resolver runs once over four rounds; a round sent again runs nothing durable again", () =>
    Effect.gen(function* () {
      const { registrations, world } = yield* withFour()
      const peer = yield* Peer.make({ registrations, protocol: "2026-07-28" })
      const rounds: Array<any> = []
      let round: any = yield* peer.callToolOnce("four", {})
      while (round._tag === "InputRequired") {
        rounds.push(round)
        const [key] = Object.keys(round.inputRequests ?? {})
        round = yield* peer.retry(round, { inputResponses: { [key!]: Answer.accept({ ok: true }) } })
      }
      assert.strictEqual(rounds.length, 3)
      assert.strictEqual(yield* Ref.get(world.charges), 1)
      // round 2 again: the state carries the value, so nothing durable runs
      const again: any = yield* peer.retry(rounds[0], {
        inputResponses: { [Object.keys(rounds[0].inputRequests)[0]!]: Answer.accept({ ok: true }) }
      })
      assert.strictEqual(again._tag, "InputRequired")
      assert.strictEqual(yield* Ref.get(world.charges), 1)
      // the first request again carries no state: it is another call
      yield* peer.callToolOnce("four", {})
      assert.strictEqual(yield* Ref.get(world.charges), 2)
    })
  )

  eras("a call inside a suspended body or resolver charges once, and its question is asked once", (era) =>
    Effect.gen(function* () {
      const { registrations, world } = yield* withWorld()
      class Outer extends Resolver.Service<Outer>()("shop/Outer", {
        resolve: () => Resolve.call(Orders, "order", { request: "inner" }).pipe(Effect.orDie)
      }) {}
      const T = Toolkit.make(Resolve.tool("outer", { success: Schema.String, dependencies: [Outer] }))
      const outer = Resolve.toolkit(T).pipe(
        Layer.provide([T.toLayer({ outer: () => Effect.map(Outer, (text) => `outer: ${text}`) }), OrdersLive]),
        Layer.provide(Layer.succeed(World, world))
      )
      const peer = yield* Peer.make({
        registrations: Layer.merge(outer, registrations),
        ...era,
        answers: () => Answer.accept({ ok: true })
      })
      const result = yield* peer.callTool("outer", {})
      assert.include(result.text, "outer: order-1 for inner")
      assert.strictEqual(yield* Ref.get(world.charges), 1)
      assert.strictEqual(peer.questions.length, 1)
      assert.deepStrictEqual(yield* Ref.get(world.runs), ["OrderId"])
    })
  )

  eras("a durable value that its schema cannot encode is logged, and the client sees a fixed text", (era) =>
    Effect.gen(function* () {
      class Bad extends Resolver.Service<Bad>()("shop/Bad", {
        durable: Schema.String.check(Schema.isMinLength(5)),
        resolve: () => Effect.succeed("no")
      }) {}
      const T = Toolkit.make(Resolve.tool("bad", { success: Schema.String, dependencies: [Bad] }))
      const peer = yield* Peer.make({
        registrations: Resolve.toolkit(T).pipe(Layer.provide(T.toLayer({ bad: () => Bad }))),
        ...era
      })
      assert.strictEqual((yield* peer.callTool("bad", {})).text, "Error executing tool bad: internal error")
    })
  )

  it.effect("maxBytes: a state that grew too large ends the call and names the heaviest answer; nothing is sent", () =>
    Effect.gen(function* () {
      const { registrations } = yield* withFour()
      const peer = yield* Peer.make({
        registrations: registrations.pipe(Layer.provide(RequestState.layerEphemeral({ maxBytes: 900 }))),
        protocol: "2026-07-28",
        answers: { "shop/One": Answer.accept({ ok: true, note: "x".repeat(2000) }) }
      })
      const result = yield* peer.callTool("four", {})
      assert.isTrue(result.isError)
      assert.include(result.text, "too large to carry on")
      assert.include(result.text, "'shop/One'")
    })
  )
})

const Note = Schema.Struct({ ok: Schema.Boolean, note: Schema.optionalKey(Schema.String) })
class One extends Resolver.Service<One>()("shop/One", {
  dependencies: [OrderId],
  resolve: () => Elicitation.form({ message: "One?", schema: Note })
}) {}
class Two extends Resolver.Service<Two>()("shop/Two", {
  dependencies: [One],
  resolve: () => Elicitation.form({ message: "Two?", schema: Note })
}) {}
class Three extends Resolver.Service<Three>()("shop/Three", {
  dependencies: [Two],
  resolve: () => Elicitation.form({ message: "Three?", schema: Note })
}) {}
const Four = Toolkit.make(Resolve.tool("four", { success: Schema.String, dependencies: [OrderId, Three] }))
const withFour = Effect.fnUntraced(function* () {
  const world = Context.get(yield* Layer.build(World.layer), World)
  const registrations = Resolve.toolkit(Four).pipe(
    Layer.provide([Four.toLayer({ four: () => OrderId }), Layer.succeed(World, world)])
  )
  return { world, registrations }
})
