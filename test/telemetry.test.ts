import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, References, Schema, Tracer } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"

const canary = "canary-4f1c"

class Price extends Resolver.Service<Price>()("shop/Price", {
  durable: Schema.String,
  resolve: () => Effect.succeed(`${canary}-price`)
}) {}
class Ask extends Resolver.Service<Ask>()("shop/Ask", {
  dependencies: [Price],
  resolve: () => Elicitation.form({ message: "Which?", schema: Schema.Struct({ name: Schema.String }) })
}) {}
class Confirm extends Resolver.Service<Confirm>()("shop/Confirm", {
  dependencies: [Ask],
  resolve: () => Elicitation.form({ message: "Sure?", schema: Schema.Struct({ ok: Schema.Boolean }) })
}) {}
const Buy = Toolkit.make(Resolve.tool("buy", { success: Schema.String, dependencies: [Price, Ask, Confirm.result] }))
const registrations = Resolve.toolkit(Buy).pipe(
  Layer.provide(Buy.toLayer({ buy: () => Effect.map(Confirm.result, ({ _tag }) => `done: ${_tag}`) }))
)

const memory = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const ours = () => spans.filter(({ name }) => name.startsWith("Resolve"))
  return { tracer, spans, ours }
}

const lines = () => {
  const written: Array<string> = []
  const logger = Logger.make(({ message, cause, logLevel }) => {
    written.push(`${logLevel} ${JSON.stringify(message)} ${String(cause)}`)
  })
  return { written, layer: Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All")) }
}

const describeSpan = (span: Tracer.NativeSpan) => {
  const outcome = span.attributes.get("effect_resolve.outcome")
  const reason = span.attributes.get("effect_resolve.reason")
  return `${span.name}: ${outcome}${reason === undefined ? "" : ` (${reason})`}`
}

const buy = (era: { readonly protocol: Peer.ProtocolVersion }) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({
      ...era,
      registrations,
      answers: {
        "shop/Ask": Answer.accept({ name: `${canary}-name` }),
        "shop/Confirm": Answer.decline
      }
    })
    return { peer, text: (yield* peer.callTool("buy", {})).text }
  })

