import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./kit.ts"

/** A request id that decoding makes up when none was sent. */
const withId = () => {
  let made = 0
  const id = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => `id-${++made}`)))
  return { made: () => made, parameters: { id } }
}

describe("I6", () => {
  eras("I6: arguments are decoded once: resolvers and body see the same values, the same references", (era) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const parameters = { when: Schema.DateFromString, tags: Schema.Array(Schema.String) }
      const a = resolver("a", { parameters }, (args) => Effect.sync(() => void seen.push(args.when, args.tags)))
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [a] }, (args) =>
        Effect.sync(() => {
          seen.push(args.when, args.tags)
          return args.when.toISOString()
        })
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("t", { when: "2026-01-02T03:04:05.000Z", tags: ["x"] })
      assert.strictEqual(result.text, "2026-01-02T03:04:05.000Z")
      assert.strictEqual(seen[0], seen[2])
      assert.strictEqual(seen[1], seen[3])
      assert.instanceOf(seen[0], Date)
    })
  )

  eras("I6: a generated default is made once, and is one value for resolver and body, over the rounds", (era) =>
    Effect.gen(function* () {
      const { made, parameters } = withId()
      const seen: Array<string> = []
      const echo = resolver("echo", { parameters }, ({ id }) => Effect.sync(() => void seen.push(id)))
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [echo, ask] }, ({ id }) =>
        Effect.succeed(id)
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: yes } })
      assert.strictEqual((yield* peer.callTool("t")).text, "id-1")
      assert.deepStrictEqual(new Set(seen), new Set(["id-1"]))
      assert.strictEqual(made(), 1)
      assert.strictEqual((yield* peer.callTool("t", { id: "mine" })).text, "mine")
      assert.strictEqual((yield* peer.callTool("t")).text, "id-2")
    })
  )

  eras("I6: a question built from a generated default is the same question in the next round", (era) =>
    Effect.gen(function* () {
      const { parameters } = withId()
      const ask = resolver("ask", { parameters }, ({ id }) => Elicitation.form({ message: `Go ${id}?`, schema: Yes }))
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [ask] }, ({ id }) =>
        Effect.succeed(id)
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [yes] } })
      assert.strictEqual((yield* peer.callTool("t")).text, "id-1")
    })
  )

  eras("I6: invalid arguments run no resolver and ask no question; the text names the argument in our words", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const parameters = { n: Schema.Int, title: Schema.String }
      const ask = resolver("ask", { parameters }, () =>
        Effect.andThen(ran.hit("ask"), Elicitation.form({ message: "ok?", schema: Yes }))
      )
      const registrations = tool("order", { parameters: Schema.Struct(parameters), dependencies: [ask] }, () =>
        ran.hit("body")
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const texts = []
      for (const args of [{ n: "x", title: "Dune" }, { n: 1 }, {}, { n: 1.5, title: 7 }]) {
        const result = yield* peer.callTool("order", args)
        assert.isTrue(result.isError)
        texts.push(result.text)
      }
      assert.deepStrictEqual(texts, [
        "Error executing tool order: argument 'n' must be a whole number, got a string",
        "Error executing tool order: argument 'title' is missing; it must be a string",
        "Error executing tool order: argument 'n' is missing; it must be a whole number; argument 'title' is missing; it must be a string",
        "Error executing tool order: argument 'n' must be a whole number, got a number; argument 'title' must be a string, got a number"
      ])
      assert.deepStrictEqual(ran.log, [])
    })
  )

  eras("I6: a resolver's own, stricter schema checks the argument before anything runs", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const first = resolver("first", {}, () => ran.hit("first"))
      const strict = resolver("strict", { parameters: { n: Schema.Int.check(Schema.isGreaterThan(0)) } }, () =>
        ran.hit("strict")
      )
      const registrations = tool(
        "t",
        { parameters: Schema.Struct({ n: Schema.Int }), dependencies: [first, strict] },
        () => Effect.succeed("done")
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("t", { n: -1 })
      assert.strictEqual(result.text, "Error executing tool t: argument 'n' is not one that resolver 'strict' can read")
      assert.deepStrictEqual(ran.log, [])
      assert.strictEqual((yield* peer.callTool("t", { n: 1 })).text, "done")
    })
  )

  eras("I6: arguments with awkward names reach the resolver that reads them", (era) =>
    Effect.gen(function* () {
      const names = ["constructor", "toString", "__proto__", "then", "valueOf", "schema", "hasOwnProperty"]
      const parameters = Object.fromEntries(names.map((name) => [name, Schema.String]))
      const echo = resolver("echo", { parameters }, (args) =>
        Effect.succeed(names.map((name) => (Object.hasOwn(args, name) ? args[name] : "missing")).join())
      )
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [echo] }, () => echo.get)
      const peer = yield* Peer.make({ ...era, registrations })
      const sent = Object.fromEntries(names.map((name) => [name, `<${name}>`]))
      assert.strictEqual((yield* peer.callTool("t", sent)).text, names.map((name) => `<${name}>`).join())
    })
  )

  eras.of("2026-07-28")(
    "I6: arguments changed between rounds are refused: the state belongs to those that were sent",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const parameters = { title: Schema.String }
        const ask = resolver("ask", { parameters }, ({ title }) =>
          Effect.andThen(ran.hit("ask"), Elicitation.form({ message: `${title}?`, schema: Yes }))
        )
        const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [ask] }, () =>
          Effect.succeed("done")
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t", { title: "Dune" }))
        const error = yield* Effect.flip(
          peer.retry(round, { inputResponses: { ask: yes }, params: { name: "t", arguments: { title: "Emma" } } })
        )
        assert.deepStrictEqual([error.code, error.data], [-32602, { reason: "invalid_request_state" }])
        assert.strictEqual(ran.count("ask"), 1)
        completed(yield* peer.retry(round, { inputResponses: { ask: yes } }))
      })
  )
})
