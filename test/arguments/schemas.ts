/** The schemas that a user may reach for, each with a value and, where a person can be asked for it, an answer. */
import { DateTime, Duration, Effect, Option, Redacted, Schema, SchemaGetter } from "effect"

class Person extends Schema.Class<Person>("Person")({
  name: Schema.String,
  born: Schema.Date,
  note: Schema.optional(Schema.String)
}) {}

interface Branch {
  readonly leaf: number
  readonly branches: ReadonlyArray<Branch>
}
const Branch = Schema.Struct({
  leaf: Schema.Int,
  branches: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
})

const Size = { Small: "s", Large: "l" } as const

const moment = new Date("2026-01-01T00:00:00.000Z")

export interface Row {
  readonly schema: Schema.Codec<any, any>
  /** What a handler gets and gives. */
  readonly value: unknown
  /** What a client sends and gets. */
  readonly json: unknown
  /** What the schema cannot take, as JSON. */
  readonly bad?: unknown
  /** What a person answers, where it is not `json`, and what that is. */
  readonly answer?: readonly [json: unknown, value: unknown]
}

const row = <S extends Schema.Codec<any, any>>(schema: S, value: S["Type"], json: unknown, bad?: unknown): Row => ({
  schema,
  value,
  json,
  bad
})

export const rows: { readonly [name: string]: Row } = {
  String: row(Schema.String, "a", "a", 5),
  NonEmptyString: row(Schema.NonEmptyString, "a", "a", ""),
  Trim: row(Schema.Trim, "a", "a", 5),
  Number: { ...row(Schema.Number, Number.POSITIVE_INFINITY, "Infinity", "many"), answer: [1.5, 1.5] },
  Finite: row(Schema.Finite, 1.5, 1.5, "1.5 kg"),
  Int: row(Schema.Int, 3, 3, 3.5),
  Boolean: row(Schema.Boolean, true, true, "maybe"),
  BigInt: row(Schema.BigInt, 5n, "5", 5),
  Date: row(Schema.Date, moment, "2026-01-01T00:00:00.000Z", 5),
  DateFromString: row(Schema.DateFromString, moment, "2026-01-01T00:00:00.000Z", 5),
  DateTimeUtc: row(Schema.DateTimeUtc, DateTime.makeUnsafe(moment), "2026-01-01T00:00:00.000Z", 5),
  Duration: row(Schema.Duration, Duration.millis(5), { _tag: "Millis", value: 5 }, "soon"),
  NumberFromString: row(Schema.NumberFromString, 5, "5", 5),
  URL: row(Schema.URL, new URL("https://a.example/b"), "https://a.example/b", "nowhere"),
  Uint8Array: row(Schema.Uint8Array, new Uint8Array([1, 2]), "AQI=", 5),
  RegExp: row(Schema.RegExp, /a/g, { source: "a", flags: "g" }, 5),
  Symbol: row(Schema.Symbol, Symbol.for("a"), "Symbol(a)", 5),
  Literals: row(Schema.Literals(["s", "m"]), "s", "s", "x"),
  "Literals of numbers": row(Schema.Literals([1, 2]), 1, 1, 3),
  "a bigint Literal": row(Schema.Literal(1n), 1n, "1", "2"),
  Enum: row(Schema.Enum(Size), Size.Small, "s", "x"),
  TemplateLiteral: row(Schema.TemplateLiteral(["v", Schema.Int]), "v1", "v1", "x1"),
  brand: row(Schema.String.pipe(Schema.brand("Id")), "a" as string & never, "a", 5),
  Struct: row(Schema.Struct({ a: Schema.Int }), { a: 1 }, { a: 1 }, { a: "one" }),
  Class: row(
    Person,
    new Person({ name: "n", born: moment, note: undefined }),
    { name: "n", born: "2026-01-01T00:00:00.000Z", note: null },
    { name: "n" }
  ),
  "recursive Struct": row(
    Branch,
    { leaf: 1, branches: [{ leaf: 2, branches: [] }] },
    { leaf: 1, branches: [{ leaf: 2, branches: [] }] },
    { leaf: 1 }
  ),
  encodeKeys: row(
    Schema.Struct({ when: Schema.Date }).pipe(Schema.encodeKeys({ when: "at" })),
    { when: moment },
    { at: "2026-01-01T00:00:00.000Z" },
    { when: "2026-01-01T00:00:00.000Z" }
  ),
  optional: row(Schema.Struct({ a: Schema.optional(Schema.Int) }), { a: undefined }, { a: null }, { a: "one" }),
  optionalKey: row(Schema.Struct({ a: Schema.optionalKey(Schema.Int) }), {}, {}, { a: null }),
  NullOr: row(Schema.NullOr(Schema.Int), null, null, "one"),
  UndefinedOr: { ...row(Schema.UndefinedOr(Schema.Int), undefined, null, "one"), answer: [1, 1] },
  NullishOr: row(Schema.NullishOr(Schema.Int), null, null, "one"),
  withDecodingDefault: row(
    Schema.Struct({ a: Schema.Int.pipe(Schema.withDecodingDefault(Effect.succeed(7))) }),
    { a: 7 },
    { a: 7 },
    { a: "one" }
  ),
  Array: row(Schema.Array(Schema.Date), [moment], ["2026-01-01T00:00:00.000Z"], "2026-01-01T00:00:00.000Z"),
  NonEmptyArray: row(Schema.NonEmptyArray(Schema.Int), [1], [1], []),
  UniqueArray: row(Schema.UniqueArray(Schema.String), ["a"], ["a"], ["a", "a"]),
  Tuple: row(Schema.Tuple([Schema.Date, Schema.Int]), [moment, 1], ["2026-01-01T00:00:00.000Z", 1], [1, 1]),
  Record: row(Schema.Record(Schema.String, Schema.Date), { a: moment }, { a: "2026-01-01T00:00:00.000Z" }, { a: 5 }),
  Union: row(Schema.Union([Schema.Date, Schema.Int]), 1, 1, true),
  "Union of tagged structs": row(
    Schema.Union([
      Schema.TaggedStruct("Circle", { radius: Schema.Finite }),
      Schema.TaggedStruct("Square", { side: Schema.Finite })
    ]),
    { _tag: "Circle", radius: 1 },
    { _tag: "Circle", radius: 1 },
    { _tag: "Circle", radius: "one" }
  ),
  ReadonlySet: row(Schema.ReadonlySet(Schema.String), new Set(["a"]), ["a"], "a"),
  ReadonlyMap: row(Schema.ReadonlyMap(Schema.String, Schema.Int), new Map([["a", 1]]), [["a", 1]], [["a", "b"]]),
  Option: row(Schema.Option(Schema.String), Option.some("a"), { _tag: "Some", value: "a" }, "a"),
  Result: row(Schema.Option(Schema.Date), Option.none(), { _tag: "None" }, { _tag: "Some" }),
  Redacted: row(Schema.Redacted(Schema.String), Redacted.make("a"), "a", 5),
  Json: row(Schema.Json, { a: [1, null] }, { a: [1, null] }),
  Unknown: row(Schema.Unknown, { a: [1, null] }, { a: [1, null] }),
  Any: row(Schema.Any, { a: [1, null] }, { a: [1, null] }),
  fromJsonString: row(Schema.fromJsonString(Schema.Struct({ a: Schema.Int })), { a: 1 }, '{"a":1}', "{"),
  decodeTo: row(
    Schema.String.pipe(
      Schema.decodeTo(Schema.Int, {
        decode: SchemaGetter.transform((text) => text.length),
        encode: SchemaGetter.transform((length) => "x".repeat(length))
      })
    ),
    2,
    "xx",
    5
  )
}
