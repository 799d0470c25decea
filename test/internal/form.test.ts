import { assert, describe, it } from "@effect/vitest"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { DateTime, Effect, Exit, Result, Schema, SchemaTransformation } from "effect"
import { McpSchema } from "effect/ai"
import * as Form from "../../src/internal/question/form.ts"

const field = <S extends Schema.Constraint>(schema: S) => Schema.Struct({ f: schema })
const choice = (value: string, title: string) => Schema.Literal(value).annotate({ title })
const Seat = Schema.Union([choice("in", "Inside"), choice("out", "On the terrace")])

const rendered = (schema: Schema.Constraint): Schema.JsonObject => {
  const form = Form.render(schema)
  if (Result.isFailure(form)) throw new Error(form.failure.message)
  return form.success.requestedSchema
}

const projected = (schema: Schema.Constraint, version: string): unknown => {
  const shown = Result.flatMap(Form.render(schema), (form) => Form.project(form, version))
  return Result.isFailure(shown) ? shown.failure.message : shown.success
}

const refusal = (schema: Schema.Constraint): string => {
  const form = Form.render(schema)
  return Result.isFailure(form) ? form.failure.message : `rendered ${JSON.stringify(form.success)}`
}

interface Row {
  readonly title: string
  readonly schema: Schema.Constraint
  readonly newest: object
  /** On 2025-06-18: another definition, or the rest of the sentence that refuses it. */
  readonly older?: object | string
  readonly optional?: boolean
}

const multiple =
  "is a list of choices, which protocol 2025-06-18 cannot show; ask for one of them (Schema.Literals), or for a boolean each"

