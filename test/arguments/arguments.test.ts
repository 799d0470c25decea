/** Arguments as models and clients really send them, on both eras. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Elicitation, Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { counter, type Registrations, resolver, tool, Yes, yes } from "../rules/kit.ts"

type Era = { readonly protocol: Peer.ProtocolVersion }

/** What a tool's body is given, as JSON, or what the client is told. */
const sent = (era: Era, fields: Schema.Struct.Fields, args: unknown, strict = false) =>
  Effect.gen(function* () {
    const made = Resolve.tool("t", { parameters: Schema.Struct(fields), success: Schema.String, dependencies: [] })
    const Kit = Toolkit.make(made.annotate(Tool.Strict, strict))
    const registrations = Resolve.toolkit(Kit).pipe(
      Layer.provide(Kit.toLayer({ t: (given) => Effect.succeed(JSON.stringify(given)) }))
    )
    const peer = yield* Peer.make({ ...era, registrations: registrations as Registrations })
    return (yield* peer.callTool("t", args as any)).text
  })

const head = "Error executing tool t: "

describe("null", () => {
  const Nested = class Nested extends Schema.Class<Nested>("Nested")({ a: Schema.optional(Schema.Int) }) {}

  eras("for what a schema lists as nullable is absent", (era) =>
    Effect.gen(function* () {
      const fields = {
        limit: Schema.optional(Schema.Int),
        sort: Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("title"))),
        nested: Nested
      }
      const args = { limit: null, sort: null, nested: { a: null } }
      assert.strictEqual(yield* sent(era, fields, args), '{"sort":"title","nested":{}}')
    })
  )

  eras("for what it does not is a fault", (era) =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* sent(era, { limit: Schema.optionalKey(Schema.Int) }, { limit: null }),
        `${head}argument 'limit' must be a whole number, got null`
      )
    })
  )
})

describe("texts that hold JSON", () => {
  const fields = {
    n: Schema.Int,
    list: Schema.Array(Schema.Int),
    obj: Schema.Struct({ k: Schema.Int })
  }
  const args = { n: "3", list: "[1,2]", obj: '{"k":1}' }

  eras("are read as that JSON", (era) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* sent(era, fields, args), '{"n":3,"list":[1,2],"obj":{"k":1}}')
    })
  )

  eras("are refused by a strict tool", (era) =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* sent(era, fields, args, true),
        `${head}argument 'n' must be a whole number, got a string; argument 'list' must be a list, got a string; argument 'obj' must be an object, got a string`
      )
    })
  )

  eras("stand still over the rounds of a call", (era) =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const q = resolver("q", { parameters: { n: Schema.Int } }, ({ n }) =>
        Effect.andThen(
          Effect.sync(() => void seen.add(JSON.stringify(n))),
          Elicitation.form({ message: `${n}?`, schema: Yes })
        )
      )
      const registrations = tool("t", { parameters: Schema.Struct({ n: Schema.Int }), dependencies: [q] }, ({ n }) =>
        Effect.succeed(JSON.stringify(n))
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: yes } })
      assert.strictEqual((yield* peer.callTool("t", { n: "3" })).text, "3")
      assert.deepStrictEqual([...seen], ["3"])
    })
  )
})

