import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Ref } from "effect"
import { McpServer } from "effect/ai"
import { Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import { RequestState } from "effect-resolve"
import { Answer, Peer } from "effect-resolve/testing"
import { registrations } from "../../examples/03-ask-first.ts"

const frozen = { code: -32602, message: "Invalid or expired requestState", data: { reason: "invalid_request_state" } }
const key = "bookshop/ConfirmBackorder"
const yes = { inputResponses: { [key]: Answer.accept({ confirm: true }) } }

/** A signing service of somebody else's: it takes a second, and may be down. */
const service = Effect.gen(function* () {
  const down = yield* Ref.make(false)
  const remote = <A>(answer: Effect.Effect<A, unknown>) =>
    Effect.gen(function* () {
      yield* Effect.sleep("1 second")
      return (yield* Ref.get(down))
        ? yield* Effect.fail(new Error("kms: connection refused by 10.0.0.7"))
        : yield* answer
    })
  const codec: RequestState.Codec = {
    seal: (bytes) => remote(Effect.succeed(`kms.${Base64Url.encode(bytes)}`)),
    open: (text) => remote(Effect.fromResult(Base64Url.decode(text.slice(4))))
  }
  return { down, codec }
})

const serve = (state: Layer.Layer<never, unknown>) =>
  Peer.make({ registrations: registrations.pipe(Layer.provide(state)), protocol: "2026-07-28" })

const within = <A, E, R>(effect: Effect.Effect<A, E, R>, peer: Peer.Peer, time: "1 second" | "2 seconds") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* peer.settle
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })

const begin = (peer: Peer.Peer) => peer.callToolOnce("order_book", { title: "Neuromancer" })
const interim = <A>(round: Peer.Round<A>): Peer.InputRequired<A> => {
  if (round._tag !== "InputRequired") throw new Error("expected a question")
  return round
}

describe("I8: a codec that signs by a service far away", () => {
  it.effect("seals and opens when it is slow, with the same answers", () =>
    Effect.gen(function* () {
      const { codec } = yield* service
      const peer = yield* serve(RequestState.layer({ codec, audience: "bookshop" }))
      const round = interim(yield* within(begin(peer), peer, "1 second"))
      assert.match(round.requestState!, /^kms\./)
      const done = yield* within(peer.retry(round, yes), peer, "1 second")
      assert.strictEqual(done._tag, "Complete")
    })
  )

  it.effect("that cannot seal ends the call as an internal error, and its own words stay inside", () =>
    Effect.gen(function* () {
      const { codec, down } = yield* service
      const peer = yield* serve(RequestState.layer({ codec, audience: "bookshop" }))
      yield* Ref.set(down, true)
      const error = yield* Effect.flip(within(begin(peer), peer, "1 second"))
      assert.deepStrictEqual([error.code, error.message, error.data], [-32603, "Internal error", undefined])
      assert.notInclude(peer.render(), "10.0.0.7")
    })
  )

  it.effect("that cannot open refuses like any bad state, and the call goes on when it is back", () =>
    Effect.gen(function* () {
      const { codec, down } = yield* service
      const peer = yield* serve(RequestState.layer({ codec, audience: "bookshop" }))
      const round = interim(yield* within(begin(peer), peer, "1 second"))
      yield* Ref.set(down, true)
      const { code, data, message } = yield* Effect.flip(within(peer.retry(round, yes), peer, "1 second"))
      assert.deepStrictEqual({ code, message, data }, frozen)
      yield* Ref.set(down, false)
      assert.strictEqual((yield* within(peer.retry(round, yes), peer, "1 second"))._tag, "Complete")
    })
  )
})

describe("I8: through the engine", () => {
  const keys = ["a-secret-of-at-least-thirty-two-bytes"]

  it.effect("each round is stamped anew, and the whole call has an end", () =>
    Effect.gen(function* () {
      const peer = yield* serve(
        RequestState.layer({ keys, audience: "bookshop", ttl: "10 minutes", maxAge: "25 minutes" })
      )
      let round = interim(yield* begin(peer))
      // no answer: the question is put again, in a state of its own
      for (let i = 0; i < 2; i++) {
        yield* TestClock.adjust("9 minutes")
        round = interim(yield* peer.retry(round, { inputResponses: {} }))
      }
      const late = round
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual((yield* peer.retry(late, yes))._tag, "Complete")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.flip(peer.retry(late, yes))).code, -32602)
    })
  )

  it.effect("arguments count as they were sent: their order does not matter, an unknown one does", () =>
    Effect.gen(function* () {
      const peer = yield* serve(RequestState.layer({ keys, audience: "bookshop" }))
      const round = interim(yield* peer.callToolOnce("order_book", { title: "Neuromancer", b: 1, a: [2] }))
      const retry = (args: object) => peer.retry(round, { ...yes, params: { name: "order_book", arguments: args } })
      assert.strictEqual((yield* Effect.flip(retry({ title: "Neuromancer", b: 1, a: [2], junk: 1 }))).code, -32602)
      assert.strictEqual((yield* Effect.flip(retry({ title: "Dune", b: 1, a: [2] }))).code, -32602)
      assert.strictEqual((yield* retry({ a: [2], b: 1, title: "Neuromancer" }))._tag, "Complete")
    })
  )

  it.effect("a state belongs to the principal that the middleware names", () =>
    Effect.gen(function* () {
      const who = yield* Ref.make<Option.Option<string>>(Option.some("issuer|alice"))
      const Identity = McpServer.middleware((effect) =>
        Effect.flatMap(Ref.get(who), (principal) => Effect.provideService(effect, RequestState.Principal, principal))
      )
      const peer = yield* Peer.make({
        registrations: registrations.pipe(Layer.provide(Identity.layer)),
        protocol: "2026-07-28"
      })
      const round = interim(yield* begin(peer))
      for (const other of [Option.some("issuer|bob"), Option.none<string>()]) {
        yield* Ref.set(who, other)
        const { code, data, message } = yield* Effect.flip(peer.retry(round, yes))
        assert.deepStrictEqual({ code, message, data }, frozen)
      }
      yield* Ref.set(who, Option.some("issuer|alice"))
      assert.strictEqual((yield* peer.retry(round, yes))._tag, "Complete")
    })
  )
})