const rows: ReadonlyArray<Row> = [
  { title: "a string", schema: Schema.String, newest: { type: "string" } },
  {
    title: "title and description where annotated",
    schema: Schema.String.annotate({ title: "T", description: "D", documentation: "no", examples: ["no"] }),
    newest: { type: "string", title: "T", description: "D" }
  },
  {
    title: "annotateKey over annotate",
    schema: Schema.String.annotate({ title: "node", description: "D" }).annotateKey({ title: "key" }),
    newest: { type: "string", title: "key", description: "D" }
  },
  {
    title: "annotations before and after a check",
    schema: Schema.String.annotate({ title: "T", description: "first" })
      .check(Schema.isMaxLength(9))
      .annotate({ description: "last" }),
    newest: { type: "string", title: "T", description: "last", maxLength: 9 }
  },
  {
    title: "the lengths as written, not the half of them",
    schema: Schema.String.check(Schema.isMinLength(10), Schema.isMaxLength(20)),
    newest: { type: "string", minLength: 10, maxLength: 20 }
  },
  {
    title: "the tightest of several lengths",
    schema: Schema.String.check(Schema.isBetweenLength(2, 30), Schema.isNonEmpty(), Schema.isMaxCodePoints(8)),
    newest: { type: "string", minLength: 2, maxLength: 8 }
  },
  {
    title: "lengths in code points",
    schema: Schema.String.check(Schema.isBetweenCodePoints(3, 4), Schema.isMinCodePoints(1)),
    newest: { type: "string", minLength: 3, maxLength: 4 }
  },
  ...["email", "uri", "date", "date-time"].map(
    (format): Row => ({
      title: `format ${format}`,
      schema: Schema.String.annotate({ format }),
      newest: { type: "string", format }
    })
  ),
  {
    title: "no other format, no pattern",
    schema: Schema.String.annotate({ format: "uuid" }).check(Schema.isUUID(), Schema.isPattern(/^a/)),
    newest: { type: "string" }
  },
  { title: "a template literal", schema: Schema.TemplateLiteral(["a", Schema.String]), newest: { type: "string" } },
  { title: "a finite number", schema: Schema.Finite, newest: { type: "number" } },
  { title: "an integer, without the bounds of safe integers", schema: Schema.Int, newest: { type: "integer" } },
  {
    title: "inclusive bounds",
    schema: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    newest: { type: "integer", minimum: 1, maximum: 5 }
  },
  {
    title: "the tightest of several bounds",
    schema: Schema.Finite.check(
      Schema.isGreaterThanOrEqualTo(0),
      Schema.isGreaterThanOrEqualTo(-1),
      Schema.isLessThanOrEqualTo(0.5)
    ),
    newest: { type: "number", minimum: 0, maximum: 0.5 }
  },
  {
    title: "no exclusive bounds, no multiples",
    schema: Schema.Int.check(
      Schema.isGreaterThan(1),
      Schema.isLessThan(100),
      Schema.isMultipleOf(2),
      Schema.isBetween({ minimum: 0, maximum: 50, exclusiveMinimum: true })
    ),
    newest: { type: "integer", maximum: 50 }
  },
  {
    title: "a group of checks",
    schema: Schema.Number.check(Schema.isInt32()),
    newest: { type: "integer", minimum: -2147483648, maximum: 2147483647 }
  },
  {
    title: "the last of several annotated checks",
    schema: Schema.String.check(Schema.isMinLength(1, { title: "first" }), Schema.isMaxLength(9, { title: "last" })),
    newest: { type: "string", title: "last", minLength: 1, maxLength: 9 }
  },
  { title: "a boolean", schema: Schema.Boolean, newest: { type: "boolean" } },
  { title: "a brand", schema: Schema.String.pipe(Schema.brand("Isbn")), newest: { type: "string" } },
  { title: "one literal", schema: Schema.Literal("a"), newest: { type: "string", enum: ["a"] } },
  {
    title: "the annotations of one literal, for the field",
    schema: choice("a", "Field"),
    newest: { type: "string", title: "Field", enum: ["a"] }
  },
  { title: "literals", schema: Schema.Literals(["a", "b"]), newest: { type: "string", enum: ["a", "b"] } },
  {
    title: "an enum, by its values",
    schema: Schema.Enum({ First: "a", Second: "b" }),
    newest: { type: "string", enum: ["a", "b"] }
  },
  {
    title: "a union of choices, each once",
    schema: Schema.Union([Schema.Literals(["a", "b"]), Schema.Literals(["b", "c"])]),
    newest: { type: "string", enum: ["a", "b", "c"] }
  },
  {
    title: "titled choices",
    schema: Seat.annotate({ title: "Seat" }),
    newest: {
      type: "string",
      title: "Seat",
      oneOf: [
        { const: "in", title: "Inside" },
        { const: "out", title: "On the terrace" }
      ]
    },
    older: { type: "string", title: "Seat", enum: ["in", "out"], enumNames: ["Inside", "On the terrace"] }
  },
  {
    title: "an untitled choice among titled ones",
    schema: Schema.Union([choice("in", "Inside"), Schema.Literal("out")]),
    newest: {
      type: "string",
      oneOf: [
        { const: "in", title: "Inside" },
        { const: "out", title: "out" }
      ]
    },
    older: { type: "string", enum: ["in", "out"], enumNames: ["Inside", "out"] }
  },
  {
    title: "choices whose schema wants the deprecated spelling of titles",
    schema: Schema.Literals(["in", "out"]).annotate({ enumNames: ["Inside", "On the terrace"] }),
    newest: { type: "string", enum: ["in", "out"], enumNames: ["Inside", "On the terrace"] }
  },
  {
    title: "titles that are too few for the choices",
    schema: Schema.Literals(["in", "out"]).annotate({ enumNames: ["Inside"] }),
    newest: { type: "string", enum: ["in", "out"] }
  },
  {
    title: "a list of choices",
    schema: Schema.Array(Schema.Literals(["a", "b", "c"]))
      .check(Schema.isMinLength(1), Schema.isMaxLength(2))
      .annotate({ title: "T", description: "D" }),
    newest: {
      type: "array",
      title: "T",
      description: "D",
      minItems: 1,
      maxItems: 2,
      items: { type: "string", enum: ["a", "b", "c"] }
    },
    older: multiple
  },
  {
    title: "a list of titled choices",
    schema: Schema.Array(Seat),
    newest: {
      type: "array",
      items: {
        anyOf: [
          { const: "in", title: "Inside" },
          { const: "out", title: "On the terrace" }
        ]
      }
    },
    older: multiple
  },
  {
    title: "a list that is not empty",
    schema: Schema.NonEmptyArray(Schema.Literals(["a", "b"])),
    newest: { type: "array", minItems: 1, items: { type: "string", enum: ["a", "b"] } },
    older: multiple
  },
  {
    title: "a list of unique choices, without uniqueItems",
    schema: Schema.UniqueArray(Schema.Literals(["a", "b"])),
    newest: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    older: multiple
  },
  { title: "an optional key", schema: Schema.optionalKey(Schema.Int), newest: { type: "integer" }, optional: true },
  {
    title: "an optional value, as its bare type",
    schema: Schema.optional(Schema.Literals(["a", "b"]).annotate({ title: "T" })),
    newest: { type: "string", title: "T", enum: ["a", "b"] },
    optional: true
  },
  {
    title: "an Option",
    schema: Schema.OptionFromOptionalKey(Schema.String.annotate({ title: "T" })),
    newest: { type: "string", title: "T" },
    optional: true
  },
  {
    title: "transformations, by their encoded side and the title of either",
    schema: Schema.DateTimeUtcFromString.annotate({ title: "When", format: "date-time" }),
    newest: { type: "string", title: "When", format: "date-time" }
  },
  { title: "a date without a format of its own", schema: Schema.DateTimeUtcFromString, newest: { type: "string" } },
  { title: "a number that travels as a string", schema: Schema.FiniteFromString, newest: { type: "string" } },
  {
    title: "a decoding default",
    schema: Schema.String.annotate({ title: "T" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("Guest"))),
    newest: { type: "string", title: "T", default: "Guest" },
    older: { type: "string", title: "T" },
    optional: true
  },
  {
    title: "a decoding default on a boolean",
    schema: Schema.Boolean.pipe(Schema.withDecodingDefault(Effect.succeed(false))),
    newest: { type: "boolean", default: false },
    optional: true
  },
  {
    title: "a decoding default of the decoded type, encoded",
    schema: Schema.DateTimeUtcFromString.pipe(
      Schema.withDecodingDefaultTypeKey(Effect.succeed(DateTime.makeUnsafe("2026-07-28T00:00:00Z")))
    ),
    newest: { type: "string", default: "2026-07-28T00:00:00.000Z" },
    older: { type: "string" },
    optional: true
  },
  {
    title: "a decoding default that is not encoded again",
    schema: Schema.Int.pipe(Schema.withDecodingDefaultType(Effect.succeed(18), { encodingStrategy: "omit" })),
    newest: { type: "integer", default: 18 },
    older: { type: "integer" },
    optional: true
  },
  {
    title: "a default choice",
    schema: Seat.pipe(Schema.withDecodingDefaultKey(Effect.succeed("out" as const))),
    newest: {
      type: "string",
      oneOf: [
        { const: "in", title: "Inside" },
        { const: "out", title: "On the terrace" }
      ],
      default: "out"
    },
    older: { type: "string", enum: ["in", "out"], enumNames: ["Inside", "On the terrace"] },
    optional: true
  },
  {
    title: "a default list",
    schema: Schema.Array(Schema.Literals(["a", "b"])).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(["b" as const]))
    ),
    newest: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["b"] },
    older: multiple,
    optional: true
  },
  {
    title: "a default annotation, which leaves the field required",
    schema: Schema.Finite.annotate({ default: 1.5 }),
    newest: { type: "number", default: 1.5 },
    older: { type: "number" }
  },
  {
    title: "a default annotation of the decoded type, encoded",
    schema: Schema.FiniteFromString.annotate({ default: 3 }),
    newest: { type: "string", default: "3" },
    older: { type: "string" }
  },
  {
    title: "the decoding default over the annotated one",
    schema: Schema.String.annotate({ default: "said" }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("used"))),
    newest: { type: "string", default: "used" },
    older: { type: "string" },
    optional: true
  },
  {
    title: "a default annotation of the encoded side",
    schema: Schema.String.annotate({ default: "3" }).pipe(
      Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString)
    ),
    newest: { type: "string", default: "3" },
    older: { type: "string" }
  },
  {
    title: "the title of a schema halfway through a transformation, not its default",
    schema: Schema.String.pipe(
      Schema.decodeTo(Schema.Trimmed.annotate({ title: "Halfway", default: "no" }), SchemaTransformation.trim()),
      Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString)
    ),
    newest: { type: "string", title: "Halfway" }
  },
  {
    title: "the title of a schema halfway through an encoding, not its default",
    schema: Schema.Finite.pipe(
      Schema.encodeTo(
        Schema.Trimmed.annotate({ title: "Halfway", default: "no" }),
        SchemaTransformation.numberFromString
      ),
      Schema.encodeTo(Schema.String, SchemaTransformation.trim())
    ),
    newest: { type: "string", title: "Halfway" }
  },
  {
    title: "no default whose encoded choice is unknown",
    schema: Schema.Union([Schema.Literal("a").transform("x"), Schema.Literal("b")]).pipe(
      Schema.withDecodingDefaultTypeKey(Effect.succeed("x" as const), { encodingStrategy: "omit" })
    ),
    newest: { type: "string", enum: ["a", "b"] },
    optional: true
  },
  {
    title: "no default whose encoded choices are unknown",
    schema: Schema.Array(Schema.Union([Schema.Literal("a").transform("x"), Schema.Literal("b")])).pipe(
      Schema.withDecodingDefaultTypeKey(Effect.succeed(["x" as const]), { encodingStrategy: "omit" })
    ),
    newest: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    older: multiple,
    optional: true
  },
  {
    title: "a constructor default, which says nothing about answers",
    schema: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed("x"))),
    newest: { type: "string" }
  }
]

