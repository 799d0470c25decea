import { getHeapSnapshot } from "node:v8"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { ResolveServer } from "effect-resolve"
import { modern, type Peer, peer, stdioPeer } from "./fixtures.ts"
import { held, registrations } from "./shop.ts"

const options = { name: "Bookshop", version: "1.0.0", registrations } as const

const rounds = 1_000

/**
 * What the heap holds, in bytes, without the machine code of what ran: over a thousand rounds of a warm program that is
 * nearly all that grows. Taking a snapshot collects the garbage first.
 */
const heap = Effect.gen(function* () {
  // what waits for a timer of its own, such as effect/ai's reverse clients, has had its time
  yield* TestClock.adjust("1 minute")
  const chunks = yield* Effect.promise(() => getHeapSnapshot().toArray())
  const { nodes, snapshot } = JSON.parse(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString())
  const fields: ReadonlyArray<string> = snapshot.meta.node_fields
  const types: ReadonlyArray<string> = snapshot.meta.node_types[0]
  const [type, size] = [fields.indexOf("type"), fields.indexOf("self_size")]
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (!["code", "hidden", "object shape"].includes(types[nodes[at + type]]!)) bytes += nodes[at + size]
  }
  return bytes
})

/** A client that leaves in the middle of a question, many times: afterwards the server holds what it held before. */
const leaveNothing = Effect.fnUntraced(function* (round: (index: number) => Effect.Effect<void, never, Scope.Scope>) {
  held.acquired = 0
  held.released = 0
  let after100 = 0
  for (let index = 0; index < rounds; index++) {
    if (index === 100) after100 = yield* heap
    yield* Effect.scoped(round(index))
  }
  const grown = (yield* heap) - after100
  assert.deepStrictEqual(held, { acquired: rounds, released: rounds })
  console.log(grown)
  assert.isBelow(grown, 2_000_000)
})

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "order" } }

const askAndLeave = Effect.fnUntraced(function* (client: Peer, session: Record<string, string>) {
  const abort = new AbortController()
  const response = yield* client.fetch({
    method: "POST",
    headers: { ...json, ...session },
    body: JSON.stringify(call),
    signal: abort.signal
  })
  const reader = response.body!.getReader()
  const { value } = yield* Effect.promise(() => reader.read())
  assert.include(new TextDecoder().decode(value), "elicitation/create")
  yield* Effect.promise(() => reader.cancel())
  abort.abort()
  // the finalizers of the call run beside the client
  while (held.released < held.acquired) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
})

describe("a client that leaves in the middle of a question leaves nothing", () => {
  it.effect(
    "2026-07-28 over HTTP",
    () =>
      Effect.gen(function* () {
        const client = yield* peer(ResolveServer.layerHttp({ ...options, path: "/mcp" }))
        yield* leaveNothing(() =>
          Effect.gen(function* () {
            const reply = yield* client.modern("tools/call", { name: "order" }, { capabilities: { elicitation: {} } })
            assert.strictEqual(reply.messages[0].result.resultType, "input_required")
          })
        )
      }),
    120_000
  )

  it.effect(
    "2025-11-25 over HTTP: no session is left, ended by DELETE or by time",
    () =>
      Effect.gen(function* () {
        const client = yield* peer(ResolveServer.layerHttp({ ...options, path: "/mcp", sessionIdleTime: "30 seconds" }))
        const sessions: Array<Record<string, string>> = []
        yield* leaveNothing((index) =>
          Effect.gen(function* () {
            const session = yield* client.initialize("2025-11-25", { elicitation: {} })
            yield* askAndLeave(client, session)
            if (index % 10 === 0) sessions.push(session)
            if (index % 2 === 0) yield* client.fetch({ method: "DELETE", headers: session })
          })
        )
        for (const session of sessions) {
          assert.strictEqual((yield* client.send({ jsonrpc: "2.0", id: 1, method: "ping" }, session)).status, 404)
        }
      }),
    120_000
  )

  const stdio = (first: ReadonlyArray<unknown>, question: (message: any) => boolean, count: number) =>
    leaveNothing(() =>
      Effect.gen(function* () {
        const client = yield* stdioPeer(ResolveServer.layerStdio(options))
        yield* client.write(...first)
        yield* client.until(count)
        assert.isTrue(question(client.messages().at(-1)))
        yield* client.end
        yield* Fiber.await(client.server)
      })
    )

  it.effect(
    "2026-07-28 over stdio",
    () =>
      stdio(
        [
          {
            ...call,
            params: {
              ...call.params,
              _meta: {
                "io.modelcontextprotocol/protocolVersion": modern,
                "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }
              }
            }
          }
        ],
        ({ result }) => result?.resultType === "input_required",
        1
      ),
    120_000
  )

  it.effect(
    "2025-11-25 over stdio",
    () =>
      stdio(
        [
          {
            jsonrpc: "2.0",
            id: 0,
            method: "initialize",
            params: {
              protocolVersion: "2025-11-25",
              capabilities: { elicitation: {} },
              clientInfo: { name: "test", version: "1" }
            }
          },
          { jsonrpc: "2.0", method: "notifications/initialized" },
          call
        ],
        ({ method }) => method === "elicitation/create",
        2
      ),
    120_000
  )
})
