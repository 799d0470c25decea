import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ResolveServer } from "effect-resolve"
import { initialize, meta, modern, type Peer, peer, stdioPeer } from "./fixtures.ts"
import { registrations } from "./shop.ts"

const options = { name: "Bookshop", version: "1.0.0", registrations } as const
const server = (limits: object) => ResolveServer.layerHttp({ ...options, path: "/mcp", shutdownTimeout: 0, ...limits })

const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const call = (name: string, id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } })

/** A POST or GET whose answer is not waited for. */
const opened = (client: Peer, init: Parameters<Peer["fetch"]>[0]) =>
  Effect.map(client.fetch(init), ({ body, status }) => ({ status, leave: Effect.promise(() => body!.cancel()) }))

describe("at a limit the client is told, and the others are served", () => {
  it.effect("sessions", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ maxSessions: 2 }))
      const session = yield* client.initialize()
      yield* client.initialize()
      const third = yield* client.send(initialize({}))
      assert.deepStrictEqual(
        [third.status, third.headers.get("retry-after"), third.messages[0].error.message],
        [503, "60", "The server has 2 sessions open, and takes no more for now"]
      )
      assert.strictEqual((yield* client.send(call("id", 1), session)).messages[0].id, 1)
      assert.strictEqual((yield* client.modern("tools/call", { name: "id" })).status, 200)
      yield* client.fetch({ method: "DELETE", headers: session })
      assert.strictEqual((yield* client.send(initialize({}))).status, 200)
    })
  )

  it.effect("streams of one session", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ maxStreams: 2 }))
      const [one, other] = [yield* client.initialize(), yield* client.initialize()]
      const get = (session: Record<string, string>) =>
        client.fetch({ method: "GET", headers: { accept: "text/event-stream", ...session } })
      const streams = [yield* get(one), yield* get(one)]
      for (const { body } of streams) yield* Effect.promise(() => body!.getReader().read())
      const third = yield* get(one)
      const { error }: any = yield* Effect.promise(() => third.json())
      assert.deepStrictEqual([third.status, error.message], [429, "A session can have 2 streams open; close one first"])
      assert.strictEqual((yield* get(other)).status, 200)
    })
  )

  it.effect("subscriptions of 2026-07-28", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ maxListening: 1 }))
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { notifications: {}, _meta: meta }
      }
      const headers = { ...accept, "mcp-protocol-version": modern, "mcp-method": "subscriptions/listen" }
      const first = yield* client.fetch({ method: "POST", headers, body: JSON.stringify(message) })
      yield* Effect.promise(() => first.body!.getReader().read())
      const second = yield* client.modern("subscriptions/listen", { notifications: {} })
      assert.include(second.messages.at(-1).error.message, "The server has 1 subscriptions open")
      assert.strictEqual((yield* client.modern("tools/call", { name: "id" })).status, 200)
    })
  )

  it.effect("open questions of one session, over HTTP", () =>
    Effect.gen(function* () {
      const client = yield* peer(server({ maxQuestions: 2 }))
      const [one, other] = [
        yield* client.initialize("2025-11-25", { elicitation: {} }),
        yield* client.initialize("2025-11-25", { elicitation: {} })
      ]
      const ask = (session: Record<string, string>, id: number) =>
        opened(client, { method: "POST", headers: { ...accept, ...session }, body: JSON.stringify(call("order", id)) })
      yield* ask(one, 1)
      yield* ask(one, 2)
      const third = yield* client.send(call("order", 3), one)
      assert.include(third.messages.at(-1).result.content[0].text, "too many of its questions are open already")
      yield* ask(other, 1)
      assert.strictEqual((yield* client.send(call("id", 4), one)).messages[0].id, 4)
      yield* client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, one)
      yield* ask(one, 5)
    })
  )

  it.effect("open questions over stdio, and what a client that is gone is said to be", () =>
    Effect.gen(function* () {
      const client = yield* stdioPeer(ResolveServer.layerStdio({ ...options, maxQuestions: 1 }))
      yield* client.write(initialize({ elicitation: {} }), { jsonrpc: "2.0", method: "notifications/initialized" })
      yield* client.until(1)
      yield* client.write(call("order", 1))
      yield* client.until(2)
      yield* client.write(call("order", 2))
      yield* client.until(3)
      const text = (id: number) => client.messages().find((message) => message.id === id && message.result)?.result
      assert.include(text(2).content[0].text, "too many of its questions are open already")
      yield* client.end
      yield* Fiber.await(client.server)
      assert.include(text(1).content[0].text, "could not resolve: the client is gone")
    })
  )
})
