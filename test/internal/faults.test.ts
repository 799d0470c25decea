import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import * as Codec from "../../src/internal/mcp/codec.ts"
import { rows } from "../arguments/schemas.ts"

const codecOf = (fields: Schema.Struct.Fields, strict = false) =>
  Codec.argumentsCodec(Tool.make("t", { parameters: Schema.Struct(fields) }).annotate(Tool.Strict, strict))

const faults = (fields: Schema.Struct.Fields, sent: unknown, strict = false) =>
  Effect.map(Effect.flip(codecOf(fields, strict).decode(sent)), ({ message }) => message)

const decoded = (fields: Schema.Struct.Fields, sent: unknown, strict = false) => codecOf(fields, strict).decode(sent)

type Case = readonly [fields: Schema.Struct.Fields, sent: unknown, said: string]

const edits = { edits: Schema.Array(Schema.Struct({ old: Schema.String, new: Schema.String })) }
const moment = `a date and time such as "2026-01-31T12:00:00Z"`
const one = (schema: Schema.Codec<any, any>, sent: unknown, said: string): Case => [
  { v: schema },
  { v: sent },
  `argument 'v' ${said}`
]

const cases: { readonly [name: string]: Case } = {
  "a member of a list of objects": [
    edits,
    { edits: [{ old: 5, new: "b" }] },
    "argument 'edits[0].old' must be a string, got a number"
  ],
  "an element that is no object": [edits, { edits: ["x"] }, "argument 'edits[0]' must be an object, got a string"],
  "an element of a NonEmptyArray": [
    { v: Schema.NonEmptyArray(Schema.String) },
    { v: [5] },
    "argument 'v[0]' must be a string, got a number"
  ],
  "a list that is too short": one(Schema.NonEmptyArray(Schema.String), [], "must be a list of at least 1 element"),
  "a tuple that is too short": one(Schema.Tuple([Schema.Int, Schema.Int]), [1], "must be a list of 2 elements"),
  "members that are missing": [
    edits,
    { edits: [{}] },
    "argument 'edits[0].old' is missing; it must be a string; argument 'edits[0].new' is missing; it must be a string"
  ],
  "null for what may not be": one(Schema.Int, null, "must be a whole number, got null"),
  "a fraction": one(Schema.Int, 3.5, "must be a whole number, got a number"),
  "a number that is too small": one(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    0,
    "must be a whole number of at least 1, got a number"
  ),
  "a number out of its range": one(
    Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    9,
    "must be a number from 1 to 5"
  ),
  "a text that is too long": one(
    Schema.String.check(Schema.isMinLength(2), Schema.isMaxLength(3)),
    "hunter2",
    "must be a string of 2 to 3 characters"
  ),
  "none of the choices": one(Schema.Literals(["s", "m", "l"]), "x", `must be one of "s", "m", "l", got a string`),
  "none of the choices of an enum": one(rows.Enum!.schema, "x", `must be one of "s", "l", got a string`),
  "no moment": one(Schema.Date, "yesterday", `must be ${moment}, got a string`),
  "a list for a set": [
    { v: Schema.ReadonlySet(Schema.Int) },
    { v: ["a"] },
    "argument 'v[0]' must be a whole number, got a string"
  ],
  "a number for a number in a text": one(
    Schema.NumberFromString,
    5,
    "must be a number written as a string, got a number"
  ),
  "none of several types": one(
    Schema.Union([Schema.Date, Schema.Int]),
    true,
    `must be ${moment} or a whole number, got a boolean`
  ),
  "no member of a union": one(
    Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]),
    { a: "x" },
    "must be an object with 'a' or an object with 'b'"
  ),
  "the member of a union that its tag chose": [
    { v: rows["Union of tagged structs"]!.schema },
    { v: { _tag: "Circle", radius: "one" } },
    "argument 'v.radius' must be a number, got a string"
  ],
  "a tag that no member has": one(
    rows["Union of tagged structs"]!.schema,
    { _tag: "Line" },
    `must be an object with '_tag': "Circle" or an object with '_tag': "Square"`
  ),
  "a level of what is nested in itself": [
    { v: rows["recursive Struct"]!.schema },
    { v: { leaf: 1, branches: [{ leaf: "x", branches: 5 }] } },
    "argument 'v.branches[0].leaf' must be a whole number, got a string; argument 'v.branches[0].branches' must be a list, got a number"
  ],
  "a check of the author's that says something": one(
    Schema.String.check(Schema.makeFilter((text) => text === "x" || "say x")),
    "y",
    "is not valid: say x"
  ),
  "a check of the author's with a message": one(
    Schema.String.check(Schema.makeFilter((text) => text === "x", { message: "say x" })),
    "y",
    "is not valid: say x"
  ),
  "a check of the author's that says nothing": one(
    Schema.String.check(Schema.makeFilter((text) => text === "x")),
    "y",
    "must be a string that passes a check of its own"
  ),
  "a pattern": one(Schema.String.check(Schema.isPattern(/^a/)), "b", "must be a string matching the RegExp ^a"),
  "a form of text": one(rows.TemplateLiteral!.schema, "x1", 'must be a string of the form "v<number>"'),
  "names that could be taken for paths": [
    { v: Schema.Record(Schema.String, Schema.Int) },
    { v: { "a b": "x", "a.b": "x", ["__proto__"]: "x" } },
    [`v["a b"]`, `v["a.b"]`, "v.__proto__"]
      .map((path) => `argument '${path}' must be a whole number, got a string`)
      .join("; ")
  ]
}