const wrap = (definition: object, optional = false) => ({
  type: "object",
  properties: { f: definition },
  ...(optional ? undefined : { required: ["f"] })
})

describe("renders", () => {
  for (const { title, schema, newest, older, optional } of rows) {
    it(title, () => {
      const expected = wrap(newest, optional)
      assert.deepStrictEqual<unknown>(rendered(field(schema)), expected)
      for (const version of ["2025-11-25", "2026-07-28"]) {
        assert.deepStrictEqual(projected(field(schema), version), expected)
      }
      assert.deepStrictEqual(
        projected(field(schema), "2025-06-18"),
        typeof older === "string" ? `field 'f' ${older}` : wrap(older ?? newest, optional)
      )
      assert.strictEqual(Result.getOrThrow(Form.render(field(schema))).allOptional, optional === true)
    })
  }

  it("keeps the order of declaration, of fields and of required ones", () => {
    const schema = Schema.Struct({
      z: Schema.String,
      a: Schema.optionalKey(Schema.Int),
      constructor: Schema.Boolean,
      m: Schema.String
    })
    assert.strictEqual(
      JSON.stringify(rendered(schema)),
      '{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"},"constructor":{"type":"boolean"},' +
        '"m":{"type":"string"}},"required":["z","constructor","m"]}'
    )
  })

  it("a class as its fields, without the notes on the struct", () => {
    class Backorder extends Schema.Class<Backorder>("Backorder")(
      { confirm: Schema.Boolean, note: Schema.optional(Schema.String) },
      { title: "no", description: "no" }
    ) {}
    assert.deepStrictEqual(rendered(Backorder), {
      type: "object",
      properties: { confirm: { type: "boolean" }, note: { type: "string" } },
      required: ["confirm"]
    })
  })

  it("a struct with renamed fields under the names on the wire", () => {
    const schema = Schema.Struct({ a: Schema.Int }).pipe(Schema.encodeKeys({ a: "b" }))
    assert.deepStrictEqual(rendered(schema), {
      type: "object",
      properties: { b: { type: "integer" } },
      required: ["b"]
    })
  })

  it("a struct without fields, which asks for a press of the button", () => {
    assert.deepStrictEqual(rendered(Schema.Struct({})), { type: "object", properties: {} })
    assert.isTrue(Result.getOrThrow(Form.render(Schema.Struct({}))).allOptional)
  })

  it("once per schema", () => {
    const schema = Schema.Struct({ a: Schema.Int })
    assert.strictEqual(rendered(schema), rendered(schema))
  })

  it("without running a default that has to run", () => {
    let runs = 0
    const effect = Effect.sync(() => {
      runs++
      return "x"
    })
    const schema = Schema.Struct({
      generated: Schema.String.pipe(Schema.withDecodingDefaultKey(effect)),
      suggested: Schema.String.annotate({ default: "shown" }).pipe(Schema.withDecodingDefaultKey(effect))
    })
    assert.deepStrictEqual(rendered(schema), {
      type: "object",
      properties: { generated: { type: "string" }, suggested: { type: "string", default: "shown" } }
    })
    assert.strictEqual(runs, 0)
  })
})

