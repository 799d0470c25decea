/** What effect/ai alone does over stdio: see http.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { TestClock } from "effect/testing"
import { addTool, call, initialize, meta, registrations, stdioPeer, text } from "../serving/fixtures.ts"

const server = McpServer.layerStdio({
  name: "Upstream",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations: registrations(
    Effect.andThen(
      addTool("echo", () => Effect.succeed(text("echo"))),
      addTool(
        "ask",
        () =>
          McpSchema.McpServerClient.pipe(
            Effect.flatMap((client) => client.getClient),
            Effect.flatMap((client) => client.listRoots({})),
            Effect.scoped,
            Effect.as(text("asked"))
          ) as Effect.Effect<McpSchema.CallToolResult>
      )
    )
  )
})

describe("effect/ai over stdio", () => {
  it.effect("row 8: a garbage line loses the messages in its chunk, is not answered, and the reader pauses", () =>
    Effect.gen(function* () {
      const peer = yield* stdioPeer(server)
      yield* peer.write(call("echo", 1), "garbage", call("echo", 2))
      yield* TestClock.adjust("1 second")
      yield* peer.write(call("echo", 3))
      yield* peer.until(1)
      assert.deepStrictEqual(
        peer.messages().map(({ id }) => id),
        [3]
      )
    })
  )

  it.effect("row 9: at the end of stdin a question without an answer keeps the server for ever", () =>
    Effect.gen(function* () {
      const peer = yield* stdioPeer(server)
      yield* peer.write(initialize({ roots: {} }))
      yield* peer.until(1)
      yield* peer.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } })
      yield* peer.until(2)
      yield* peer.end
      yield* TestClock.adjust("365 days")
      assert.isUndefined(peer.server.pollUnsafe())
    })
  )

  it.effect("row 9: at the end of stdin an open subscription keeps the server for ever", () =>
    Effect.gen(function* () {
      const peer = yield* stdioPeer(server)
      yield* peer.write({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { notifications: {}, _meta: meta }
      })
      yield* peer.until(1)
      yield* peer.end
      yield* TestClock.adjust("365 days")
      assert.isUndefined(peer.server.pollUnsafe())
    })
  )

  it.effect("row 10: the log goes to stdout unless told otherwise", () =>
    Effect.map(Logger.LogToStderr, (stderr) => assert.isFalse(stderr))
  )
})
