import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Schema, SchemaGetter } from "effect"
import { McpServer, Tool, Toolkit } from "effect/ai"
import * as fc from "fast-check"
import * as Codec from "../../src/internal/mcp/codec.ts"
import { rows } from "../arguments/schemas.ts"

const listOf = (tools: ReadonlyArray<Tool.Any>) =>
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const listed: Array<unknown> = []
    const toolkit = Toolkit.make(...tools)
    const handlers = yield* toolkit.toHandlers(
      Object.fromEntries(tools.map(({ name }) => [name, () => Effect.void])) as never
    )
    yield* McpServer.registerToolkit(toolkit as Toolkit.Toolkit<any>).pipe(
      Effect.provideContext(
        Context.add(handlers as Context.Context<never>, McpServer.McpServer, {
          ...server,
          addTool: (registration) => Effect.sync(() => void listed.push(registration.tool))
        }) as Context.Context<any>
      )
    )
    return JSON.stringify(listed)
  }).pipe(Effect.provide(McpServer.McpServer.layer))

const toolOf = (schema: Schema.Codec<any, any>) =>
  Tool.make("t", { parameters: Schema.Struct({ v: schema }), success: schema, failure: Schema.Struct({ v: schema }) })

const strictly = [false, true]

describe("a tool as effect/ai is given it", () => {
  for (const [name, { schema }] of Object.entries(rows)) {
    for (const strict of strictly) {
      it.effect(`is listed as it would be without us: ${name}${strict ? ", strictly" : ""}`, () =>
        Effect.gen(function* () {
          const tool = toolOf(schema).annotate(Tool.Strict, strict)
          const own = yield* listOf([tool])
          assert.strictEqual(yield* listOf([Codec.shadow(tool)]), own)
        })
      )
    }
  }

  it.effect("is listed as it would be without us: no parameters, a class, a recursive root", () =>
    Effect.gen(function* () {
      const tools = [
        Tool.make("nothing"),
        Tool.make("class", { parameters: rows.Class!.schema, success: rows.Class!.schema }),
        Tool.make("branch", { parameters: rows["recursive Struct"]!.schema, success: rows["recursive Struct"]!.schema })
      ]
      const own = yield* listOf(tools)
      assert.strictEqual(yield* listOf(tools.map(Codec.shadow)), own)
    })
  )
})

describe("codecs", () => {
  for (const [name, { schema, value, json, bad }] of Object.entries(rows)) {
    it.effect(`what is listed is taken and given: ${name}`, () =>
      Effect.gen(function* () {
        const tool = toolOf(schema)
        assert.deepStrictEqual(yield* Codec.argumentsCodec(tool).decode({ v: json }), { v: value })
        assert.deepStrictEqual(yield* Codec.resultCodec(tool).encode(value), json as never)
        assert.deepStrictEqual(yield* Codec.resultCodec(tool).encodeFailure({ v: value }), { v: json } as never)
        if (bad !== undefined)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(Codec.argumentsCodec(tool).decode({ v: bad }))))
      })
    )
  }
})

const counted = () => {
  let made = 0
  return Schema.Struct({
    edits: Schema.Array(
      Schema.Struct({ id: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => `id-${++made}`))) })
    )
  })
}

const rearguments = (codec: Codec.ArgumentsCodec, sent: unknown) =>
  Effect.flatMap(codec.decode(sent), Codec.rearguments(codec, sent))

describe("arguments to seal (I6)", () => {
  it.effect("are those that decoding added to, inside a list", () =>
    Effect.gen(function* () {
      const codec = Codec.argumentsCodec(Tool.make("t", { parameters: counted() }))
      assert.deepStrictEqual(yield* rearguments(codec, { edits: [{ id: "a" }, {}] }), {
        edits: [{ id: "a" }, { id: "id-1" }]
      })
      assert.isUndefined(yield* rearguments(codec, { edits: [{ id: "a" }] }))
    })
  )

  it.effect("are not those whose members stand in another order", () =>
    Effect.gen(function* () {
      const codec = Codec.argumentsCodec(
        Tool.make("t", { parameters: Schema.Struct({ a: Schema.Int, b: Schema.optional(Schema.Date) }) })
      )
      assert.isUndefined(yield* rearguments(codec, { b: "2026-01-01T00:00:00.000Z", a: 1 }))
    })
  )

  it.effect("are none where the schema cannot encode", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({
        a: Schema.String.pipe(
          Schema.decodeTo(Schema.String, {
            decode: SchemaGetter.transform((text) => `${text}!`),
            encode: SchemaGetter.forbiddenEncoding
          })
        )
      })
      assert.isUndefined(yield* rearguments(Codec.argumentsCodec(Tool.make("t", { parameters })), { a: "x" }))
    })
  )

  it.effect("of a prompt are text", () =>
    Effect.gen(function* () {
      const codec = Codec.textCodec({ n: Schema.Int, yes: Schema.Boolean, at: Schema.optional(Schema.Date) })
      assert.deepStrictEqual(yield* codec.decode({ n: "3", yes: "true" }), { n: 3, yes: true })
      assert.deepStrictEqual(yield* codec.encode({ n: 3, yes: false, at: new Date(0) }), {
        n: "3",
        yes: "false",
        at: "1970-01-01T00:00:00.000Z"
      })
    })
  )
})