describe("is understood by", () => {
  const message = "Order anyway?"
  for (const { title, schema } of rows) {
    it(`the official client: ${title}`, () => {
      const requestedSchema = rendered(field(schema))
      const request = { method: "elicitation/create", params: { mode: "form", message, requestedSchema } }
      // nothing is refused and nothing is dropped
      assert.deepStrictEqual<unknown>(ElicitRequestSchema.parse(request), request)
    })

    it.effect(`effect/ai: ${title}`, () =>
      Effect.gen(function* () {
        const request = { mode: "form", message, requestedSchema: rendered(field(schema)) } as const
        const params = yield* Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)(request)
        const encoded = yield* Schema.encodeEffect(McpSchema.ElicitRequestFormParams)(params)
        assert.deepStrictEqual<unknown>(encoded, request)
      })
    )
  }
})

describe("refuses", () => {
  const struct = "must be a struct of strings, numbers, booleans or lists of choices"
  interface Tree {
    readonly name: string
    readonly child?: Tree
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    name: Schema.String,
    child: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
  })
  const roots: ReadonlyArray<readonly [string, Schema.Constraint, string]> = [
    ["a string", Schema.String, struct],
    ["a record", Schema.Record(Schema.String, Schema.String), struct],
    ["a list", Schema.Array(Schema.String), struct],
    ["a union of structs", Schema.Union([field(Schema.String), Schema.Struct({ g: Schema.String })]), struct],
    [
      "a struct open to more",
      Schema.StructWithRest(field(Schema.String), [Schema.Record(Schema.String, Schema.String)]),
      struct
    ],
    [
      "a suspended struct",
      Schema.suspend(() => field(Schema.String)),
      "is recursive (Schema.suspend); a form is flat: use one Schema.Struct"
    ],
    [
      "a recursive struct",
      Tree,
      "field 'child' is recursive (Schema.suspend); a form is flat: ask for its fields directly"
    ],
    [
      "a field that clients lose",
      Schema.Struct({ ["__proto__"]: Schema.String }),
      "field '__proto__' has a name that clients cannot send back; use another (Schema.encodeKeys renames it on the wire only)"
    ],
    [
      "a symbol",
      Schema.Struct({ [Symbol.for("s")]: Schema.String }),
      "field 'Symbol(s)' has a name that clients cannot send back; use another (Schema.encodeKeys renames it on the wire only)"
    ]
  ]
  for (const [title, schema, expected] of roots) {
    it(title, () => assert.strictEqual(refusal(schema), expected))
  }

  const nothing = "must be a string, a number, a boolean or a list of choices"
  const nullable = "admits null, which no form can send; use Schema.optionalKey to let people leave it out"
  const unsendable =
    "is not a value that a client can send; use a schema that decodes from a string, such as Schema.DateTimeUtcFromString"
  const union = "is a union of several types; ask for one type, or ask one field for each"
  const free =
    "is a list of free values; a form needs a fixed set of choices, such as Schema.Array(Schema.Literals([..]))"
  const tuple = "is a tuple; a form is flat: ask for each element in a field of its own"
  const object = "is an object; a form is flat: ask for its fields directly"
  const wrong = "has a default that its own schema refuses"
  const notText = (what: string, use = "Schema.Literals with strings") =>
    `has the ${what} among its choices, and choices are strings; use ${use}`
  class Address extends Schema.Class<Address>("Address")({ street: Schema.String }) {}

  const fields: ReadonlyArray<readonly [string, Schema.Constraint, string]> = [
    ["a nested struct", Schema.Struct({ street: Schema.String }), object],
    ["a nested class", Address, object],
    ["a record field", Schema.Record(Schema.String, Schema.String), object],
    ["a tuple", Schema.Tuple([Schema.Literal("a")]), tuple],
    ["a tuple with a rest", Schema.TupleWithRest(Schema.Tuple([Schema.Literal("a")]), [Schema.Literal("b")]), tuple],
    [
      "a tuple of two rests",
      Schema.TupleWithRest(Schema.Tuple([]), [Schema.Literals(["a", "b"]), Schema.Literal("b")]),
      tuple
    ],
    ["a list of strings", Schema.Array(Schema.String), free],
    ["an optional list of integers", Schema.optional(Schema.Array(Schema.Int)), free],
    ["a list of structs", Schema.Array(Schema.Struct({ a: Schema.String })), free],
    ["a list of number literals", Schema.Array(Schema.Literals([1, 2])), notText("number 1")],
    ["a list of nullable choices", Schema.Array(Schema.NullOr(Schema.Literal("a"))), nullable],
    ["a union of primitives", Schema.Union([Schema.String, Schema.Int]), union],
    ["a choice or free text", Schema.Union([Schema.Literal("a"), Schema.String]), union],
    ["null or a string", Schema.NullOr(Schema.String), nullable],
    ["null", Schema.Null, nullable],
    ["number literals", Schema.Literals([1, 2]), notText("number 1")],
    ["a number enum", Schema.Enum({ One: 1 }), notText("number 1")],
    ["a boolean literal", Schema.Literal(true), notText("boolean true", "Schema.Boolean")],
    ["no choice at all", Schema.Literals([]), "has no choices to show"],
    ["a bigint", Schema.BigInt, "is a bigint, which no client can send; use Schema.BigIntFromString"],
    ["a Date", Schema.Date, unsendable],
    ["a DateTime", Schema.DateTimeUtc, unsendable],
    ["an Option value", Schema.Option(Schema.String), unsendable],
    [
      "a secret",
      Schema.RedactedFromValue(Schema.String),
      "is a secret (Schema.Redacted), which must not pass through a form; use Elicitation.url"
    ],
    ["unknown", Schema.Unknown, nothing],
    ["undefined", Schema.Undefined, nothing],
    ["a symbol value", Schema.Symbol, nothing],
    [
      "lengths that exclude each other",
      Schema.String.check(Schema.isMinLength(3), Schema.isMaxLength(2)),
      "has no possible length: at least 3 and at most 2"
    ],
    [
      "bounds that exclude each other",
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(3), Schema.isLessThanOrEqualTo(2)),
      "has no possible value: at least 3 and at most 2"
    ],
    [
      "numbers of choices that exclude each other",
      Schema.NonEmptyArray(Schema.Literals(["a", "b"])).check(Schema.isMaxLength(0)),
      "has no possible number of choices: at least 1 and at most 0"
    ],
    [
      "more choices than there are",
      Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMinLength(3)),
      "asks for at least 3 of 2 choices"
    ],
    ["an annotated default out of bounds", Schema.Int.check(Schema.isLessThan(5)).annotate({ default: 9 }), wrong],
    [
      "a decoding default that is too short",
      Schema.NonEmptyString.pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
      wrong
    ],
    ["a default that is none of the choices", Schema.Literals(["a", "b"]).annotate({ default: "c" as "a" }), wrong],
    [
      "a default of the encoded side that does not decode",
      Schema.String.annotate({ default: "x" }).pipe(
        Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString)
      ),
      wrong
    ],
    [
      "more default choices than allowed",
      Schema.Array(Schema.Literals(["a", "b"]))
        .check(Schema.isMaxLength(1))
        .annotate({ default: ["a", "b"] }),
      wrong
    ]
  ]
  for (const [title, schema, expected] of fields) {
    it(title, () => assert.strictEqual(refusal(field(schema)), `field 'f' ${expected}`))
  }

  it("protocols without elicitation", () => {
    for (const version of ["2024-11-05", "2025-03-26"]) {
      assert.strictEqual(
        projected(field(Schema.String), version),
        `has no form on protocol ${version}, which cannot ask people`
      )
    }
  })
})

