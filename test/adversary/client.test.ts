import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { Elicitation, Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, type Registrations, resolver, tool, Yes, yes } from "../rules/kit.ts"

const era2026 = eras.of("2026-07-28")
const frozen = [-32602, "Invalid or expired requestState", { reason: "invalid_request_state" }]

/** `order` asks twice, one after the other; beside it stand another tool, a prompt and a resource that ask alike. */
const shop = () => {
  const ran = counter()
  const price = resolver("price", { durable: Schema.Int }, () => Effect.as(ran.hit("price"), 42))
  const first = resolver("first", { dependencies: [price] }, () =>
    Effect.flatMap(price.get, (price) => Elicitation.form({ message: `first? ${price}`, schema: Yes }))
  )
  const second = resolver("second", { dependencies: [first] }, () =>
    Effect.flatMap(first.get, ({ ok }) => Elicitation.form({ message: `second after ${ok}?`, schema: Yes }))
  )
  const parameters = Schema.Struct({ n: Schema.optionalKey(Schema.Finite) })
  const body = (name: string) => () => Effect.as(ran.hit(name), name)
  const raw: any = { dependencies: [second] }
  const registrations = Layer.mergeAll(
    tool("order", { parameters, dependencies: [first, second, price] }, () =>
      Effect.andThen(
        ran.hit("order"),
        Effect.map(Effect.all([first.get, second.get, price.get]), (values) => JSON.stringify(values))
      )
    ),
    tool("other", { parameters, dependencies: [second] }, body("other")),
    Resolve.prompt({ ...raw, name: "order", content: body("prompt") }) as unknown as Registrations,
    Resolve.resource({ ...raw, uri: "shop://order", name: "order", content: body("r")() }) as unknown as Registrations
  )
  return { ran, registrations: registrations as Registrations }
}

const no = Answer.accept({ ok: false })

