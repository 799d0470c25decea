import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result, Schema, SchemaGetter } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { message: Schema.String }) {}

/** A charge that takes a second, beside something else. */
const charging = () => {
  const ran = counter()
  const charge = resolver("shop/Charge", { durable: Schema.String }, () =>
    Effect.gen(function* () {
      yield* ran.hit("begun")
      yield* Effect.sleep("1 second")
      yield* ran.hit("charged")
      return "ch_1"
    })
  )
  return { ran, charge }
}

describe("I15", () => {
  eras("I15: a restored durable resolver demands nothing, its dependencies included", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const price = resolver("shop/Price", {}, () => Effect.as(ran.hit("price"), 42))
      const charge = resolver("shop/Charge", { dependencies: [price], durable: Schema.String }, () =>
        Effect.map(price.get, (cents) => `charged ${cents}`)
      )
      const ask = resolver("shop/Ask", { dependencies: [charge] }, () =>
        Elicitation.form({ message: "ok?", schema: Yes })
      )
      const registrations = tool("t", { dependencies: [charge, ask] }, () => Effect.map(charge.get, String))
      const peer = yield* Peer.make({ ...era, registrations, answers: { "shop/Ask": yes } })
      assert.strictEqual((yield* peer.callTool("t")).text, "charged 42")
      assert.strictEqual(ran.count("price"), 1)
    })
  )

  eras("I15: a durable body, once begun, is not interrupted by a failure beside it", (era) =>
    Effect.gen(function* () {
      const { ran, charge } = charging()
      const fails = resolver("shop/Fails", {}, () =>
        Effect.andThen(Effect.sleep("100 millis"), Effect.fail(new SoldOut({ message: "sold out" })))
      )
      const registrations = tool("t", { dependencies: [charge, fails], failure: SoldOut }, () => Effect.succeed(""))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("100 millis")
      yield* peer.settle
      assert.deepStrictEqual(ran.log, ["begun"])
      yield* TestClock.adjust("900 millis")
      assert.strictEqual((yield* Fiber.join(call)).text, "Error executing tool t: sold out")
      assert.deepStrictEqual(ran.log, ["begun", "charged"])
    })
  )

  eras("I15: nor by a question beside it, which goes out when the value is safe, and the body runs once", (era) =>
    Effect.gen(function* () {
      const { ran, charge } = charging()
      const ask = resolver("shop/Ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("t", { dependencies: [ask, charge] }, () => Effect.map(charge.get, String))
      const peer = yield* Peer.make({ ...era, registrations, answers: { "shop/Ask": yes } })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call)).text, "ch_1")
      assert.deepStrictEqual(ran.log, ["begun", "charged"])
    })
  )

  /** A question whose reading hangs once in the round in which `f` fails, so that the failure cuts it short. */
  const cutShort = Effect.fnUntraced(function* (round: number) {
    const ran = counter()
    const reading = yield* Deferred.make<void>()
    const hang = Effect.andThen(Deferred.succeed(reading, undefined), Effect.never)
    const decode = SchemaGetter.transformEffect((ok: boolean) =>
      Effect.gen(function* () {
        yield* ran.hit("read")
        return ran.count("f") === round && !(yield* Deferred.isDone(reading)) ? yield* hang : ok
      })
    )
    const schema = Schema.Struct({
      ok: Schema.Boolean.pipe(Schema.decode({ decode, encode: SchemaGetter.passthrough() }))
    })
    const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema }))
    const f = resolver("f", {}, () =>
      Effect.gen(function* () {
        yield* ran.hit("f")
        if (ran.count("f") !== round) return
        yield* Deferred.await(reading)
        return yield* Effect.fail("f")
      })
    )
    const both = resolver("both", { dependencies: [q, f] }, () => Effect.map(q.get, ({ ok }) => ok))
    const p = resolver("p", {}, () => Elicitation.form({ message: "p?", schema: Yes }))
    return { both, p, q, ran }
  })

  eras.of("2026-07-28")("I15: an answer whose reading was cut short is kept for a later round", (era) =>
    Effect.gen(function* () {
      const { both, p, ran } = yield* cutShort(2)
      const registrations = tool("t", { dependencies: [both.result, p] }, () =>
        Effect.map(both.result, (result: any) => JSON.stringify(Result.getOrUndefined(result)))
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("t"))
      const second = asked(yield* peer.retry(first, { inputResponses: { q: yes } }))
      assert.deepStrictEqual([Object.keys(second.inputRequests), ran.count("read")], [["p"], 1])
      const result = completed(yield* peer.retry(second, { inputResponses: { p: yes } }))
      assert.deepStrictEqual([result.text, ran.count("read")], ["true", 2])
    })
  )
})