describe("decodes", () => {
  const accepts = <A>(title: string, schema: Schema.ConstraintDecoder<A>, content: unknown, expected: A) =>
    it.effect(title, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Form.decode(schema, content), expected)
      })
    )
  const rejects = (title: string, schema: Schema.ConstraintDecoder<unknown>, content: unknown) =>
    it.effect(title, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Form.decode(schema, content))
        assert.strictEqual(error._tag, "InvalidContent")
        assert.notStrictEqual(error.cause, undefined)
      })
    )

  const Guest = Schema.Struct({
    email: Schema.String,
    name: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("Guest"))),
    age: Schema.Int.pipe(Schema.withDecodingDefault(Effect.succeed(18))),
    subscribe: Schema.Boolean.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(true))),
    note: Schema.optionalKey(Schema.String)
  })
  const filled = { email: "test@example.com", name: "Guest", age: 18, subscribe: true }
  accepts("absent fields to their defaults", Guest, { email: "test@example.com" }, filled)
  accepts(
    "present fields over their defaults",
    Guest,
    { email: "", name: "Ada", age: 36, subscribe: false, note: "n" },
    { email: "", name: "Ada", age: 36, subscribe: false, note: "n" }
  )
  accepts(
    "without keys the form does not have",
    Guest,
    { email: "e", stranger: 1, toString: 2 },
    { ...filled, email: "e" }
  )

  it.effect("a default that has to run, each time", () =>
    Effect.gen(function* () {
      let runs = 0
      const schema = field(Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => ++runs))))
      assert.deepStrictEqual(yield* Form.decode(schema, {}), { f: 1 })
      assert.deepStrictEqual(yield* Form.decode(schema, {}), { f: 2 })
    })
  )

  it.effect("a date, a brand and a class", () =>
    Effect.gen(function* () {
      class Booking extends Schema.Class<Booking>("Booking")({
        at: Schema.DateTimeUtcFromString,
        isbn: Schema.String.pipe(Schema.brand("Isbn"))
      }) {}
      const booking = yield* Form.decode(Booking, { at: "2026-07-28T10:00:00Z", isbn: "x" })
      assert.instanceOf(booking, Booking)
      assert.strictEqual(DateTime.formatIso(booking.at), "2026-07-28T10:00:00.000Z")
    })
  )

  rejects("no word for a boolean", field(Schema.Boolean), { f: "maybe" })
  rejects("no string for a boolean, however close", field(Schema.Boolean), { f: "true" })
  rejects("no missing boolean as false", field(Schema.Boolean), {})
  rejects("no string for a number", field(Schema.Int), { f: "3" })
  rejects("no fraction for an integer", field(Schema.Int), { f: 3.5 })
  accepts("a fraction for a number", field(Schema.Finite), { f: 3.5 }, { f: 3.5 })
  accepts("an empty string as a string", field(Schema.String), { f: "" }, { f: "" })
  rejects("no empty string for a choice", field(Schema.Literals(["a", "b"])), { f: "" })
  accepts("null for an optional field as absent", field(Schema.optional(Schema.String)), { f: null }, {})
  accepts("null for a field that may be left out as absent", field(Schema.optionalKey(Schema.Int)), { f: null }, {})
  accepts(
    "null for a field with a default as its default",
    field(Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(7)))),
    { f: null },
    { f: 7 }
  )
  rejects("no null for a field that must be there", field(Schema.String), { f: null })
  accepts("a number", field(Schema.Number), { f: 3.5 }, { f: 3.5 })
  rejects("no number too large for one", field(Schema.Number), JSON.parse('{"f":1e999}'))
  rejects("no choice that was not offered", field(Schema.Array(Schema.Literals(["a", "b"]))), { f: ["a", "c"] })
  rejects("no string for a list", field(Schema.Array(Schema.Literals(["a", "b"]))), { f: "a" })

  const check = (schema: Schema.ConstraintDecoder<unknown>, title: string, value: unknown) =>
    rejects(`with the checks no form can show: ${title}`, field(schema), { f: value })
  check(Schema.String.check(Schema.isPattern(/^a/)), "a pattern", "b")
  check(Schema.Finite.check(Schema.isGreaterThan(1)), "an exclusive bound", 1)
  check(Schema.Int.check(Schema.isMultipleOf(2)), "a multiple", 3)
  check(Schema.String.check(Schema.isUUID()), "a format", "b")
  check(Schema.DateTimeUtcFromString, "a date", "tomorrow")

  const Pick = field(Schema.UniqueArray(Schema.Literals(["a", "b", "c"])).check(Schema.isMaxLength(2)))
  accepts("a choice made twice once, in the order given", Pick, { f: ["b", "a", "b", "a"] }, { f: ["b", "a"] })
  rejects(
    "no repetition to reach a minimum",
    field(Schema.Array(Schema.Literals(["a", "b"])).check(Schema.isMinLength(2))),
    { f: ["a", "a"] }
  )

  const Inherited = Schema.Struct({ constructor: Schema.String, toString: Schema.optionalKey(Schema.String) })
  accepts("fields named as members of every object", Inherited, { constructor: "c", toString: "t" }, {
    constructor: "c",
    toString: "t"
  } as typeof Inherited.Type)
  rejects("no member of a sent prototype", Inherited, JSON.parse('{"__proto__":{"constructor":"c"}}'))
  it.effect("inherited optional members as absent", () =>
    Effect.gen(function* () {
      const decoded = yield* Form.decode(Inherited, { constructor: "c" })
      assert.deepStrictEqual(Object.keys(decoded), ["constructor"])
      const sent = Object.create({ f: "inherited" })
      assert.deepStrictEqual(yield* Form.decode(field(Schema.optionalKey(Schema.String)), sent), {})
    })
  )

  for (const content of [undefined, null, "x", 1, true, [], [{ f: "x" }]]) {
    rejects(`no content that is ${JSON.stringify(content)}`, field(Schema.optionalKey(Schema.String)), content)
  }

  it.effect("nothing with a schema that cannot be a form", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Form.decode(field(Schema.NullOr(Schema.String)), { f: null }))
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})

