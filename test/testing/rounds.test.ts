import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Answer, Peer } from "effect-resolve/testing"
import { Ambient, bookshop } from "./plainServer.ts"

const registrations = bookshop()
const yes = Answer.accept({ confirm: true })

const asked = <A>(round: Peer.Round<A>): Peer.InputRequired<A> =>
  round._tag === "InputRequired" ? round : assert.fail(`expected a question, got ${JSON.stringify(round)}`)

const completed = <A>(round: Peer.Round<A>): A =>
  round._tag === "Complete" ? round.value : assert.fail(`expected a result, got ${JSON.stringify(round)}`)

describe("rounds of 2026-07-28", () => {
  it.effect("goes one round at a time: the interim result, then a retry by the script", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: { confirm: yes } })
      const round = asked(yield* peer.callToolOnce("order", { title: "Dune" }))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["confirm"])
      assert.strictEqual(round.requestState, "state of confirm")
      assert.include(completed(yield* peer.retry(round)).text, "accept")
    })
  )

  it.effect("sends a retry with a new id, the same arguments, bare answers and the state byte for byte", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: { confirm: yes } })
      yield* peer.callTool("order", { title: "Dune" })
      const [first, , second] = peer.transcript.map(({ message }) => message)
      assert.notStrictEqual(first?.id, second?.id)
      const { _meta, ...params } = second!.params
      assert.deepStrictEqual(params, {
        name: "order",
        arguments: { title: "Dune" },
        inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
        requestState: "state of confirm"
      })
      assert.deepStrictEqual(_meta, first?.params._meta)
    })
  )

  it.effect("sends what a hostile client would: other answers, other state, other arguments", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const round = asked(yield* peer.callToolOnce("order", { title: "Dune" }))
      yield* peer.retry(round, {
        inputResponses: { confirm: Answer.result({ action: "accept", content: { confirm: true }, extra: 1 }) },
        requestState: "forged",
        params: { name: "order", arguments: { title: "Emma" } }
      })
      const { inputResponses, requestState, arguments: args } = peer.transcript.at(-2)!.message.params
      assert.deepStrictEqual([requestState, args, inputResponses.confirm.extra], ["forged", { title: "Emma" }, 1])
      yield* peer.retry(round, { inputResponses: { confirm: yes }, requestState: undefined })
      assert.notProperty(peer.transcript.at(-2)?.message.params, "requestState")
    })
  )

  it.effect("asks and answers in prompts, too", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: { confirm: yes } })
      const round = asked(yield* peer.once("prompts/get", { name: "blurb", arguments: { title: "Dune" } }))
      assert.strictEqual(completed(yield* peer.retry(round)).messages.length, 1)
    })
  )

  it.effect("gives up after ten rounds, and says so", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: () => yes })
      const exit = yield* Effect.exit(peer.callTool("endless"))
      const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
      assert.match(
        String(reason?._tag === "Die" && reason.defect),
        /'tools\/call' still asks 'again \d+' after 10 rounds/
      )
      assert.strictEqual(peer.transcript.length, 20)
    })
  )

  it.effect("never retries after an answer that is an error, and fails with it", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: { confirm: Answer.error(-1, "not now") } })
      const error = yield* Effect.flip(peer.callTool("order"))
      assert.deepStrictEqual([error.code, error.message, error.origin], [-1, "not now", "peer"])
      assert.strictEqual(peer.transcript.length, 2)
    })
  )
})

describe("what a peer sends over HTTP", () => {
  it.effect("names the call in headers, in Base64 where a header cannot carry the name", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      yield* peer.callTool("echo")
      yield* Effect.flip(peer.callTool("día"))
      const headers = peer.transcript.flatMap(({ headers }) => (headers === undefined ? [] : [headers]))
      assert.deepStrictEqual(
        headers.map((all) => [all["mcp-protocol-version"], all["mcp-method"], all["mcp-name"]]),
        [
          ["2026-07-28", "tools/call", "echo"],
          ["2026-07-28", "tools/call", "=?base64?ZMOtYQ==?="]
        ]
      )
    })
  )

  it.effect("adds headers of the peer and of the call, and leaves out what is undefined", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, headers: { "X-User": "ann" } })
      const seen = JSON.parse((yield* peer.callTool("headers", {}, { headers: { "x-trace": "7" } })).text)
      assert.deepStrictEqual([seen["x-user"], seen["x-trace"]], ["ann", "7"])
      const error = yield* Effect.flip(peer.callTool("echo", {}, { headers: { "Mcp-Name": undefined } }))
      assert.deepStrictEqual([error.code, error.httpStatus], [-32020, 400])
    })
  )

  it.effect("sends parameters untouched, and any bytes", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, serving: "effect/ai" })
      const error = yield* Effect.flip(peer.request("tools/list", { _meta: 7 }, { envelope: false }))
      assert.strictEqual(error.httpStatus, 400)
      const reply = yield* peer.http({ body: "{ not json", headers: { "mcp-method": "tools/call" } })
      assert.strictEqual(reply.messages[0]?.error?.code, -32700)
      assert.strictEqual((yield* peer.http({ method: "GET" })).status, 405)
      assert.strictEqual((yield* peer.http({ body: "{}", headers: { origin: "https://evil.example" } })).status, 403)
    })
  )

  it.effect("runs each call in the context of the fiber that makes it", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      assert.strictEqual((yield* peer.callTool("ambient")).text, "default")
      const provided = Effect.provideService(peer.callTool("ambient"), Ambient, "of this call")
      assert.strictEqual((yield* provided).text, "of this call")
    })
  )

  it.effect("keeps two peers of one server apart: each old client has its own session", () =>
    Effect.gen(function* () {
      const server = yield* Peer.serve({ registrations })
      const ann = yield* Peer.connect(server, { protocol: "2025-11-25", answers: { confirm: yes } })
      const bob = yield* Peer.connect(server, { protocol: "2025-11-25", answers: { confirm: Answer.decline } })
      const eve = yield* Peer.connect(server, { answers: { confirm: Answer.cancel } })
      assert.notStrictEqual(ann.sessionId, bob.sessionId)
      assert.isUndefined(eve.sessionId)
      const results = yield* Effect.all([ann.callTool("order"), bob.callTool("order"), eve.callTool("order")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        results.map(({ text }) => JSON.parse(text).confirm.action),
        ["accept", "decline", "cancel"]
      )
    })
  )
})

describe("a transcript", () => {
  it.effect("reads as a conversation, ids and state masked", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, answers: { confirm: yes } })
      yield* peer.callTool("order", { title: "Dune" })
      assert.deepStrictEqual(
        peer
          .render()
          .split("\n")
          .map((line) => line.slice(0, 45)),
        [
          '-> c1 tools/call {"name":"order","arguments":',
          '<- c1 input_required {"inputRequests":{"confi',
          '-> c2 tools/call {"name":"order","arguments":',
          '<- c2 result {"content":[{"type":"text","text'
        ]
      )
      assert.include(peer.render(), '"requestState":"state1"')
      assert.notInclude(peer.render(), "io.modelcontextprotocol")
    })
  )

  it.effect("over stdio, text that is no message is the server's affair", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, transport: "stdio" })
      yield* peer.callTool("echo")
      yield* peer.write('{"jsonrpc":"2.0","id":99,"method":"nope"}')
      yield* peer.settle
      assert.include(peer.render(), "error")
    })
  )
})
