/** The splitter, the stability check, answers by chance, and `eras` that compares: what each of them sees. */
import { assert, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Layer, Random, Schema, Scope } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Journal, Resolve, Resolver, Roots, Sampling } from "effect-resolve"
import { Answer, eras, Peer, Rounds } from "effect-resolve/testing"

const Copies = Schema.Struct({ copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })) })

/** A shop of two questions in two rounds, with a number of its own for each order, and what it wrote down. */
const shop = (options: { readonly durable?: boolean; readonly message?: () => Effect.Effect<string> } = {}) =>
  Effect.sync(() => {
    const orders: Array<string> = []
    const numbers: Array<number> = []
    class Number_ extends Resolver.Service<Number_>()("shop/Number", {
      durable: Schema.Int,
      resolve: () => Effect.sync(() => numbers.push(numbers.length + 1))
    }) {}
    class Amount extends Resolver.Service<Amount>()("shop/Amount", {
      resolve: () => Elicitation.form({ message: "How many?", schema: Copies })
    }) {}
    class Consent extends Resolver.Service<Consent>()("shop/Consent", {
      dependencies: [Amount, Number_],
      resolve: Effect.fn(function* () {
        const { copies } = yield* Amount
        const note = yield* options.message?.() ?? Effect.succeed("")
        yield* Elicitation.confirm(`Order ${yield* Number_}: ${copies}?${note}`)
      })
    }) {}
    const Shop = Toolkit.make(
      Resolve.tool("order", { success: Schema.String, dependencies: [Amount, Consent, Number_] })
    )
    const live = Shop.toLayer({
      order: Effect.fn(function* () {
        yield* Consent
        const order = `order ${yield* Number_} of ${(yield* Amount).copies}`
        orders.push(order)
        return order
      })
    })
    return {
      registrations: Resolve.toolkit(Shop).pipe(Layer.provide(live)),
      effects: Effect.sync(() => ({ orders, numbers }))
    }
  })

const answers = { "shop/Amount": Answer.accept({ copies: 2 }), "shop/Consent": Answer.accept({ confirm: true }) }
const first = (peer: Peer.Peer) => peer.callToolOnce("order")

const saysOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : assert.fail("it should have failed")

it.effect("a call is the same on any server, after a rotation, late, and with answers that nobody asked for", () =>
  Effect.gen(function* () {
    const result = yield* Rounds.split({ world: shop(), first, answers })
    assert.strictEqual(result.text, "order 1 of 2")
  })
)

it.effect("a call that is refused is refused alike", () =>
  Effect.gen(function* () {
    const result = yield* Rounds.split({
      world: shop(),
      first,
      answers: { "shop/Amount": Answer.accept({ copies: 9 }) }
    })
    assert.isTrue(result.isError)
  })
)

it.effect("a last round that is sent twice acts twice, which the splitter sees in the effects", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Rounds.split({ world: shop(), first, answers, faults: ["repeat"] }))
    assert.include(saysOf(exit), "With repeat between its rounds the call has other effects")
  })
)

it.effect(
  "with a journal a call bears everything, and acts once whatever is sent again",
  () =>
    Effect.gen(function* () {
      const journaled = Effect.gen(function* () {
        const { effects, registrations } = yield* shop()
        // one for all servers of a world
        const journal = yield* Layer.build(Journal.layerMemory())
        return { effects, registrations: Layer.provide(registrations, Layer.succeedContext(journal)) }
      })
      const scope = yield* Effect.scope
      const world = Scope.provide(journaled, scope) as Effect.Effect<Rounds.World>
      const result = yield* Rounds.split({ world, first, answers, faults: Rounds.all })
      assert.strictEqual(result.text, "order 1 of 2")
    }) as Effect.Effect<void, unknown, Scope.Scope>
)

for (const fault of Rounds.all) {
  it.effect(`rounds of a tool that does nothing bear '${fault}'`, () =>
    Effect.gen(function* () {
      const world = Effect.map(shop(), ({ registrations }) => ({ registrations }))
      const result = yield* Rounds.split({ world, first, answers, faults: [fault], outcome: ({ isError }) => isError })
      assert.isFalse(result.isError)
    })
  )
}

it.effect("a value that is kept in a server's memory is seen when the call moves", () =>
  Effect.gen(function* () {
    // what an author may do wrong: a cache beside the call, here one for each server
    const world = Effect.sync(() => {
      class Offer extends Resolver.Service<Offer>()("shop/Offer", {
        resolve: () => Elicitation.confirm("Sure?")
      }) {}
      const Shop = Toolkit.make(Resolve.tool("order", { success: Schema.Int, dependencies: [Offer] }))
      const live = Shop.toLayer(
        Effect.sync(() => {
          const kept = ++built
          return { order: () => Effect.as(Offer, kept) }
        })
      )
      let built = 0
      return { registrations: Resolve.toolkit(Shop).pipe(Layer.provide(Layer.fresh(live))) }
    })
    const exit = yield* Effect.exit(
      Rounds.split({ world, first, answers: { "shop/Offer": Answer.accept({ confirm: true }) }, faults: ["move"] })
    )
    assert.include(saysOf(exit), "With move between its rounds the call has other result")
  })
)

