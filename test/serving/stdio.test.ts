import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { McpSchema, type McpServer } from "effect/ai"
import { TestClock } from "effect/testing"
import { ResolveServer } from "effect-resolve"
import { addTool, call, initialize, meta, registrations, stdioPeer, text } from "./fixtures.ts"

const released: Array<string> = []

const shop = registrations(
  Effect.gen(function* () {
    yield* addTool("echo", () => Effect.succeed(text("echo")))
    yield* addTool("slow", () => Effect.as(Effect.sleep("5 seconds"), text("slow")))
    yield* addTool("never", () => Effect.never)
    yield* addTool(
      "ask",
      () =>
        Effect.gen(function* () {
          const client = yield* McpSchema.McpServerClient
          const reverse = yield* client.getClient
          yield* Effect.addFinalizer((exit) => Effect.sync(() => released.push(exit._tag)))
          // a body that will not take no for an answer
          yield* Effect.retry(reverse.listRoots({}), { times: 3 })
          return text("roots")
        }).pipe(
          Effect.scoped,
          Effect.mapError(() => new McpSchema.InvalidParams({ message: "nobody answered" }))
        ) as Effect.Effect<McpSchema.CallToolResult, McpSchema.InvalidParams>
    )
  })
)

const start = <E>(layer: Layer.Layer<never, E, McpServer.McpServer>) =>
  stdioPeer(ResolveServer.layerStdio({ name: "Bookshop", version: "1.0.0", registrations: layer }))

const parseError = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }

describe("layerStdio", () => {
  it.effect("a garbage line is answered and the messages beside it are served, in one chunk", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* peer.write(call("echo", "a"), "what is this?", call("echo", "b"), "")
      yield* peer.until(3)
      const messages = peer.messages()
      assert.deepStrictEqual(
        messages.filter(({ id }) => id === null),
        [parseError]
      )
      assert.sameMembers(
        messages.map(({ id }) => id),
        ["a", "b", null]
      )
    })
  )

  it.effect("what is JSON and no message is an invalid request", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      const garbage = [
        5,
        null,
        "hello",
        {},
        { jsonrpc: "2.0", id: null, method: "ping" },
        { jsonrpc: "2.0", id: {}, method: "ping" }
      ]
      yield* peer.write(
        ...garbage.map((line) => JSON.stringify(line)),
        { jsonrpc: "2.0", id: 7, method: 5 },
        call("echo", 1)
      )
      yield* peer.until(8)
      const errors = peer.messages().filter(({ error }) => error?.code === -32600)
      assert.deepStrictEqual(
        errors.map(({ id }) => id),
        [null, null, null, null, null, null, 7]
      )
    })
  )

  it.effect("a thousand garbage lines get a thousand errors, and the next call is served", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* Effect.forkChild(
        peer.write(...Array.from({ length: 1_000 }, (_, i) => `{"broken": ${i}`), call("echo", 1))
      )
      yield* peer.until(1_001)
      const messages = peer.messages()
      assert.deepStrictEqual(messages.filter(({ error }) => error?.code === -32700).length, 1_000)
      assert.deepStrictEqual(messages.at(-1).id, 1)
    })
  )

  it.effect("an id in use, and members that are not JSON-RPC, stop nothing", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* peer.write(call("never", 1), call("echo", 1), { ...call("echo", 2), headers: 5, spanId: {}, chunk: true })
      yield* peer.until(2)
      assert.deepStrictEqual(
        peer.messages().map(({ error, id, result }) => error?.message ?? [id, result.content[0].text]),
        ["Invalid Request: the id is in use", [2, "echo"]]
      )
    })
  )

  it.effect("a message may come in pieces, and the last one without a line break", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      for (const byte of new TextEncoder().encode(JSON.stringify(call("écho", "ü")))) {
        yield* peer.writeBytes(Uint8Array.of(byte))
      }
      yield* peer.end
      yield* Fiber.await(peer.server)
      assert.deepStrictEqual(
        peer.messages().map(({ error, id }) => [id, error.message]),
        [["ü", "Unknown tool: écho"]]
      )
    })
  )

  it.effect("at the end of stdin an answer in flight is written, then the server stops", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* peer.write(call("slow", 1))
      yield* peer.end
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(peer.server.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.await(peer.server)
      assert.deepStrictEqual(peer.messages()[0].result.content[0].text, "slow")
    })
  )

  it.effect("at the end of stdin an open question ends, its call is answered and its scope closed", () =>
    Effect.gen(function* () {
      released.length = 0
      const peer = yield* start(shop)
      yield* peer.write(initialize({ roots: {} }), { jsonrpc: "2.0", method: "notifications/initialized" })
      yield* peer.until(1)
      yield* peer.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } })
      yield* peer.until(2)
      assert.deepStrictEqual(peer.messages()[1].method, "roots/list")
      yield* peer.end
      yield* Fiber.await(peer.server)
      const answer = peer.messages().at(-1)
      assert.deepStrictEqual([answer.id, answer.result.content[0].text], [1, "nobody answered"])
      assert.deepStrictEqual(released, ["Failure"])
    })
  )

  it.effect("at the end of stdin a subscription ends with its result", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* peer.write({
        jsonrpc: "2.0",
        id: 3,
        method: "subscriptions/listen",
        params: { notifications: { toolsListChanged: true }, _meta: meta }
      })
      yield* peer.until(1)
      yield* peer.end
      yield* Fiber.await(peer.server)
      const [acknowledged, result] = peer.messages()
      assert.deepStrictEqual(acknowledged.method, "notifications/subscriptions/acknowledged")
      assert.deepStrictEqual([result.id, result.result.resultType], [3, "complete"])
      assert.deepStrictEqual(result.result._meta["io.modelcontextprotocol/subscriptionId"], 3)
    })
  )

  it.effect("a call that does not end is left behind after the shutdown timeout", () =>
    Effect.gen(function* () {
      const peer = yield* start(shop)
      yield* peer.write(call("never", 1))
      yield* peer.end
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.await(peer.server)
      assert.deepStrictEqual(peer.messages(), [])
    })
  )

  it.effect("nothing is read before the registrations are built, and nothing written when they fail", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const started = yield* Deferred.make<void>()
      const peer = yield* start(
        registrations(
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.andThen(Effect.fail("bad graph"))
          )
        )
      )
      yield* Deferred.await(started)
      yield* peer.write("garbage", call("echo", 1))
      // a server that reads answers within the first of these
      for (let minute = 0; minute < 5; minute++) yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(peer.messages(), [])
      yield* Deferred.succeed(gate, undefined)
      const exit = yield* Fiber.await(peer.server)
      assert.deepStrictEqual(Exit.isFailure(exit) && Cause.squash(exit.cause), "bad graph")
      assert.deepStrictEqual(peer.messages(), [])
    })
  )
})
