import { once } from "node:events"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { running } from "./running.ts"

/** An official client whose person answers when `answer` says so. */
const client = (port: number, asked: () => void, answer: Promise<unknown>) =>
  Effect.promise(async () => {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, async () => {
      asked()
      await answer
      return { action: "accept", content: { confirm: true } }
    })
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)) as any)
    return client
  })

const socket = (port: number, text: string) =>
  Effect.promise(async () => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    await once(socket, "connect")
    if (text !== "") socket.write(text)
    return socket
  })

describe("an HTTP server that is asked to end", () => {
  it.live(
    "lets the answer to an open question in, sends its result, and is gone with its idle and half-open connections",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* running
          let asked = () => {}
          const isAsked = new Promise<void>((resolve) => (asked = resolve))
          let answer = () => {}
          const answered = new Promise<void>((resolve) => (answer = resolve))
          const official = yield* client(server.port, asked, answered)
          const result = official.callTool({ name: "order", arguments: {} })
          yield* Effect.promise(() => isAsked)
          yield* socket(server.port, "")
          yield* socket(server.port, "POST /mcp HTTP/1.1\r\nhost: localh")
          yield* socket(server.port, "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
          server.child.kill("SIGTERM")
          // until it turns new calls away
          yield* Effect.promise(async () => {
            for (;;) {
              const { status } = await fetch(`http://127.0.0.1:${server.port}/mcp`, { method: "POST", body: "{}" })
              if (status === 503) return
            }
          })
          answer()
          const { content } = (yield* Effect.promise(() => result)) as any
          assert.strictEqual(content[0].text, "Ordered.")
          assert.strictEqual(yield* server.code, 143)
          yield* Effect.promise(() => official.close())
        })
      ),
    60_000
  )

  it.live(
    "does not wait for a call, a question or a stream beyond its limit, and releases what they hold",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* running
          let asked = () => {}
          const isAsked = new Promise<void>((resolve) => (asked = resolve))
          const official = yield* client(server.port, asked, new Promise(() => {}))
          const ended = Promise.allSettled([
            official.callTool({ name: "order", arguments: {} }),
            official.callTool({ name: "minute", arguments: {} })
          ])
          yield* Effect.promise(() => isAsked)
          server.child.kill("SIGTERM")
          assert.strictEqual(yield* server.code, 143)
          assert.include(server.seen.err, "released")
          yield* Effect.promise(() => official.close())
          yield* Effect.promise(() => ended)
        })
      ),
    60_000
  )
})