describe("adversary: the client", () => {
  era2026("I8: a state is good for its own method, target and arguments only", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const { requestState } = asked(yield* peer.callToolOnce("order", { n: 1 }))
      const lifted = { requestState, inputResponses: { first: { action: "accept", content: { ok: true } } } }
      const targets: ReadonlyArray<readonly [string, { readonly [name: string]: unknown }]> = [
        ["tools/call", { name: "other", arguments: { n: 1 } }],
        ["tools/call", { name: "order", arguments: { n: 2 } }],
        ["tools/call", { name: "order", arguments: {} }],
        ["tools/call", { name: "order", arguments: { n: 1, __proto: 1 } }],
        ["tools/call", { name: "nobody", arguments: { n: 1 } }],
        ["prompts/get", { name: "order", arguments: {} }],
        ["resources/read", { uri: "shop://order" }]
      ]
      const before = ran.log.length
      for (const [method, params] of targets) {
        const error = yield* Effect.flip(peer.request(method, { ...params, ...lifted }))
        assert.deepStrictEqual([error.code, error.message, error.data], frozen, method)
      }
      assert.strictEqual(ran.log.length, before)
    })
  )

  era2026("I3: older states with newer answers, newer ones with older answers, and crossed calls gain nothing", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const one = asked(yield* peer.callToolOnce("order"))
      const two = asked(yield* peer.retry(one, { inputResponses: { first: no } }))
      const keys = (round: any) => Object.keys(asked(round).inputRequests!)
      // the answer of a round that has not been, and one that has been
      assert.deepStrictEqual(keys(yield* peer.retry(one, { inputResponses: { second: yes } })), ["first"])
      assert.deepStrictEqual(keys(yield* peer.retry(two, { inputResponses: { first: yes } })), ["second"])
      // both at once: the second was never shown with this state
      const both = asked(yield* peer.retry(one, { inputResponses: { first: yes, second: yes } }))
      assert.deepStrictEqual(keys(both), ["second"])
      // recorded is recorded
      const done = completed(yield* peer.retry(two, { inputResponses: { first: yes, second: yes } }))
      assert.strictEqual(done.text, '[{"ok":false},{"ok":true},42]')
      // a parallel call: what its state says of the first answer is what it was told
      const crossed = completed(yield* peer.retry(both, { inputResponses: { second: no } }))
      assert.strictEqual(crossed.text, '[{"ok":true},{"ok":false},42]')
      assert.deepStrictEqual([ran.count("price"), ran.count("order")], [1, 2])
    })
  )

  era2026("I8: concurrent rounds with one state do not see each other, cancelled ones included", (era) =>
    Effect.gen(function* () {
      const { registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const one = asked(yield* peer.callToolOnce("order"))
      const two = asked(yield* peer.retry(one, { inputResponses: { first: no } }))
      const texts = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index % 2 === 0),
        (ok, index) =>
          Effect.gen(function* () {
            const retry = peer.retry(two, { inputResponses: { second: Answer.accept({ ok }) } })
            if (index % 5 === 4) return yield* Effect.as(Fiber.interrupt(yield* Effect.forkChild(retry)), undefined)
            return completed(yield* retry).text === `[{"ok":false},{"ok":${ok}},42]`
          }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(texts.filter((text) => text === true).length, 16)
    })
  )

  const odd: { readonly [what: string]: unknown } = {
    null: null,
    "a text": "accept",
    "a list": [{ action: "accept" }],
    "an action that is a list": { action: ["accept"], content: { ok: true } },
    "an inherited action": JSON.parse('{"__proto__":{"action":"accept","content":{"ok":true}}}'),
    "a content that is a list": { action: "accept", content: [true] },
    "a content that is a text": { action: "accept", content: "ok" },
    "a number for a boolean": { action: "accept", content: { ok: 1 } },
    "an inherited field": { action: "accept", content: JSON.parse('{"__proto__":{"ok":true}}') },
    "a wrapped answer": { method: "elicitation/create", result: { action: "accept", content: { ok: true } } }
  }
  for (const [what, answer] of Object.entries(odd)) {
    eras(`I14: ${what} for an answer fails the call in fixed words, and the next call is served`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const asks = resolver("asks", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
        const registrations = tool("t", { dependencies: [asks] }, () => Effect.as(ran.hit("body"), "done"))
        const peer = yield* Peer.make({ ...era, registrations, answers: { asks: [Answer.result(answer), yes] } })
        const result = yield* peer.callTool("t")
        assert.match(
          result.text,
          /^Error executing tool t: Resolver 'asks' received (a response of the wrong kind|an accepted elicitation (with no content|whose content does not match the requested schema(: 'ok' (must be|is missing; it must be) a boolean)?))$/
        )
        assert.strictEqual(ran.count("body"), 0)
        assert.strictEqual((yield* peer.callTool("t")).text, "done")
      })
    )
  }

  for (const levels of [1000, 10_000, 100_000]) {
    era2026(`an accepted answer with a field nested ${levels} deep beside it leaves the server serving`, (era) =>
      observed(() =>
        Effect.gen(function* () {
          const { registrations } = shop()
          const peer = yield* Peer.make({ ...era, registrations })
          const one = asked(yield* peer.callToolOnce("order"))
          const state = JSON.stringify(one.requestState)
          const content = `{"ok":true,"deep":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`
          const meta = JSON.stringify({
            "io.modelcontextprotocol/protocolVersion": era.protocol,
            "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
          })
          const reply = yield* peer.http({
            body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":${meta},"name":"order","arguments":{},"requestState":${state},"inputResponses":{"first":{"action":"accept","content":${content}}}}}`,
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": era.protocol,
              "mcp-method": "tools/call",
              "mcp-name": "order"
            }
          })
          assert.strictEqual(reply.messages.length, 1, reply.body.slice(0, 500))
          assert.notInclude(reply.body, "RangeError")
          assert.strictEqual(asked(yield* peer.callToolOnce("order"))._tag, "InputRequired")
        })
      )
    )
  }

  era2026("I4: a thousand answers that nobody asked for, and odd maps of answers, change nothing", (era) =>
    Effect.gen(function* () {
      const { registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const one = asked(yield* peer.callToolOnce("order"))
      const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`first#${index}`, yes]))
      const ghosts = {
        ...many,
        ["k".repeat(100_000)]: yes,
        "order>other/first": yes,
        "first>order/first": yes,
        "\ud800": yes
      }
      const plain = asked(yield* peer.retry(one, { inputResponses: {} }))
      const flooded = asked(yield* peer.retry(one, { inputResponses: ghosts }))
      assert.deepStrictEqual(flooded.inputRequests, plain.inputRequests)
      assert.strictEqual(flooded.requestState!.length, plain.requestState!.length)
      for (const inputResponses of [null, "x", 7, [], [yes], { first: null }, { first: [] }]) {
        const params = { name: "order", arguments: {}, requestState: one.requestState, inputResponses }
        const exit = yield* Effect.exit(peer.request("tools/call", params))
        assert.strictEqual(JSON.stringify(exit).includes('"order"'), false)
      }
    })
  )

  eras.of("2025-11-25")("I2: answers of one session are no answers of another, whatever ids they carry", (era) =>
    Effect.gen(function* () {
      const asks = resolver("asks", {}, () =>
        Elicitation.form({ message: "who?", schema: Schema.Struct({ who: Schema.String }) })
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.map(asks.get, ({ who }) => who))
      const server = yield* Peer.serve({ registrations })
      const ids: Array<unknown> = []
      const mallory = yield* Peer.connect(server, { ...era, answers: () => Answer.accept({ who: "mallory" }) })
      const alice = yield* Peer.connect(server, {
        ...era,
        answers: () =>
          Effect.gen(function* () {
            const frame: any = alice.transcript.findLast(({ message }: any) => message?.method === "elicitation/create")
            ids.push(frame.message.id)
            const result = { action: "accept", content: { who: "mallory" } }
            for (const id of [frame.message.id, "unknown", 0, 1, 2]) {
              const body = JSON.stringify({ jsonrpc: "2.0", id, result })
              yield* mallory.http({
                body,
                headers: {
                  "content-type": "application/json",
                  accept: "application/json, text/event-stream",
                  "mcp-protocol-version": era.protocol,
                  "mcp-session-id": mallory.sessionId
                }
              })
            }
            return Answer.accept({ who: "alice" })
          })
      })
      assert.strictEqual((yield* alice.callTool("t")).text, "alice")
      assert.strictEqual(ids.length, 1)
      const both = yield* Effect.all([alice.callTool("t"), mallory.callTool("t")], { concurrency: 2 })
      assert.deepStrictEqual(
        both.map(({ text }) => text),
        ["alice", "mallory"]
      )
    })
  )
})
