import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, McpContext, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"

class Slow extends Resolver.Service<Slow>()("shop/Slow", {
  resolve: Effect.fn(function* () {
    yield* McpContext.reportProgress({ progress: 1, total: 2, message: "looking" })
    return "slow"
  })
}) {}

class Asks extends Resolver.Service<Asks>()("shop/Asks", {
  dependencies: [Slow],
  resolve: Effect.fn(function* () {
    yield* Slow
    return yield* Elicitation.form({ message: "Go on?", schema: Schema.Struct({ ok: Schema.Boolean }) })
  })
}) {}

const Crunch = Toolkit.make(
  Resolve.tool("crunch", { success: Schema.String }),
  Resolve.tool("odd", { success: Schema.String }),
  Resolve.tool("ask", { success: Schema.String, dependencies: [Asks] }),
  Resolve.tool("named", { parameters: Schema.Struct({ name: Schema.String }), success: Schema.String }),
  Resolve.tool("late", { success: Schema.String }),
  Resolve.tool("release", { success: Schema.String })
)

const registrations = Layer.unwrap(
  Effect.gen(function* () {
    const over = yield* Deferred.make<void>()
    const reported = yield* Deferred.make<void>()
    const CrunchLive = Crunch.toLayer({
      crunch: Effect.fn(function* () {
        yield* McpContext.reportProgress({ progress: 1, total: 3 })
        yield* McpContext.reportProgress({ progress: 2, total: 3, message: "halfway there" })
        return "crunched"
      }),
      odd: Effect.fn(function* () {
        for (const progress of [0.5, 0.3, 0.9]) yield* McpContext.reportProgress({ progress })
        return "odd"
      }),
      ask: Effect.fn(function* () {
        yield* McpContext.reportProgress({ progress: 2, total: 2 })
        return "asked"
      }),
      named: Effect.fn(function* ({ name }) {
        for (const progress of [1, 2]) {
          yield* McpContext.reportProgress({ progress, message: name })
          yield* Effect.yieldNow
        }
        return name
      }),
      // what outlives its call has nobody to report to
      late: Effect.fn(function* () {
        const { reportProgress } = yield* McpContext.McpContext
        yield* reportProgress({ progress: 1 })
        yield* Effect.forkDetach(
          Effect.andThen(
            Deferred.await(over),
            Effect.ensuring(reportProgress({ progress: 2 }), Deferred.succeed(reported, undefined))
          )
        )
        return "late"
      }),
      release: Effect.fn(function* () {
        yield* Deferred.succeed(over, undefined)
        yield* Deferred.await(reported)
        return "released"
      })
    })
    return Resolve.toolkit(Crunch).pipe(Layer.provide(CrunchLive))
  })
)

const reports = (peer: Peer.Peer) =>
  peer.notifications.flatMap(({ method, params }) => {
    if (method !== "notifications/progress") return []
    const { _meta: _, ...report } = params
    return [report]
  })

/** What the server sent, in order: progress by its number, answers to calls as `result`. */
const order = (peer: Peer.Peer) =>
  peer.transcript.flatMap(({ from, message }) =>
    from === "client"
      ? []
      : message.method === "notifications/progress"
        ? [message.params.progress]
        : message.result?.content !== undefined
          ? ["result"]
          : message.result?.inputRequests !== undefined
            ? ["question"]
            : []
  )

for (const transport of ["http", "stdio"] as const) {
  describe(`Progress over ${transport}`, () => {
    eras(`each report over ${transport} is one notification, in order, before the result`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, transport, registrations })
        assert.strictEqual((yield* peer.callTool("crunch", {}, { progress: "T" })).text, "crunched")
        assert.deepStrictEqual(reports(peer), [
          { progressToken: "T", progress: 1, total: 3 },
          { progressToken: "T", progress: 2, total: 3, message: "halfway there" }
        ])
        assert.deepStrictEqual(order(peer), [1, 2, "result"])
      })
    )

    eras(`0 is a token over ${transport}, and stays a number`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, transport, registrations })
        yield* peer.callTool("crunch", {}, { progress: 0 })
        assert.deepStrictEqual(
          reports(peer).map(({ progressToken }) => progressToken),
          [0, 0]
        )
      })
    )

    eras(`without a token nothing is sent over ${transport}, and reporting is no error`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, transport, registrations })
        assert.strictEqual((yield* peer.callTool("crunch")).text, "crunched")
        assert.deepStrictEqual(reports(peer), [])
        // the channel works: the next call uses it
        yield* peer.callTool("crunch", {}, { progress: "T" })
        assert.lengthOf(reports(peer), 2)
      })
    )
  })
}

describe("Progress", () => {
  eras("a boolean is no token", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      yield* Effect.ignore(peer.callTool("crunch", {}, { meta: { progressToken: true } }))
      assert.deepStrictEqual(reports(peer), [])
    })
  )

  eras("values are forwarded as they are, a total that was left out stays out", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.callTool("odd", {}, { progress: "T" })
      assert.deepStrictEqual(reports(peer), [
        { progressToken: "T", progress: 0.5 },
        { progressToken: "T", progress: 0.3 },
        { progressToken: "T", progress: 0.9 }
      ])
    })
  )

  eras("calls that run at once have their own tokens", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      yield* Effect.forEach(["a", "b"], (name) => peer.callTool("named", { name }, { progress: `token-${name}` }), {
        concurrency: "unbounded"
      })
      const seen = reports(peer)
      assert.lengthOf(seen, 4)
      for (const { progressToken, message } of seen) assert.strictEqual(progressToken, `token-${message}`)
    })
  )

  it.effect("a call that reports answers with an event stream on 2026-07-28, one that does not with JSON", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const typeOf = (meta: object) =>
        Effect.map(
          peer.http({
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: {
                name: "crunch",
                arguments: {},
                _meta: {
                  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {},
                  ...meta
                }
              }
            }),
            headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "crunch" }
          }),
          ({ headers }) => headers["content-type"]
        )
      assert.match((yield* typeOf({ progressToken: 1 }))!, /^text\/event-stream/)
      assert.match((yield* typeOf({}))!, /^application\/json/)
    })
  )

  eras("nothing is reported once the call has ended", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.callTool("late", {}, { progress: "T" })
      assert.strictEqual((yield* peer.callTool("release")).text, "released")
      assert.deepStrictEqual(
        reports(peer).map(({ progress }) => progress),
        [1]
      )
    })
  )

  it.effect("a resolver reports too, before its question; each round has its own token", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const asked = yield* peer.callToolOnce("ask", {}, { progress: "first" })
      if (asked._tag !== "InputRequired") return assert.fail("no question")
      assert.deepStrictEqual(order(peer), [1, "question"])
      const options = { ...asked.call.options, meta: { progressToken: "second" } }
      const done = yield* peer.retry(
        { ...asked, call: { ...asked.call, options } },
        { inputResponses: { "shop/Asks": Answer.accept({ ok: true }) } }
      )
      assert.strictEqual(done._tag, "Complete")
      assert.deepStrictEqual(
        reports(peer).map(({ progressToken, progress }) => [progressToken, progress]),
        [
          ["first", 1],
          ["second", 1],
          ["second", 2]
        ]
      )
    })
  )

  eras.of("2025-11-25")("a resolver reports too, in the one round that there is", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations, answers: { "shop/Asks": Answer.accept({ ok: true }) } })
      yield* peer.callTool("ask", {}, { progress: "only" })
      assert.deepStrictEqual(
        reports(peer).map(({ progressToken, progress }) => [progressToken, progress]),
        [
          ["only", 1],
          ["only", 2]
        ]
      )
    })
  )
})
