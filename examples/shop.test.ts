import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { registrations } from "./shop.ts"

eras("orders what is not there once somebody agrees", (era) =>
  Effect.gen(function* () {
    const answers = { "bookshop/Delivery": Answer.accept({ confirm: true }) }
    const peer = yield* Peer.make({ ...era, registrations, answers })
    const result = yield* peer.callTool("order_book", { title: "Emma" })
    assert.strictEqual(result.text, "Ordered 'Emma'; it arrives in 2-3 weeks.")
  })
)
