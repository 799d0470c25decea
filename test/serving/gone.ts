/**
 * A client that leaves in the middle of a question, a thousand times, in a process of its own: prints what the server
 * took, gave back and still holds. `gone.ts http|stdio 2026-07-28|2025-11-25`
 */
import { getHeapSnapshot, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Question, ResolveServer } from "effect-resolve"
import { modern, type Peer, peer, stdioPeer } from "./fixtures.ts"
import { held, registrations } from "./shop.ts"

const options = { name: "Bookshop", version: "1.0.0", registrations } as const

const rounds = 1_000

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

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
    // the tables of effect's WeakMaps grow with what is dead and not yet collected, and keep that size
    if (index % 20 === 0) collect()
    if (index === 100) after100 = yield* heap
    yield* Effect.scoped(round(index))
  }
  const grown = (yield* heap) - after100
  return { rounds, grown, ...held }
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
  let seen = new TextDecoder().decode(value)
  while (!seen.includes("elicitation/create")) {
    const { done, value } = yield* Effect.promise(() => reader.read())
    if (done) return yield* Effect.die("no question")
    seen += new TextDecoder().decode(value)
  }
  yield* Effect.promise(() => reader.cancel())
  abort.abort()
})

/** The finalizers of the call run beside the client. */
const released = Effect.gen(function* () {
  while (held.released < held.acquired) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
})

const capabilities = { elicitation: {} }

const httpModern = Effect.gen(function* () {
  const client = yield* peer(ResolveServer.layerHttp({ ...options, path: "/mcp" }))
  return yield* leaveNothing(() =>
    Effect.gen(function* () {
      const reply = yield* client.modern("tools/call", { name: "order" }, { capabilities })
      if (reply.messages[0].result.resultType !== "input_required") return yield* Effect.die("no question")
    })
  )
})

/**
 * A lost connection is no cancellation: one session in two is ended by DELETE and its call with it, the other by time, as
 * its question is.
 */
const httpOld = Effect.gen(function* () {
  const layer = ResolveServer.layerHttp({ ...options, path: "/mcp", sessionIdleTime: "30 seconds" })
  const client = yield* peer(Layer.provide(layer, Layer.succeed(Question.Timeout, "20 seconds")))
  const sessions: Array<Record<string, string>> = []
  const counts = yield* leaveNothing((index) =>
    Effect.gen(function* () {
      const session = yield* client.initialize("2025-11-25", capabilities)
      yield* askAndLeave(client, session)
      if (index % 10 < 2) sessions.push(session)
      if (index % 2 === 0) yield* client.fetch({ method: "DELETE", headers: session })
      else yield* TestClock.adjust("1 minute")
      yield* released
    })
  )
  let left = 0
  for (const session of sessions) {
    const { status } = yield* client.send({ jsonrpc: "2.0", id: 1, method: "ping" }, session)
    if (status !== 404) left++
  }
  return { ...counts, left }
})

const stdio = (lines: ReadonlyArray<unknown>) =>
  leaveNothing(() =>
    Effect.gen(function* () {
      const client = yield* stdioPeer(ResolveServer.layerStdio(options))
      yield* client.write(...lines)
      yield* client.until(lines.length === 1 ? 1 : 2)
      const question = client.messages().at(-1)
      if (question.method !== "elicitation/create" && question.result.resultType !== "input_required") {
        return yield* Effect.die("no question")
      }
      yield* client.end
      yield* Fiber.await(client.server)
    })
  )

const modernCall = {
  ...call,
  params: {
    ...call.params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": capabilities
    }
  }
}
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } }
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

const [transport, version] = process.argv.slice(2)
const program =
  transport === "http"
    ? version === modern
      ? httpModern
      : httpOld
    : stdio(version === modern ? [modernCall] : [initialize, initialized, call])

Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(TestClock.layer()))).then(
  (counts) => process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0)),
  (error) => process.stderr.write(String(error), () => process.exit(1))
)
