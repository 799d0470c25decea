/** 1. Per call, in process: a graph of three nodes through the engine, and the same three Effects by hand. */
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import { Inventory } from "../contestants/inventory.ts"
import { copies, delivery, orderText, titles } from "../contestants/shop.ts"
import { type Contestant, report, rounds } from "../lib/rounds.ts"

const Arguments = Schema.Struct({ title: Schema.String })
interface Stock {
  readonly title: string
  readonly copies: number
}
const checkStock = Effect.fnUntraced(function* (title: string) {
  const inventory = yield* Inventory
  return { title, copies: yield* inventory.copies(title) }
})
const estimateDelivery = (stock: Stock) => Effect.succeed({ when: delivery(stock.copies) })
const quote = (stock: Stock, estimate: { readonly when: "tomorrow" | "in 2-3 weeks" }) =>
  Effect.succeed({ text: orderText(stock.title, stock.copies, estimate.when) })

// ---- ours
class CheckStock extends Resolver.Service<CheckStock>()("bench/CheckStock", {
  parameters: { title: Schema.String },
  resolve: ({ title }) => checkStock(title)
}) {}
class EstimateDelivery extends Resolver.Service<EstimateDelivery>()("bench/EstimateDelivery", {
  dependencies: [CheckStock],
  resolve: () => Effect.flatMap(CheckStock, estimateDelivery)
}) {}
class Quote extends Resolver.Service<Quote>()("bench/Quote", {
  dependencies: [CheckStock, EstimateDelivery],
  resolve: Effect.fnUntraced(function* () {
    return yield* quote(yield* CheckStock, yield* EstimateDelivery)
  })
}) {}
const Ours = Toolkit.make(
  Resolve.tool("order_book", {
    parameters: Arguments,
    success: Schema.String,
    dependencies: [CheckStock, EstimateDelivery, Quote]
  })
)
const OursLive = Ours.toLayer({
  order_book: Effect.fnUntraced(function* () {
    yield* CheckStock
    yield* EstimateDelivery
    return (yield* Quote).text
  })
})

// ---- by hand: each look-up at most once, whoever reads it first
const compose = Effect.fnUntraced(function* (title: string) {
  const stock = yield* Effect.cached(checkStock(title))
  const estimate = yield* Effect.cached(Effect.flatMap(stock, estimateDelivery))
  const quoted = yield* Effect.cached(Effect.flatMap(Effect.all([stock, estimate]), ([s, e]) => quote(s, e)))
  yield* stock
  yield* estimate
  return (yield* quoted).text
})
const decode = Schema.decodeUnknownEffect(Arguments)
const encode = Schema.encodeUnknownEffect(Schema.String)
const byHand = (args: unknown) => Effect.flatMap(decode(args), ({ title }) => Effect.flatMap(compose(title), encode))
const Plain = Toolkit.make(Tool.make("order_book", { parameters: Arguments, success: Schema.String }))
const PlainLive = Plain.toLayer(
  Effect.map(Effect.context<Inventory>(), (context) => ({
    order_book: ({ title }: { readonly title: string }) => Effect.provideContext(compose(title), context)
  }))
)

const program = Effect.gen(function* () {
  const context = yield* Effect.context<Inventory | Layer.Success<typeof OursLive> | Layer.Success<typeof PlainLive>>()
  const ours = yield* Resolve.withHandlers(Ours)
  const plain = yield* Plain
  const last = <A, E, R, E2, R2>(handled: Effect.Effect<Stream.Stream<A, E, R>, E2, R2>) =>
    Effect.flatMap(Effect.flatMap(Stream.runLast(Stream.unwrap(handled)), Effect.fromOption), (result: any) =>
      Effect.succeed(String(result.encodedResult))
    )
  const contestants: Readonly<Record<string, Contestant>> =
    process.argv[2] === "call"
      ? {
          ours: (i) =>
            Effect.provideContext(Resolve.call(Ours, "order_book", { title: titles[i % titles.length]! }), context),
          theirs: (i) => Effect.provideContext(byHand({ title: titles[i % titles.length] }), context)
        }
      : {
          ours: (i) => last(ours.handle("order_book", { title: titles[i % titles.length]! })),
          theirs: (i) => last(plain.handle("order_book", { title: titles[i % titles.length]! }))
        }
  for (let i = 0; i < titles.length; i++) {
    const want = orderText(titles[i]!, copies(titles[i]!), delivery(copies(titles[i]!)))
    for (const [name, contestant] of Object.entries(contestants)) {
      const got = yield* contestant(i)
      if (got !== want) return yield* Effect.fail(new Error(`${name} answers ${got} to '${titles[i]}'`))
    }
  }
  return yield* rounds(contestants, { rounds: 9, ms: 150, batch: 25 })
})

report(program.pipe(Effect.provide([OursLive, PlainLive.pipe(Layer.provide(Inventory.layer)), Inventory.layer])))