describe("names that a tool does not have", () => {
  const sent = { other: 1 }

  it.effect("are ignored", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({ v: Schema.optional(Schema.Int) })
      assert.deepStrictEqual(yield* Codec.argumentsCodec(Tool.make("t", { parameters })).decode(sent), {})
      assert.deepStrictEqual(yield* Codec.argumentsCodec(Tool.make("t")).decode(sent), {})
    })
  )

  it.effect("are a fault for a strict tool", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({ v: Schema.optional(Schema.Int) })
      for (const tool of [Tool.make("t", { parameters }), Tool.make("t")]) {
        const exit = yield* Effect.exit(Codec.argumentsCodec(tool.annotate(Tool.Strict, true)).decode(sent))
        assert.isTrue(Exit.isFailure(exit))
      }
    })
  )
})

describe("results", () => {
  const encoded = (success: Schema.Codec<any, any>, value: unknown) =>
    Effect.exit(Codec.resultCodec(Tool.make("t", { success })).encode(value))

  it.effect("of a tool without a value are without content", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* Codec.resultCodec(Tool.make("t")).encode("left over"))
      for (const success of [Schema.Void, Schema.Undefined]) {
        assert.deepStrictEqual(yield* encoded(success, undefined), Exit.succeed(undefined))
      }
    })
  )

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic

  for (const schema of [Schema.Unknown, Schema.Any, Schema.Record(Schema.String, Schema.Any)]) {
    it.effect(`that are no JSON fail: ${schema.ast._tag}`, () =>
      Effect.gen(function* () {
        for (const value of [
          { a: undefined },
          { a: new Date(0) },
          { a: Number.NaN },
          { a: 1n },
          { a: () => 1 },
          cyclic
        ]) {
          assert.isTrue(Exit.isFailure(yield* encoded(schema, value)))
        }
      })
    )
  }

  it.effect("that are nested deeper than the stack are looked through", () =>
    Effect.gen(function* () {
      let value: unknown = Number.NaN
      let fine: unknown = 1
      for (let depth = 0; depth < 100_000; depth++) {
        value = [value]
        fine = [fine]
      }
      assert.isTrue(Exit.isFailure(yield* encoded(Schema.Any, value)))
      assert.isTrue(Exit.isSuccess(yield* encoded(Schema.Unknown, fine)))
    })
  )

  it.effect("that the schema does not have fail, saying nothing of their values", () =>
    Effect.gen(function* () {
      const exit = yield* encoded(Schema.Int, 1.5)
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(String(exit), "1.5")
    })
  )
})

interface Sample {
  readonly schema: Schema.Codec<any, any>
  readonly value: unknown
  readonly json: unknown
}

const leaf = fc.constantFrom(...Object.values(rows)).map(({ json, schema, value }): Sample => ({ json, schema, value }))

/** Schemas made of others, with a value and its JSON. */
const samples = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("sample"), { maxLength: 4 }).map((members): Sample => {
      const named = <A>(pick: (sample: Sample) => A) =>
        Object.fromEntries(members.map((member, index) => [`m${index}`, pick(member)]))
      return {
        schema: Schema.Struct(named(({ schema }) => schema)),
        value: named(({ value }) => value),
        json: named(({ json }) => json)
      }
    }),
    fc.tuple(tie("sample"), fc.nat(3)).map(
      ([{ json, schema, value }, count]): Sample => ({
        schema: Schema.Array(schema),
        value: Array.from({ length: count }, () => value),
        json: Array.from({ length: count }, () => json)
      })
    ),
    fc.tuple(tie("sample"), fc.boolean()).map(
      ([{ json, schema, value }, there]): Sample => ({
        schema: Schema.Struct({ o: Schema.optional(schema), k: Schema.optionalKey(schema) }),
        value: there ? { o: value, k: value } : { o: undefined },
        json: there ? { o: json, k: json } : { o: null }
      })
    ),
    tie("sample").map(
      ({ json, schema, value }): Sample => ({
        schema: Schema.Record(Schema.String, schema),
        value: { a: value, member: value },
        json: { a: json, member: json }
      })
    )
  )
}))

describe("schemas made of others", () => {
  it.effect("take what they list and give it back; what is sent in full is not sealed again", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(samples.sample, ({ json, schema, value }) =>
          Effect.gen(function* () {
            const tool = toolOf(schema)
            const codec = Codec.argumentsCodec(tool)
            const decoded = yield* codec.decode({ v: json })
            assert.deepStrictEqual(yield* Codec.resultCodec(tool).encode(decoded.v), json as never)
            assert.deepStrictEqual(yield* Codec.resultCodec(tool).encode(value), json as never)
            assert.isUndefined(yield* Codec.rearguments(codec, { v: json })(decoded))
          }).pipe(Effect.runPromise)
        ),
        { numRuns: 200 }
      )
    )
  )
})
