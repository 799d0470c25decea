import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { registrations } from "./shop.js"

eras("asks about what is not there, and orders it", (era) =>
  Effect.gen(function* () {
    const answers = { "consumer/ConfirmBackorder": Answer.accept({ confirm: true }) }
    const peer = yield* Peer.make({ ...era, registrations, answers })
    const { text } = yield* peer.callTool("order_book", { title: "Emma" })
    assert.strictEqual(text, "Ordered 'Emma' (0 here).")
    assert.strictEqual(peer.questions.length, 1)
  })
)