describe("faults", () => {
  const edits = { edits: Schema.Array(Schema.Struct({ old: Schema.String, new: Schema.String })) }

  eras("name the place, what is wanted and what kind came; nothing is asked and nothing runs", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const q = resolver("q", {}, () => Effect.andThen(ran.hit("q"), Elicitation.form({ message: "?", schema: Yes })))
      const registrations = tool("t", { parameters: Schema.Struct(edits), dependencies: [q] }, () =>
        Effect.as(ran.hit("body"), "done")
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const said = (yield* peer.callTool("t", { edits: [{ old: 5, new: "b" }, "x"] })).text
      assert.strictEqual(
        said,
        `${head}argument 'edits[0].old' must be a string, got a number; argument 'edits[1]' must be an object, got a string`
      )
      assert.deepStrictEqual([ran.log, peer.questions], [[], []])
    })
  )

  eras("name what a strict tool does not have, and what it has", (era) =>
    Effect.gen(function* () {
      const fields = { topic: Schema.optional(Schema.String) }
      assert.strictEqual(
        yield* sent(era, fields, { path: "x" }, true),
        `${head}there is no argument 'path'; it has 'topic'`
      )
      assert.strictEqual(yield* sent(era, fields, { path: "x" }), "{}")
      for (const [strict, said] of [
        [true, `${head}there is no argument 'path'; it has none`],
        [false, "{}"]
      ] as const) {
        const made = Resolve.tool("t", { success: Schema.String, dependencies: [] }).annotate(Tool.Strict, strict)
        const Kit = Toolkit.make(made)
        const live = Kit.toLayer({ t: (given) => Effect.succeed(JSON.stringify(given)) })
        const registrations = Resolve.toolkit(Kit).pipe(Layer.provide(live)) as Registrations
        const peer = yield* Peer.make({ ...era, registrations })
        assert.strictEqual((yield* peer.callTool("t", { path: "x" })).text, said)
      }
    })
  )
})

describe("a generated default inside a list (I6)", () => {
  const Edit = (made: { count: number }) =>
    Schema.Struct({ id: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => `id-${++made.count}`))) })

  eras("is one id a call: resolver and body see the same", (era) =>
    Effect.gen(function* () {
      const made = { count: 0 }
      const seen = new Set<string>()
      const parameters = { edits: Schema.Array(Edit(made)) }
      const see = (args: unknown) => Effect.sync(() => void seen.add(JSON.stringify(args)))
      const q = resolver("q", { parameters: { edits: Schema.Array(Schema.Struct({ id: Schema.String })) } }, (args) =>
        Effect.andThen(see(args.edits), Elicitation.form({ message: "?", schema: Yes }))
      )
      const registrations = tool("t", { parameters: Schema.Struct(parameters), dependencies: [q] }, ({ edits }) =>
        Effect.as(see(edits), "done")
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: yes } })
      assert.strictEqual((yield* peer.callTool("t", { edits: [{}, { id: "a" }] })).text, "done")
      assert.deepStrictEqual([...seen], ['[{"id":"id-1"},{"id":"a"}]'])
    })
  )
})

describe("arguments of prompts", () => {
  eras("are text, whatever their schema: a number, a boolean, a date", (era) =>
    Effect.gen(function* () {
      const registrations = Resolve.prompt({
        name: "p",
        parameters: {
          n: Schema.Int,
          f: Schema.Finite,
          yes: Schema.Boolean,
          at: Schema.optional(Schema.Date),
          size: Schema.optionalKey(Schema.Literals(["s", "m"]))
        },
        content: (args) => Effect.succeed(JSON.stringify(args))
      })
      const peer = yield* Peer.make({ ...era, registrations })
      const text = (args: { readonly [name: string]: string }) =>
        Effect.map(peer.getPrompt("p", args), ({ messages }) => (messages[0] as any).content.text)
      assert.strictEqual(yield* text({ n: "3", f: "1.5", yes: "true" }), '{"n":3,"f":1.5,"yes":true}')
      assert.strictEqual(
        yield* text({ n: "3", f: "1.5", yes: "false", at: "2026-01-01T00:00:00.000Z", size: "m" }),
        '{"n":3,"f":1.5,"yes":false,"at":"2026-01-01T00:00:00.000Z","size":"m"}'
      )
      assert.deepInclude(yield* Effect.flip(text({ n: "3.5", f: "x", yes: "maybe", size: "xl" })), {
        code: -32602,
        message: `Invalid arguments: argument 'n' must be a whole number; argument 'f' must be a number; argument 'yes' must be a boolean; argument 'size' must be one of "s", "m"`
      })
    })
  )
})