describe("formats", () => {
  const cases = {
    email: [
      ["ada@example.com", "a.b+c@mail.example.co", "ada@localhost", "øre@bücher.example"],
      ["not-an-email", "@example.com", "ada@", "a b@example.com", "ada@example..com", "ada@@example.com", ""]
    ],
    uri: [
      ["https://a.example/b?c#d", "mailto:ada@example.com", "urn:isbn:123"],
      ["a.example", "/b", "https://", "https://a b", " https://a.example", ""]
    ],
    date: [
      ["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01"],
      [
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-1-1",
        "2026-01-31T00:00:00Z",
        "31.1.2026",
        ""
      ]
    ],
    "date-time": [
      ["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.5+01:00", "2026-06-30T23:59:60Z"],
      [
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-01-31T24:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-01-31T12:00:00+25:00",
        ""
      ]
    ]
  } as const
  const wanted = {
    email: "an email address",
    uri: "a URI",
    date: `a date such as "2026-01-31"`,
    "date-time": `a date and time such as "2026-01-31T12:00:00Z"`
  }
  for (const [format, [right, wrong]] of Object.entries(cases)) {
    it.effect(`${format} is held to`, () =>
      Effect.gen(function* () {
        const schema = Schema.Struct({
          f: Schema.String.annotate({ format }),
          g: Schema.optional(Schema.String.annotate({ format }))
        })
        for (const f of right) assert.deepStrictEqual(yield* Form.decode(schema, { f, g: null }), { f }, f)
        for (const f of wrong) {
          const { faults } = yield* Effect.flip(Form.decode(schema, { f }))
          assert.strictEqual(faults, `'f' must be ${wanted[format as keyof typeof wanted]}`, f)
        }
      })
    )
  }

  it.effect("a format that no form shows is for the schema to judge", () =>
    Effect.gen(function* () {
      const schema = Schema.Struct({ f: Schema.String.annotate({ format: "phone" }) })
      assert.deepStrictEqual(yield* Form.decode(schema, { f: "x" }), { f: "x" })
    })
  )
})

