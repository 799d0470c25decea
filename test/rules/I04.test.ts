import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

const era2026 = eras.of("2026-07-28")
const hostile = { action: "accept", content: { price: 1, ok: true } }

/** `price` computes; `ok` asks; `mood` asks or computes, as the test says. */
const shop = () => {
  const mood = { asks: true }
  const ran = counter()
  const price = resolver("price", {}, () => Effect.as(ran.hit("price"), { price: 42 }))
  const ok = resolver("ok", {}, () => Effect.andThen(ran.hit("ok"), Elicitation.form({ message: "ok?", schema: Yes })))
  const fickle = resolver("mood", {}, () =>
    Effect.gen(function* () {
      if (mood.asks) return yield* Elicitation.form({ message: "mood?", schema: Yes })
      return { ok: "mine" }
    })
  )
  const quote = tool("quote", { dependencies: [price] }, () => Effect.map(price.get, ({ price }) => `costs ${price}`))
  const order = tool("order", { dependencies: [price, ok] }, () =>
    Effect.andThen(
      ran.hit("body"),
      Effect.map(price.get, ({ price }) => `costs ${price}`)
    )
  )
  const both = tool("both", { dependencies: [ok, fickle] }, () => Effect.map(fickle.get, ({ ok }) => String(ok)))
  return { mood, ran, quote, order, both }
}

describe("I4", () => {
  for (const [what, answer] of Object.entries({
    accept: Answer.result(hostile),
    decline: Answer.decline,
    cancel: Answer.cancel
  })) {
    era2026(`I4: ${what} for a resolver that asks nothing changes nothing, on the first call`, (era) =>
      Effect.gen(function* () {
        const { quote, ran } = shop()
        const peer = yield* Peer.make({ ...era, registrations: quote })
        const raw = yield* peer.request("tools/call", {
          name: "quote",
          arguments: {},
          inputResponses: { price: answer._tag === "Result" ? answer.result : undefined }
        })
        assert.deepStrictEqual([raw.isError ?? false, raw.content[0].text], [false, "costs 42"])
        assert.strictEqual(ran.count("price"), 1)
      })
    )

    era2026(`I4: ${what} for a resolver that asks nothing changes nothing, on a retry`, (era) =>
      Effect.gen(function* () {
        const { order, ran } = shop()
        const peer = yield* Peer.make({ ...era, registrations: order })
        const first = asked(yield* peer.callToolOnce("order"))
        const result = completed(yield* peer.retry(first, { inputResponses: { ok: yes, price: answer } }))
        assert.deepStrictEqual([result.isError, result.text], [false, "costs 42"])
        assert.strictEqual(ran.count("price"), 2)
      })
    )
  }

  era2026("I4: a resolver that no longer asks computes; the answer it was given is not taken for its value", (era) =>
    Effect.gen(function* () {
      const { both, mood } = shop()
      const peer = yield* Peer.make({ ...era, registrations: both })
      const first = asked(yield* peer.callToolOnce("both"))
      mood.asks = false
      const result = completed(yield* peer.retry(first, { inputResponses: { ok: yes, mood: yes } }))
      assert.strictEqual(result.text, "mine")
    })
  )

  era2026("I4: nor is the answer that an earlier round recorded", (era) =>
    Effect.gen(function* () {
      const { both, mood } = shop()
      const peer = yield* Peer.make({ ...era, registrations: both })
      const first = asked(yield* peer.callToolOnce("both"))
      const second = asked(yield* peer.retry(first, { inputResponses: { mood: yes } }))
      mood.asks = false
      assert.strictEqual(completed(yield* peer.retry(second, { inputResponses: { ok: yes } })).text, "mine")
    })
  )

  era2026("I4: a decline recorded for a resolver that no longer asks does not end the call", (era) =>
    Effect.gen(function* () {
      const { both, mood } = shop()
      const peer = yield* Peer.make({ ...era, registrations: both })
      const first = asked(yield* peer.callToolOnce("both"))
      mood.asks = false
      const result = completed(yield* peer.retry(first, { inputResponses: { ok: yes, mood: Answer.decline } }))
      assert.strictEqual(result.text, "mine")
    })
  )

  era2026("I4: answers under keys nobody asked with are ignored and not carried on", (era) =>
    Effect.gen(function* () {
      const { order } = shop()
      const peer = yield* Peer.make({ ...era, registrations: order })
      const first = asked(yield* peer.callToolOnce("order"))
      const ghosts = { ghost: yes, order: yes, "ok#": yes, "ok#label": yes, constructor: yes, ["__proto__"]: yes }
      const plain = asked(yield* peer.retry(first, { inputResponses: {} }))
      const second = asked(yield* peer.retry(first, { inputResponses: ghosts }))
      assert.deepStrictEqual(second.inputRequests, first.inputRequests)
      assert.strictEqual(second.requestState?.length, plain.requestState?.length)
      assert.strictEqual(completed(yield* peer.retry(second, { inputResponses: { ok: yes } })).text, "costs 42")
    })
  )

  era2026("I4: a durable resolver is the one that is restored without running, and its value is the server's", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const price = resolver("price", { durable: Schema.Struct({ price: Schema.Int }) }, () =>
        Effect.as(ran.hit("price"), { price: 42 })
      )
      const ok = resolver("ok", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("order", { dependencies: [price, ok] }, () =>
        Effect.map(price.get, ({ price }) => `costs ${price}`)
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("order"))
      const result = completed(yield* peer.retry(first, { inputResponses: { ok: yes, price: Answer.result(hostile) } }))
      assert.deepStrictEqual([result.text, ran.count("price")], ["costs 42", 1])
    })
  )

  eras("I4: values, answers and states forged among the arguments change nothing", (era) =>
    Effect.gen(function* () {
      const { quote } = shop()
      const peer = yield* Peer.make({ ...era, registrations: quote })
      const forged = { price: { price: 1 }, inputResponses: { price: hostile }, requestState: "x" }
      assert.strictEqual((yield* peer.callTool("quote", forged)).text, "costs 42")
    })
  )
})
