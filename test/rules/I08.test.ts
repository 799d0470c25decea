import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { Elicitation } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, resolver, tool, Yes, yes } from "./kit.ts"

const shop = () => {
  const ran = counter()
  const ask = resolver("ask", {}, () =>
    Effect.andThen(ran.hit("ask"), Elicitation.form({ message: "ok?", schema: Yes }))
  )
  const registrations = tool("t", { dependencies: [ask] }, () => Effect.as(ran.hit("body"), "done"))
  const plain = tool("plain", {}, () => Effect.as(ran.hit("plain"), "plain"))
  return { ran, registrations, plain }
}
const frozen = [-32602, "Invalid or expired requestState", { reason: "invalid_request_state" }]

describe("I8", () => {
  eras.of("2026-07-28")(
    "I8: a state that does not verify is refused before anything runs, for one frozen reason",
    (era) =>
      observed(({ logs }) =>
        Effect.gen(function* () {
          const { ran, registrations } = shop()
          const peer = yield* Peer.make({ ...era, registrations })
          const round = asked(yield* peer.callToolOnce("t"))
          const state = round.requestState!
          const flipped = `${state.slice(0, 20)}${state[20] === "A" ? "B" : "A"}${state.slice(21)}`
          for (const requestState of ["", "garbage", "v1.", flipped, state.slice(0, -1), `${state}A`]) {
            const error = yield* Effect.flip(peer.retry(round, { inputResponses: { ask: yes }, requestState }))
            assert.deepStrictEqual([error.code, error.message, error.data], frozen)
          }
          assert.deepStrictEqual(ran.log, ["ask"])
          assert.include(logs.join("\n"), "requestState rejected")
          assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { ask: yes } })).text, "done")
        })
      )
  )

  eras.of("2026-07-28")("I8: a tool that mints no state refuses one all the same", (era) =>
    Effect.gen(function* () {
      const { plain, ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations: plain })
      const other = yield* Peer.make({ ...era, registrations })
      const { requestState } = asked(yield* other.callToolOnce("t"))
      for (const state of ["garbage", requestState]) {
        const error = yield* Effect.flip(
          peer.request("tools/call", { name: "plain", arguments: {}, requestState: state })
        )
        assert.deepStrictEqual([error.code, error.message, error.data], frozen)
      }
      assert.strictEqual(ran.count("plain"), 0)
    })
  )

  eras.of("2025-11-25")("I8: an older session never sees a state, and one that it sends is not read", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [yes] } })
      const raw = yield* peer.request("tools/call", {
        name: "t",
        arguments: {},
        requestState: "garbage",
        inputResponses: { ask: { action: "decline" } }
      })
      assert.strictEqual(raw.content[0].text, "done")
      assert.strictEqual(ran.count("body"), 1)
      assert.notInclude(JSON.stringify(peer.transcript.filter(({ from }) => from === "server")), "requestState")
    })
  )
})
