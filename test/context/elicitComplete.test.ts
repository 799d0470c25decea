import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Call, Elicitation, McpContext, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"

class Paid extends Resolver.Service<Paid>()("shop/Paid", {
  resolve: () => Elicitation.url({ message: "Pay here", url: "https://pay.example/1" })
}) {}

const Pay = Toolkit.make(Resolve.tool("pay", { success: Schema.String, dependencies: [Paid] }))
const registrations = Resolve.toolkit(Pay).pipe(
  Layer.provide(
    Pay.toLayer({
      pay: Effect.fn(function* () {
        yield* Paid
        yield* McpContext.elicitComplete(yield* Call.id)
        return "paid"
      })
    })
  )
)

describe("McpContext.elicitComplete", () => {
  for (const transport of ["http", "stdio"] as const) {
    eras.of("2025-11-25")(`tells the client whose call it is, over ${transport}, before the result`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, transport, registrations, answers: { "shop/Paid": Answer.accept() } })
        assert.strictEqual((yield* peer.callTool("pay")).text, "paid")
        const complete = peer.notifications.filter(({ method }) => method === "notifications/elicitation/complete")
        assert.deepStrictEqual(
          complete.map(({ params }) => params.elicitationId),
          [peer.questions[0]?.params.elicitationId]
        )
      })
    )

    eras.of("2026-07-28", "2025-06-18")(`is silent over ${transport} where the protocol has no such message`, (era) =>
      Effect.gen(function* () {
        const Quiet = Toolkit.make(Resolve.tool("quiet", { success: Schema.String }))
        const peer = yield* Peer.make({
          ...era,
          transport,
          registrations: Resolve.toolkit(Quiet).pipe(
            Layer.provide(Quiet.toLayer({ quiet: () => Effect.as(McpContext.elicitComplete("e"), "quiet") }))
          )
        })
        assert.strictEqual((yield* peer.callTool("quiet")).text, "quiet")
        assert.notInclude(peer.render(), "elicitation/complete")
      })
    )
  }
})