describe("what is wrong with arguments", () => {
  for (const [name, [fields, sent, said]] of Object.entries(cases)) {
    it.effect(name, () => Effect.map(faults(fields, sent), (message) => assert.strictEqual(message, said)))
  }

  it.effect("a check of the whole", () =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({ a: Schema.Int, b: Schema.Int }).check(
        Schema.makeFilter(({ a, b }) => a < b || "a must be less than b")
      )
      const { message } = yield* Effect.flip(
        Codec.argumentsCodec(Tool.make("t", { parameters })).decode({ a: 2, b: 1 })
      )
      assert.strictEqual(message, "the arguments are not valid: a must be less than b")
    })
  )

  it.effect("is said of ten places, and how many more there are", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, "x"]))
      const message = yield* faults({ v: Schema.Record(Schema.String, Schema.Int) }, { v: many })
      assert.lengthOf(message.split("; "), 11)
      assert.isTrue(message.endsWith("; and 2 more"))
    })
  )

  it.effect("has names that are cut and can be printed", () =>
    Effect.gen(function* () {
      const message = yield* faults(
        { v: Schema.Record(Schema.String, Schema.Int) },
        { v: { [`\u202e\u0000${"z".repeat(10_000)}`]: "x" } }
      )
      assert.strictEqual(message, `argument 'v.${"z".repeat(40)}…' must be a whole number, got a string`)
    })
  )

  it.effect("never has a value that came", () =>
    Effect.gen(function* () {
      for (const [name, { schema, bad }] of Object.entries(rows)) {
        if (bad === undefined) continue
        for (const secret of ["hunter2", ["hunter2"], { inside: "hunter2" }]) {
          const message = yield* Effect.match(decoded({ v: schema }, { v: secret }), {
            onFailure: ({ message }) => message,
            onSuccess: () => ""
          })
          assert.notInclude(message, "hunter2", name)
        }
      }
    })
  )
})

