import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { counter, resolver, tool, Yes, yes } from "./kit.ts"

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
})
