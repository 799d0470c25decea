/** Lists of tools as strict clients want them, and arguments that ride in HTTP headers too. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { type Registrations, tool } from "../rules/kit.ts"

type Era = { readonly protocol: Peer.ProtocolVersion }

const listed = (era: Era, registrations: Registrations) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ ...era, registrations })
    return (yield* peer.listTools)[0].inputSchema
  })

const withHeader = <S extends Schema.Codec<any, any>>(schema: S, header: unknown): S["Rebuild"] =>
  schema.annotate({ "x-mcp-header": header })

describe("lists of tools", () => {
  eras("a tool without arguments has `properties`", (era) =>
    Effect.gen(function* () {
      const Kit = Toolkit.make(Tool.make("t", { success: Schema.String }))
      const registrations = Resolve.toolkit(Kit).pipe(Layer.provide(Kit.toLayer({ t: () => Effect.succeed("") })))
      assert.deepStrictEqual((yield* listed(era, registrations)).properties, {})
      assert.deepStrictEqual(
        (yield* listed(
          era,
          tool("t", {}, () => Effect.succeed(""))
        )).properties,
        {}
      )
    })
  )

  eras("every object has `properties` and every list `items`, wherever they stand", (era) =>
    Effect.gen(function* () {
      const parameters = Schema.Struct({
        any: Schema.Array(Schema.Unknown),
        pair: Schema.Tuple([Schema.Int, Schema.Array(Schema.Unknown)]),
        either: Schema.Union([Schema.Array(Schema.Unknown), Schema.Record(Schema.String, Schema.Int)]),
        inner: Schema.optional(Schema.Struct({ list: Schema.Array(Schema.Unknown) }))
      })
      const schema = yield* listed(
        era,
        tool("t", { parameters }, () => Effect.succeed(""))
      )
      const lacking: Array<string> = []
      const visit = (value: any, path: string): void => {
        if (typeof value !== "object" || value === null) return
        if (value.type === "array" && value.items === undefined) lacking.push(`${path}: items`)
        if (value.type === "object" && value.properties === undefined) lacking.push(`${path}: properties`)
        for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`)
      }
      visit(schema, "")
      assert.deepStrictEqual(lacking, [])
    })
  )

  eras("a default that looks like a schema is left as it is", (era) =>
    Effect.gen(function* () {
      const example = { type: "array" }
      const parameters = Schema.Struct({
        v: Schema.Struct({ type: Schema.String }).annotate({ default: example, examples: [example] })
      })
      const { v } = (yield* listed(
        era,
        tool("t", { parameters }, () => Effect.succeed(""))
      )).properties
      assert.deepStrictEqual([v.default, v.examples], [example, [example]])
    })
  )
})

describe("arguments in headers", () => {
  const parameters = Schema.Struct({
    region: withHeader(Schema.String, "Region"),
    count: Schema.optionalKey(withHeader(Schema.Int, "Count")),
    size: withHeader(Schema.String.check(Schema.isMinLength(1)), "Size"),
    inner: Schema.Struct({ yes: withHeader(Schema.Boolean, "Yes") })
  })
  const registrations = tool("t", { parameters }, (args) => Effect.succeed(JSON.stringify(args)))

  eras("are listed with their header", (era) =>
    Effect.gen(function* () {
      const { count, inner, region, size } = (yield* listed(era, registrations)).properties
      assert.deepStrictEqual(
        [region, count, size, inner.properties.yes].map((schema) => schema["x-mcp-header"]),
        ["Region", "Count", "Size", "Yes"]
      )
    })
  )

  eras("are not looked for in a class that is used twice, but in the root", (era) =>
    Effect.gen(function* () {
      class Root extends Schema.Class<Root>("Root")({ region: withHeader(Schema.String, "Region") }) {}
      const { region } = (yield* listed(
        era,
        tool("t", { parameters: Root }, () => Effect.succeed(""))
      )).properties
      assert.strictEqual(region["x-mcp-header"], "Region")
    })
  )

  class Inner extends Schema.Class<Inner>("Inner")({ region: withHeader(Schema.String, "Region") }) {}
  const misplaced =
    "the header 'Region' (x-mcp-header) stands where no client looks for it: only on strings, whole numbers and booleans that are not nullable (Schema.optionalKey leaves one out), and only through structs, not through a list, a union or a class inside"
  const bad: ReadonlyArray<readonly [string, Schema.Struct.Fields, string]> = [
    ["on a number", { v: withHeader(Schema.Finite, "Region") }, misplaced],
    ["on a list", { v: withHeader(Schema.Array(Schema.String), "Region") }, misplaced],
    ["in a list", { v: Schema.Array(withHeader(Schema.String, "Region")) }, misplaced],
    ["on what may be null", { v: Schema.optional(withHeader(Schema.String, "Region")) }, misplaced],
    ["in a union", { v: Schema.Union([withHeader(Schema.String, "Region"), Schema.Int]) }, misplaced],
    ["in a class", { v: Inner, w: Inner }, misplaced],
    [
      "with a name of two words",
      { v: withHeader(Schema.String, "The Region") },
      "the header of argument 'v' (x-mcp-header) must be a name of letters, digits and dashes"
    ],
    [
      "without a name",
      { v: withHeader(Schema.String, "") },
      "the header of argument 'v' (x-mcp-header) must be a name of letters, digits and dashes"
    ],
    [
      "twice",
      { v: withHeader(Schema.String, "Region"), w: withHeader(Schema.String, "region") },
      "the header 'region' (x-mcp-header) stands on two arguments; names of headers have no upper and lower case"
    ]
  ]
  for (const [how, fields, message] of bad) {
    eras(`fail registration ${how}`, (era) =>
      Effect.gen(function* () {
        const registrations = tool("t", { parameters: Schema.Struct(fields) }, () => Effect.succeed(""))
        const exit = yield* Effect.exit(Peer.make({ ...era, registrations }))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), `Tool 't': ${message}`)
      })
    )
  }

  eras.of("2026-07-28")("are refused where header and argument differ, and where the header is missing", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const args = { region: "eu", size: "m", inner: { yes: true } }
      const call = (headers: { readonly [name: string]: string }, changes: object = {}) =>
        Effect.exit(peer.callTool("t", { ...args, ...changes }, { headers } as any))
      const right = { "mcp-param-region": "eu", "mcp-param-size": "m", "mcp-param-yes": "true" }
      assert.isTrue(Exit.isSuccess(yield* call(right)))
      for (const headers of [
        { ...right, "mcp-param-region": "us" },
        { "mcp-param-size": "m", "mcp-param-yes": "true" },
        { ...right, "mcp-param-yes": "false" },
        { ...right, "mcp-param-count": "3" }
      ]) {
        const exit = yield* call(headers)
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "does not match argument")
      }
      assert.isTrue(Exit.isSuccess(yield* call({ ...right, "mcp-param-count": "3" }, { count: 3 })))
    })
  )
})