describe("names that a strict tool does not have", () => {
  const strictly: ReadonlyArray<Case> = [
    [{ topic: Schema.optional(Schema.String) }, { path: "x" }, "there is no argument 'path'; it has 'topic'"],
    [
      { v: Schema.Struct({ topic: Schema.optional(Schema.String) }) },
      { v: { path: "x" } },
      "argument 'v' has no 'path'; it has 'topic'"
    ]
  ]
  it.effect("are named with those that it has", () =>
    Effect.gen(function* () {
      for (const [fields, sent, said] of strictly) assert.strictEqual(yield* faults(fields, sent, true), said)
    })
  )

  it.effect("are named where the tool has none", () =>
    Effect.gen(function* () {
      const { decode } = Codec.argumentsCodec(Tool.make("t").annotate(Tool.Strict, true))
      const { message } = yield* Effect.flip(decode({ path: "x" }))
      assert.strictEqual(message, "there is no argument 'path'; it has none")
    })
  )
})

describe("a text that holds JSON", () => {
  const fields = {
    n: Schema.Int,
    list: Schema.Array(Schema.Int),
    obj: Schema.Struct({ k: Schema.Int }),
    yes: Schema.Boolean,
    none: Schema.optional(Schema.Int)
  }
  const sent = { n: "3", list: "[1,2]", obj: '{"k":1}', yes: "true", none: "null" }

  it.effect("is read as that JSON where decoding fails at it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* decoded(fields, sent), {
        n: 3,
        list: [1, 2],
        obj: { k: 1 },
        yes: true,
        none: undefined
      })
      const nested = {
        v: Schema.Array(Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Struct({ b: Schema.Int })]))
      }
      assert.deepStrictEqual(yield* decoded(nested, { v: [{ a: "1" }, '{"b":2}'] }), { v: [{ a: 1 }, { b: 2 }] })
    })
  )

  it.effect("does not change what was sent", () =>
    Effect.gen(function* () {
      const given = { n: 1, list: ["1", 2], obj: { k: 1 }, yes: true }
      const before = JSON.stringify(given)
      yield* decoded(fields, given)
      assert.strictEqual(JSON.stringify(given), before)
    })
  )

  it.effect("stays a text where a text is wanted, whatever it holds", () =>
    Effect.gen(function* () {
      const texts = { a: Schema.String, b: Schema.Union([Schema.Int, Schema.String]), c: Schema.Unknown }
      assert.deepStrictEqual(yield* decoded(texts, { a: "3", b: "3", c: "3" }), { a: "3", b: "3", c: "3" })
    })
  )

  it.effect("is not read where its JSON does not decode, is a text itself, or is written otherwise", () =>
    Effect.gen(function* () {
      for (const text of ["x", '"3"', "03", "3.5", "+3", "0x3", "1e999", "[3]", "", " "]) {
        assert.strictEqual(
          yield* faults({ n: Schema.Int }, { n: text }),
          "argument 'n' must be a whole number, got a string",
          text
        )
      }
      assert.include(yield* faults({ when: Schema.Date }, { when: '"2026-01-01T00:00:00Z"' }), moment)
    })
  )

  it.effect("beside what is wrong is not among the faults", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* faults(fields, { ...sent, n: "x" }),
        "argument 'n' must be a whole number, got a string"
      )
    })
  )

  it.effect("is refused by a strict tool", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* faults({ n: Schema.Int }, { n: "3" }, true),
        "argument 'n' must be a whole number, got a string"
      )
    })
  )

  it.effect("is not looked into deeper than anybody writes", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`
      const tree = { v: rows["recursive Struct"]!.schema, w: Schema.Array(Schema.Unknown) }
      assert.include(yield* faults(tree, { v: deep, w: deep }), "argument 'w' must be a list, got a string")
    })
  )

  it.effect("named __proto__ is a member like any other", () =>
    Effect.gen(function* () {
      const sent = JSON.parse('{"v":{"__proto__":"3"}}')
      const { v } = yield* decoded({ v: Schema.Record(Schema.String, Schema.Int) }, sent)
      assert.deepStrictEqual(Object.entries(v as object), [["__proto__", 3]])
    })
  )
})