describe("what is wrong with an answer", () => {
  const Person = Schema.Struct({
    name: Schema.NonEmptyString,
    age: Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 120 })),
    size: Schema.Literals(["s", "m"]),
    email: Schema.String.annotate({ format: "email" }),
    day: Schema.DateFromString.annotate({ format: "date" }),
    tags: Schema.Array(Schema.Literals(["a", "b"])),
    news: Schema.Boolean
  })
  const fine = { name: "Ada", age: 36, size: "s", email: "a@b.example", day: "2026-01-31", tags: ["a"], news: true }
  const cases: ReadonlyArray<readonly [content: object, faults: string]> = [
    [{ name: "" }, "'name' must be a string of at least 1 character"],
    [{ age: 17 }, "'age' must be a whole number from 18 to 120"],
    [{ age: "36" }, "'age' must be a whole number from 18 to 120"],
    [{ size: "xl" }, `'size' must be one of "s", "m"`],
    [{ email: "secret" }, "'email' must be an email address"],
    [{ tags: ["c"] }, `'tags[0]' must be one of "a", "b"`],
    [{ news: undefined }, "'news' must be a boolean"],
    [{ news: null }, "'news' must be a boolean"],
    [{ age: 17, email: "x" }, "'email' must be an email address; 'age' must be a whole number from 18 to 120"]
  ]
  for (const [content, faults] of cases) {
    it.effect(`one bad field of seven is named: ${JSON.stringify(content)}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(Form.decode(Person, { ...fine, ...content }))).faults, faults)
      })
    )
  }

  it.effect("is short, however many fields are wrong", () =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(Form.decode(Person, {}))
      assert.isAtMost(faults!.length, 241)
      assert.include(faults, "and 4 more")
    })
  )
})