it.effect("an answer of the script that no way of the call used is told", () =>
  Effect.gen(function* () {
    const script = { ...answers, "shop/Nobody": Answer.decline }
    const exit = yield* Effect.exit(Rounds.split({ world: shop(), first, answers: script }))
    assert.include(saysOf(exit), "'shop/Nobody'")
  })
)

it.effect("a graph whose questions stand still is stable", () =>
  Effect.gen(function* () {
    const result = yield* Rounds.stable({ world: shop(), first, answers })
    assert.strictEqual(result.text, "order 1 of 2")
  })
)

const moving = [
  ["the time", () => Effect.map(Clock.currentTimeMillis, (now) => ` It is ${now}.`)],
  ["chance", () => Effect.map(Random.next, (chance) => ` Lucky number ${chance}.`)]
] as const
for (const [what, message] of moving) {
  it.effect(`a question that depends on ${what} is named, and no other`, () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Rounds.stable({ world: shop({ message }), first, answers }))
      assert.include(saysOf(exit), "The question of 'shop/Consent' does not read the same")
      assert.notInclude(saysOf(exit), "shop/Amount")
    })
  )
}

// ---------------------------------------------------------------- answers by chance

const Everything = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(2)),
  mail: Schema.optionalKey(Schema.String.annotate({ format: "email" })),
  day: Schema.String.annotate({ format: "date" }),
  at: Schema.String.annotate({ format: "date-time" }),
  page: Schema.String.annotate({ format: "uri" }),
  price: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(3)),
  copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  gift: Schema.Boolean,
  paper: Schema.Literals(["plain", "gold"]),
  extras: Schema.optionalKey(Schema.Array(Schema.Literals(["card", "bow"])))
})
class Form extends Resolver.Service<Form>()("shop/Form", {
  resolve: () => Elicitation.form({ message: "All of it?", schema: Everything })
}) {}
class Rest extends Resolver.Service<Rest>()("shop/Rest", {
  resolve: Effect.fn(function* () {
    yield* Elicitation.url({ message: "Pay.", url: "https://shop.example/pay", label: "pay" })
    const completion = yield* Sampling.createMessage({ prompt: "Say.", maxTokens: 5, label: "say" })
    return { roots: yield* Roots.list, completion }
  })
}) {}
const Asking = Toolkit.make(Resolve.tool("ask", { success: Schema.Int, dependencies: [Form, Rest] }))
const registrations = Resolve.toolkit(Asking).pipe(
  Layer.provide(Asking.toLayer({ ask: () => Effect.map(Effect.all([Form, Rest]), ([{ copies }]) => copies) }))
)

it.effect.prop(
  "whatever a person of chance answers fits the question, on both protocols",
  { answers: Answer.person },
  ({ answers }) =>
    Effect.gen(function* () {
      const texts = yield* Effect.forEach(["2026-07-28", "2025-11-25"] as const, (protocol) =>
        Effect.gen(function* () {
          const peer = yield* Peer.make({ protocol, registrations, answers })
          const result = yield* peer.callTool("ask")
          assert.isFalse(result.isError, result.text)
          return result.text
        })
      )
      assert.strictEqual(texts[0], texts[1])
    }),
  { arbitrary: { runs: 40, seed: 1 } }
)

const schema = { type: "object", required: ["a"], properties: { a: { type: "integer", minimum: 3, maximum: 4 } } }
it.effect.prop("an answer drawn from a schema keeps to it", { answer: Answer.fitting(schema) }, ({ answer }) =>
  Effect.sync(() => {
    const { result } = answer as { readonly result: { readonly content: { readonly a: number } } }
    assert.include([3, 4], result.content.a)
  })
)

// ---------------------------------------------------------------- eras

eras("what a test gives is compared", (era) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({
      ...era,
      registrations,
      answers: { "shop/Form": Answer.decline, "shop/Rest#pay": Answer.optional(Answer.accept()) }
    })
    return (yield* peer.callTool("ask")).text
  })
)

// ---------------------------------------------------------------- overrides

eras("a list is the same with and without overrides", (era) =>
  Effect.gen(function* () {
    const overridden = Layer.provide(registrations, Resolver.override(Rest, { roots: [], completion: {} as never }))
    const peer = yield* Peer.make({ ...era, registrations: overridden, answers: { "shop/Form": Answer.decline } })
    const plain = yield* Peer.make({ ...era, registrations })
    assert.deepStrictEqual(yield* peer.listTools, yield* plain.listTools)
    // used, as every override must be
    yield* peer.callTool("ask")
  })
)