describe("completions of prompts", () => {
  eras("are text, whatever the argument's schema", (era) =>
    Effect.gen(function* () {
      const registrations = Resolve.prompt({
        name: "p",
        parameters: { n: Schema.Int, at: Schema.Date },
        completion: { n: () => Effect.succeed([1, 20]), at: () => Effect.succeed([new Date(0)]) },
        content: ({ n }) => Effect.succeed(String(n))
      })
      const peer = yield* Peer.make({ ...era, registrations })
      const complete = (name: string) =>
        peer.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name, value: "" } })
      assert.deepStrictEqual(yield* complete("n"), ["1", "20"])
      assert.deepStrictEqual(yield* complete("at"), ["1970-01-01T00:00:00.000Z"])
    })
  )
})

describe("in process", () => {
  const parameters = Schema.Struct({ when: Schema.Date, limit: Schema.optional(Schema.Int) })
  const T = Resolve.tool("t", { parameters, success: Schema.Struct({ when: Schema.Date }), dependencies: [] })
  const Kit = Toolkit.make(T)
  const live = Kit.toLayer({ t: ({ when }) => Effect.succeed({ when }) })
  const when = "2026-01-01T00:00:00.000Z"

  eras("`Resolve.call` takes what a client sends, and gives the type", () =>
    Effect.gen(function* () {
      const result = yield* Resolve.call(Kit, "t", { when, limit: "5" } as any).pipe(Effect.provide(live))
      assert.deepStrictEqual(result, { when: new Date(when) })
      const typed = yield* Resolve.call(Kit, "t", { when: new Date(when), limit: 5 }).pipe(Effect.provide(live))
      assert.deepStrictEqual(typed, { when: new Date(when) })
      const error = yield* Effect.flip(Resolve.call(Kit, "t", { when: 5 } as any).pipe(Effect.provide(live)))
      assert.include(String((error as any).message), `argument 'when' must be a date and time such as`)
    })
  )

  eras("`Resolve.withHandlers` takes what a model sends, and encodes", () =>
    Effect.gen(function* () {
      const handlers = yield* Resolve.withHandlers(Kit)
      const stream = yield* handlers.handle("t", { when, limit: null } as any)
      const [last] = yield* Stream.runCollect(stream)
      assert.deepStrictEqual(last?.encodedResult, { when })
      assert.deepStrictEqual(last?.result, { when: new Date(when) })
    }).pipe(Effect.provide(live))
  )
})

describe("failures", () => {
  class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", {
    title: Schema.String,
    back: Schema.Date
  }) {}

  const failing = (annotated: boolean, failure: any, error: unknown) => {
    const made = Resolve.tool("t", { success: Schema.Struct({ ok: Schema.Boolean }), failure, dependencies: [] })
    const Kit = Toolkit.make(annotated ? made.annotate(Resolve.FailureFields, true) : made)
    return Resolve.toolkit(Kit).pipe(
      Layer.provide(Kit.toLayer({ t: () => Effect.fail(error) as any }))
    ) as Registrations
  }

  eras("ride with their fields where the tool says so, and nothing stands for its result", (era) =>
    Effect.gen(function* () {
      const error = new OutOfStock({ title: "Dune", back: new Date(0) })
      const peer = yield* Peer.make({ ...era, registrations: failing(true, OutOfStock, error) })
      const result = yield* peer.callTool("t")
      assert.isTrue(result.isError)
      assert.isUndefined(result.structuredContent)
      assert.deepStrictEqual((result.raw as any)._meta["effect-resolve/failure"], {
        _tag: "OutOfStock",
        title: "Dune",
        back: "1970-01-01T00:00:00.000Z"
      })
    })
  )

  eras("say their JSON where they have no message, and nothing more without the annotation", (era) =>
    Effect.gen(function* () {
      const failure = Schema.Struct({ at: Schema.Date })
      const peer = yield* Peer.make({ ...era, registrations: failing(false, failure, { at: new Date(0) }) })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, `${head}{"at":"1970-01-01T00:00:00.000Z"}`])
      assert.isUndefined((result.raw as any)?._meta?.["effect-resolve/failure"])
    })
  )
})
