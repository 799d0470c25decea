import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Layer, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Question, ResolveServer } from "effect-resolve"
import { type Peer, peer } from "./fixtures.ts"
import { proxy } from "./proxy.ts"
import { running } from "./running.ts"
import { held, registrations } from "./shop.ts"

const server = (options: object = {}) =>
  ResolveServer.layerHttp({
    name: "Bookshop",
    version: "1.0.0",
    path: "/mcp",
    registrations,
    shutdownTimeout: 0,
    ...options
  })

const call = (name: string, id: string | number = 1) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } })
const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const confirmed = { action: "accept", content: { confirm: true } }

interface Frame {
  readonly id: string | undefined
  readonly data: string | undefined
  readonly comment: boolean
}

/** A connection whose events are read one by one, until the test lets go of it. */
const open = Effect.fnUntraced(function* (client: Peer, init: Parameters<Peer["fetch"]>[0]) {
  const abort = new AbortController()
  const response = yield* client.fetch({ ...init, signal: abort.signal })
  const reader = response.body!.getReader()
  const frames: Array<Frame> = []
  let rest = ""
  const next: Effect.Effect<Frame | undefined> = Effect.suspend(() => {
    const frame = frames.shift()
    if (frame !== undefined) return Effect.succeed(frame)
    return Effect.flatMap(
      Effect.promise(() => reader.read()),
      ({ done, value }) => {
        if (done) return Effect.succeed(undefined)
        const parts = (rest + new TextDecoder().decode(value)).split("\n\n")
        rest = parts.pop()!
        for (const part of parts) {
          const lines = part.split("\n")
          const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
          frames.push({ id: field("id"), data: field("data"), comment: part.startsWith(":") })
        }
        return next
      }
    )
  })
  return {
    status: response.status,
    next,
    leave: Effect.promise(async () => {
      await reader.cancel().catch(() => {})
      abort.abort()
    })
  }
})

const post = (client: Peer, session: Record<string, string>, message: unknown) =>
  open(client, { method: "POST", headers: { ...accept, ...session }, body: JSON.stringify(message) })

const get = (client: Peer, session: Record<string, string>, lastId: string) =>
  open(client, { method: "GET", headers: { accept: "text/event-stream", ...session, "last-event-id": lastId } })

/** The next message of a stream, past comments and the event that begins it. */
const message = (stream: Effect.Success<ReturnType<typeof open>>): Effect.Effect<any> =>
  Effect.flatMap(stream.next, (frame) =>
    frame === undefined
      ? Effect.succeed("end")
      : frame.data === undefined || frame.data === ""
        ? message(stream)
        : Effect.succeed({ ...JSON.parse(frame.data), event: frame.id })
  )