describe("traces", () => {
  eras("a span for each round, call and resolver says whether it ran, was restored or asked", (era) => {
    const { ours, tracer } = memory()
    return Effect.gen(function* () {
      assert.strictEqual((yield* buy(era)).text, "done: Failure")
      assert.deepStrictEqual(
        ours().map(describeSpan),
        era.protocol === "2026-07-28"
          ? [
              "Resolve.round: input_required",
              "Resolve.call: suspended",
              "Resolver/shop/Price: ran",
              "Resolver/shop/Ask: asked",
              "Resolve.round: input_required",
              "Resolve.call: suspended",
              "Resolver/shop/Price: restored",
              "Resolver/shop/Ask: ran",
              "Resolver/shop/Confirm: asked",
              "Resolve.round: complete",
              "Resolve.call: completed",
              "Resolver/shop/Price: restored",
              "Resolver/shop/Ask: ran",
              "Resolver/shop/Confirm: ran"
            ]
          : [
              "Resolve.round: complete",
              "Resolve.call: completed",
              "Resolver/shop/Price: ran",
              "Resolver/shop/Ask: ran",
              "Resolver/shop/Confirm: ran"
            ]
      )
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
  })

  it.effect("each round is linked to the one before, and `traceparent` in `_meta` is its parent", () => {
    const { ours, tracer } = memory()
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    return Effect.gen(function* () {
      const peer = yield* Peer.make({
        protocol: "2026-07-28",
        registrations,
        answers: { "shop/Ask": Answer.accept({ name: "n" }), "shop/Confirm": Answer.accept({ ok: true }) }
      })
      yield* peer.callTool("buy", {}, { meta: { traceparent } })
      const rounds = ours().filter(({ name }) => name === "Resolve.round")
      assert.strictEqual(rounds.length, 3)
      for (const round of rounds) {
        assert.strictEqual(round.traceId, "0af7651916cd43dd8448eb211c80319c")
        assert.strictEqual((round.parent as any).value.spanId, "b7ad6b7169203331")
      }
      assert.deepStrictEqual(
        rounds.map(({ links }) => links.map(({ span }) => span.spanId)),
        [[], [rounds[0]!.spanId], [rounds[1]!.spanId]]
      )
      const resolvers = ours().filter(({ name }) => name.startsWith("Resolver/"))
      assert.isTrue(resolvers.every((span) => span.traceId === rounds[0]!.traceId))
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
  })

  it.effect("a question that is asked again says why", () => {
    const { ours, tracer } = memory()
    let wording = "first"
    class Reworded extends Resolver.Service<Reworded>()("shop/Reworded", {
      resolve: () => Elicitation.form({ message: wording, schema: Schema.Struct({ ok: Schema.Boolean }) })
    }) {}
    const T = Toolkit.make(Resolve.tool("t", { success: Schema.String, dependencies: [Reworded] }))
    return Effect.gen(function* () {
      const peer = yield* Peer.make({
        protocol: "2026-07-28",
        registrations: Resolve.toolkit(T).pipe(Layer.provide(T.toLayer({ t: () => Effect.succeed("ok") }))),
        answers: () => {
          wording = "second"
          return Answer.accept({ ok: true })
        }
      })
      yield* peer.callTool("t", {})
      assert.include(ours().map(describeSpan), "Resolver/shop/Reworded: asked again (its question has changed)")
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
  })

  eras("D: no answer, durable value or opened state appears in a span, a log line or on the wire", (era) => {
    const { spans, tracer } = memory()
    const log = lines()
    return Effect.gen(function* () {
      const { peer } = yield* buy(era)
      const told = JSON.stringify(spans, (key, value) =>
        typeof value === "bigint"
          ? String(value)
          : value instanceof Map
            ? [...value]
            : key === "parent"
              ? undefined
              : value
      )
      assert.notInclude(told, canary)
      assert.notInclude(log.written.join("\n"), canary)
      // the client has sent one of the two itself; nothing that the server sends has either
      const sent = peer.transcript.filter(({ from }) => from === "server")
      assert.isAbove(sent.length, 0)
      assert.notInclude(JSON.stringify(sent), canary)
    }).pipe(Effect.provideService(Tracer.Tracer, tracer), Effect.provide(log.layer))
  })

  eras("one debug line per question names resolver, tool, kind and protocol", (era) => {
    const log = lines()
    return Effect.gen(function* () {
      yield* buy(era)
      assert.deepStrictEqual(
        log.written.filter((line) => line.includes("Question put")).map((line) => line.replace(/ \S*$/, "")),
        ["shop/Ask", "shop/Confirm"].map(
          (key) => `Debug ["Question put: elicitation/create by resolver '${key}' of 'buy' on ${era.protocol}"]`
        )
      )
    }).pipe(Effect.provide(log.layer))
  })

  eras("counters of rounds, questions, refusals and rejected state, and the time to answer", (era) =>
    Effect.gen(function* () {
      yield* buy(era)
      const peer = yield* Peer.make({ ...era, registrations })
      if (era.protocol === "2026-07-28") {
        yield* Effect.flip(peer.request("tools/call", { name: "buy", arguments: {}, requestState: "x" }))
      }
      const snapshot = yield* Metric.snapshot
      const found = (id: string) => snapshot.filter((metric) => metric.id === id)
      const total = (id: string) => found(id).reduce((sum, metric) => sum + Number((metric.state as any).count), 0)
      assert.strictEqual(total("effect_resolve_rounds"), era.protocol === "2026-07-28" ? 4 : 1)
      assert.strictEqual(total("effect_resolve_questions"), 2)
      assert.strictEqual(total("effect_resolve_refusals"), 1)
      assert.strictEqual(total("effect_resolve_time_to_answer"), 2)
      assert.strictEqual(total("effect_resolve_rejected_state"), era.protocol === "2026-07-28" ? 1 : 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
