/**
 * A call as people see it: its rounds and resolvers on a time axis, drawn from the spans that the library makes. Six resolvers
 * in three levels take their time on the test's clock, so the picture is the same on every machine.
 */
import { Effect, Fiber, Layer, Option, Schema, Tracer } from "effect"
import { Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { Answer, Peer } from "effect-resolve/testing"

class Customer extends Resolver.Service<Customer>()("Customer", { resolve: () => Effect.sleep(30) }) {}
class Book extends Resolver.Service<Book>()("Book", { resolve: () => Effect.sleep(60) }) {}
class OrderId extends Resolver.Service<OrderId>()("OrderId", {
  durable: Schema.String,
  resolve: () => Effect.as(Effect.sleep(10), "7")
}) {}
class Quote extends Resolver.Service<Quote>()("Quote", {
  dependencies: [Customer, Book],
  resolve: () => Effect.sleep(20)
}) {}
class Address extends Resolver.Service<Address>()("Address", {
  dependencies: [Customer],
  resolve: () =>
    Effect.andThen(
      Effect.sleep(10),
      Elicitation.form({ message: "Where to?", schema: Schema.Struct({ city: Schema.String }) })
    )
}) {}
class Consent extends Resolver.Service<Consent>()("Consent", {
  dependencies: [OrderId, Quote, Address],
  resolve: () => Effect.andThen(Effect.sleep(10), Elicitation.confirm("Order it?"))
}) {}

const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String, dependencies: [Consent] }))
const registrations = Resolve.toolkit(Shop).pipe(
  Layer.provide(Shop.toLayer({ order_book: () => Effect.as(Effect.sleep(40), "Ordered.") }))
)

/** A person needs a quarter of a second, here. */
const person = (content: { readonly [field: string]: unknown }) => () =>
  Effect.as(Effect.sleep(250), Answer.accept(content))

const recording = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

/** Moves the clock whenever nothing else can happen, until the call has ended. */
const finish = <A, E>(peer: Peer.Peer, call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call)
    while (fiber.pollUnsafe() === undefined) {
      yield* peer.settle
      yield* TestClock.adjust(10)
    }
    return yield* Fiber.join(fiber)
  })

const perCell = 10
const cells = (millis: number) => Math.round(millis / perCell)

const draw = (spans: ReadonlyArray<Tracer.NativeSpan>): string => {
  const ended = spans.flatMap((span) => {
    if (!/^Resolver?[./]/.test(span.name) || span.status._tag !== "Ended") return []
    const [from, to] = [span.status.startTime, span.status.endTime].map((time) => Number(time) / 1e6) as [
      number,
      number
    ]
    return [{ span, from, to, outcome: String(span.attributes.get("effect_resolve.outcome") ?? "") }]
  })
  const zero = Math.min(...ended.map(({ from }) => from))
  const last = Math.max(...ended.map(({ to }) => to)) - zero
  const depth = (span: Tracer.AnySpan): number =>
    span._tag === "Span" && Option.isSome(span.parent) && ended.some((one) => one.span === span)
      ? 1 + depth(span.parent.value)
      : 0
  let rounds = 0
  const name = (span: Tracer.NativeSpan) =>
    span.name === "Resolve.round"
      ? `round ${++rounds}`
      : `${"  ".repeat(Math.max(0, depth(span) - 1))}${span.name === "Resolve.call" ? "order_book" : span.name.replace("Resolver/", "")}`
  const width = cells(last)
  const axis = Array.from({ length: Math.floor(last / 200) + 1 }, (_, index) =>
    `${index * 200}`.padEnd(cells(200))
  ).join("")
  const lines = ended.map(({ from, outcome, span, to }) => {
    const start = cells(from - zero)
    const bar = "█".repeat(Math.max(1, cells(to - zero) - start))
    return `${name(span).padEnd(15)} ${outcome.padEnd(14)} ${" ".repeat(start)}${bar.padEnd(width - start)}`.trimEnd()
  })
  return `${`${"".padEnd(30)} ${axis}ms`.trimEnd()}\n${lines.join("\n")}\n`
}

/** The picture of one call on a protocol version. */
export const timeline = (protocol: Peer.ProtocolVersion) => () => {
  const { spans, tracer } = recording()
  return Effect.gen(function* () {
    const answers = { Address: person({ city: "Bath" }), Consent: person({ confirm: true }) }
    const peer = yield* Peer.make({ protocol, registrations, answers })
    spans.length = 0
    yield* finish(peer, peer.callTool("order_book", {}))
    return draw(spans)
  }).pipe(Effect.withTracer(tracer), Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise)
}