describe("a call whose connection is lost (in memory)", () => {
  it.effect("begins on 2025-11-25 with an event that has an id and no data, and goes on without its connection", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize("2025-11-25", { elicitation: {} })
      const stream = yield* post(client, session, call("order"))
      const first = yield* stream.next
      assert.deepStrictEqual([first?.data, typeof first?.id], ["", "string"])
      const question = yield* message(stream)
      assert.strictEqual(question.method, "elicitation/create")
      yield* stream.leave
      // answered while nobody reads, with an id that came back as text
      const answered = yield* client.send({ jsonrpc: "2.0", id: String(question.id), result: confirmed }, session)
      assert.strictEqual(answered.status, 202)
      const late = yield* get(client, session, question.event)
      assert.strictEqual((yield* message(late)).result.content[0].text, "Ordered.")
      assert.strictEqual(yield* message(late), "end")
      // from the begin: the question and the result, in order, as often as it is asked for
      for (let time = 0; time < 2; time++) {
        const again = yield* get(client, session, first!.id!)
        assert.strictEqual((yield* message(again)).event, question.event)
        assert.strictEqual((yield* message(again)).result.content[0].text, "Ordered.")
        assert.strictEqual(yield* message(again), "end")
      }
    })
  )

  it.effect("is read by the newest connection alone, each message once, and both of two lost calls can be had", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize("2025-11-25", { elicitation: {} })
      const one = yield* post(client, session, call("order", "one"))
      const two = yield* post(client, session, call("wish", "two"))
      const [asked, wished] = [yield* message(one), yield* message(two)]
      const newer = yield* get(client, session, asked.event)
      assert.strictEqual(yield* message(one), "end")
      yield* client.send({ jsonrpc: "2.0", id: asked.id, result: confirmed }, session)
      assert.strictEqual((yield* message(newer)).id, "one")
      assert.strictEqual(yield* message(newer), "end")
      yield* client.send({ jsonrpc: "2.0", id: wished.id, result: { action: "accept", content: {} } }, session)
      assert.strictEqual((yield* message(two)).result.content[0].text, "Wish: none.")
    })
  )

  it.effect("is cancelled by the client's word, its id as text included, and by the end of its session", () =>
    Effect.gen(function* () {
      const client = yield* peer(server())
      const session = yield* client.initialize("2025-11-25", { elicitation: {} })
      for (const end of [
        client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "7" } }, session),
        client.fetch({ method: "DELETE", headers: session })
      ]) {
        held.acquired = held.released = 0
        const stream = yield* post(client, session, call("order", 7))
        yield* message(stream)
        assert.deepStrictEqual([held.acquired, held.released], [1, 0])
        yield* end
        // the question is taken back
        const last = yield* message(stream)
        if (last !== "end") assert.strictEqual(yield* message(stream), "end")
        assert.deepStrictEqual([held.acquired, held.released], [1, 1])
      }
    })
  )

  it.effect("is of its session alone, and what is not kept any more is refused", () =>
    Effect.gen(function* () {
      const client = yield* peer(Layer.provide(server(), Layer.succeed(Question.Timeout, "1 minute")))
      const session = yield* client.initialize("2025-11-25", { elicitation: {} })
      const other = yield* client.initialize("2025-11-25", { elicitation: {} })
      const stream = yield* post(client, session, call("order"))
      const question = yield* message(stream)
      yield* stream.leave
      assert.strictEqual((yield* get(client, other, question.event)).status, 400)
      yield* TestClock.adjust("2 minutes")
      const late = yield* get(client, session, question.event)
      assert.include((yield* message(late)).method, "notifications/cancelled")
      assert.include((yield* message(late)).result.content[0].text, "no answer came within 1m")
      yield* TestClock.adjust("5 minutes")
      const reply = yield* client.fetch({
        method: "GET",
        headers: { accept: "text/event-stream", ...session, "last-event-id": question.event }
      })
      const body: any = yield* Effect.promise(() => reply.json())
      assert.deepStrictEqual(
        [reply.status, body.error.message],
        [400, "The events after this Last-Event-ID are not kept any more"]
      )
    })
  )

  it.live("has a comment in each interval while its question is open, on every version with sessions", () =>
    Effect.gen(function* () {
      for (const version of ["2025-11-25", "2025-06-18"]) {
        const client = yield* peer(server({ keepAlive: "20 millis" }))
        const session = yield* client.initialize(version, { elicitation: {} })
        const stream = yield* post(client, session, call("order"))
        yield* message(stream)
        for (let time = 0; time < 3; time++) {
          assert.strictEqual((yield* stream.next)?.comment, true)
        }
        yield* stream.leave
        yield* client.fetch({ method: "DELETE", headers: session })
      }
    })
  )

  it.effect("keeps its events where it is told to", () =>
    Effect.gen(function* () {
      const kept = yield* Queue.unbounded<string>()
      const store: ResolveServer.EventStore = {
        append: (_, __, event) => Queue.offer(kept, event.data),
        after: () => Effect.succeed(Option.none()),
        drop: () => Effect.asVoid(Queue.offer(kept, "dropped"))
      }
      const client = yield* peer(Layer.provide(server(), Layer.succeed(ResolveServer.EventStore, store)))
      const session = yield* client.initialize("2025-11-25")
      yield* client.send(call("id"), session)
      yield* client.fetch({ method: "DELETE", headers: session })
      const [begin, result, end] = yield* Queue.takeAll(kept)
      assert.deepStrictEqual([begin, JSON.parse(result!).id, end], ["", 1, "dropped"])
    })
  )
})

describe("the official client behind a proxy", () => {
  const through = (idle: number, answer: (reset: () => void) => Promise<void>) =>
    Effect.gen(function* () {
      const { port } = yield* running
      const between = yield* Effect.acquireRelease(
        Effect.promise(() => proxy(port, idle)),
        (proxy) => Effect.sync(proxy.close)
      )
      const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } })
      let asked = 0
      client.setRequestHandler(ElicitRequestSchema, async () => {
        asked++
        await answer(between.reset)
        return { action: "accept", content: { confirm: true } }
      })
      const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${between.port}/mcp`), {
        reconnectionOptions: {
          initialReconnectionDelay: 20,
          maxReconnectionDelay: 100,
          reconnectionDelayGrowFactor: 1,
          maxRetries: 5
        }
      })
      yield* Effect.promise(() => client.connect(transport as any))
      yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
      return { client, reset: between.reset, asked: () => asked }
    })

  const text = (result: any) => result.content[0].text

  it.live(
    "finishes a call whose person takes much longer than the proxy lets a stream be idle",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { asked, client } = yield* through(1_000, () => new Promise((resolve) => setTimeout(resolve, 3_000)))
          assert.strictEqual(
            text(yield* Effect.promise(() => client.callTool({ name: "order", arguments: {} }))),
            "Ordered."
          )
          assert.strictEqual(asked(), 1)
        })
      ),
    60_000
  )

  it.live(
    "finishes a call whose connections are reset while its question is open",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { asked, client } = yield* through(5_000, async (reset) => {
            reset()
            await new Promise((resolve) => setTimeout(resolve, 500))
          })
          assert.strictEqual(
            text(yield* Effect.promise(() => client.callTool({ name: "order", arguments: {} }))),
            "Ordered."
          )
          assert.strictEqual(asked(), 1)
        })
      ),
    60_000
  )

  it.live(
    "finishes a call whose connections are reset while its body runs",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { client, reset } = yield* through(5_000, () => Promise.resolve())
          const result = client.callTool({ name: "slow", arguments: {} })
          setTimeout(reset, 300)
          assert.strictEqual(text(yield* Effect.promise(() => result)), "slow")
        })
      ),
    60_000
  )
})
