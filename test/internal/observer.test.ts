/**
 * On old protocols the wire carries no key: the engine announces each question, and the peer's script is by key there, too.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Answer, Peer } from "effect-resolve/testing"
import { CurrentQuestionObserver } from "../../src/internal/call/observer.ts"

const decode = Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)

/** Asks as the engine does: announces, then sends. */
const ask = (key: string, message: string) =>
  Effect.gen(function* () {
    const params = { message, requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } }
    const observe = yield* CurrentQuestionObserver
    if (observe !== undefined) yield* observe({ key, method: "elicitation/create", params })
    const client = yield* (yield* McpSchema.McpServerClient).getClient
    return (yield* client.elicit(yield* decode(params))).action
  })

const registrations = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({ name: "both", inputSchema: { type: "object" } }),
      annotations: Context.empty(),
      handle: ({ second = "second" }) =>
        Effect.all([ask("shop/First", "First?"), ask(`shop/${second}`, "Second?")], { concurrency: "unbounded" }).pipe(
          Effect.map((actions) => {
            const text = actions.join(" ")
            return new McpSchema.CallToolResult({ content: [{ type: "text", text }] })
          }),
          Effect.scoped,
          Effect.orDie,
          (effect) => effect as unknown as Effect.Effect<McpSchema.CallToolResult> // every old session has the client
        )
    })
  })
)

describe("questions on a back channel, announced by key", () => {
  for (const transport of ["http", "stdio"] as const) {
    it.effect(`are answered by key, whatever their order in the script, over ${transport}`, () =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          registrations,
          transport,
          protocol: "2025-11-25",
          answers: { "shop/second": Answer.decline, "shop/First": Answer.accept({ ok: true }) }
        })
        assert.strictEqual((yield* peer.callTool("both")).text, "accept decline")
        assert.deepStrictEqual(peer.questions.map(({ key, message }) => [key, message]).sort(), [
          ["shop/First", "First?"],
          ["shop/second", "Second?"]
        ])
      })
    )

    it.effect(`fail the test when their key has no answer, and name it, over ${transport}`, () =>
      Effect.gen(function* () {
        const answers = { "shop/First": Answer.accept({ ok: true }) }
        const exit = yield* Peer.make({ registrations, transport, protocol: "2025-11-25", answers }).pipe(
          Effect.flatMap((peer) => peer.callTool("both", { second: "Other" })),
          Effect.scoped,
          Effect.exit
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "No answer is scripted for 'shop/Other'")
      })
    )
  }
})
