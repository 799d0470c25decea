/**
 * Every schema that a user may reach for, through a server: what is listed can be called, what is called can be returned,
 * and what can be a field of a form is asked. The table is printed.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Equal, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Elicitation, Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { observed, type Registrations, resolver, tool } from "../rules/kit.ts"
import { rows } from "./schemas.ts"

const names = Object.keys(rows)
const toolName = (name: string) => name.replaceAll(/\W/g, "_")

/** One tool per schema, which gives back what it was given. */
const echo = () => {
  const got = new Map<string, unknown>()
  const registrations = names.map((name) => {
    const { schema } = rows[name]!
    const fields = Schema.Struct({ v: schema })
    return tool(toolName(name), { parameters: fields, success: fields }, (args) =>
      Effect.sync(() => {
        got.set(name, args.v)
        return args
      })
    )
  })
  return { got, registrations: Layer.mergeAll(registrations[0]!, ...registrations.slice(1)) }
}

const same = (left: unknown, right: unknown): boolean => {
  if (Equal.equals(left, right)) return true
  try {
    assert.deepStrictEqual(left, right)
    return true
  } catch {
    return false
  }
}

describe("forty schemas", () => {
  eras("are listed, called, returned, and refused in words, each", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const { got, registrations } = echo()
        const peer = yield* Peer.make({ ...era, registrations })
        const listed = yield* peer.listTools
        const table: Array<string> = []
        for (const name of names) {
          const {
            answer: [answer, meant] = [rows[name]!.json, rows[name]!.value],
            bad,
            json,
            schema,
            value
          } = rows[name]!
          const { inputSchema } = listed.find((tool) => tool.name === toolName(name))!
          const shown = (inputSchema as any).properties.v !== undefined
          const result = yield* peer.callTool(toolName(name), { v: json })
          const called = same(got.get(name), value)
          const returned = result.isError !== true && same(JSON.parse(result.text), { v: json })
          const refused = bad === undefined ? undefined : yield* peer.callTool(toolName(name), { v: bad })
          const field = Schema.Struct({ v: schema })
          const q = resolver("q", {}, () => Elicitation.form({ message: "?", schema: field as any }))
          const form = yield* Peer.make({
            ...era,
            registrations: tool("ask", { dependencies: [q] }, () =>
              Effect.map(q.get, ({ v }) => String(same(v, meant)))
            ),
            answers: { q: Answer.optional(Answer.accept({ v: answer })) }
          })
          const { text: asked } = yield* form.callTool("ask")
          const reason = /cannot be shown: (.*)/.exec(asked)?.[1]
          const cells = [
            shown ? "listed" : "NOT LISTED",
            called ? "called" : "NOT CALLED",
            returned ? "returned" : "NOT RETURNED",
            asked === "true" ? "asked" : reason === undefined ? `NOT ASKED: ${asked}` : `no form: ${reason}`,
            refused === undefined ? "takes all" : refused.isError ? refused.text.replace(/.*?: /, "") : "NOT REFUSED"
          ]
          table.push(`${name.padEnd(24)}| ${cells.join(" | ")}`)
        }
        yield* Effect.sync(() => process.stdout.write(`${era.protocol}\n${table.join("\n")}\n`))
        assert.isAtLeast(table.length, 40)
        assert.deepStrictEqual(
          table.filter((line) => line.includes("NOT ")),
          []
        )
        assert.deepStrictEqual(
          logs.filter((line) => line.includes("level=ERROR")),
          []
        )
      })
    )
  )
})

describe("results", () => {
  const Fields = Schema.Struct({ id: Schema.String, note: Schema.optional(Schema.String) })

  const called = (era: { protocol: Peer.ProtocolVersion }, success: Schema.Codec<any, any>, value: unknown) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: tool("t", { success }, () => Effect.succeed(value)) })
      return yield* peer.callTool("t")
    })

  eras("an undefined member of an optional is null on the wire, and one that is absent is absent", (era) =>
    Effect.gen(function* () {
      const result = yield* called(era, Fields, { id: "a", note: undefined })
      assert.strictEqual(result.text, '{"id":"a","note":null}')
      assert.deepStrictEqual(result.structuredContent, { id: "a", note: null })
      assert.strictEqual((yield* called(era, Fields, { id: "a" })).text, '{"id":"a"}')
    })
  )

  for (const [what, success] of [
    ["Void", Schema.Void],
    ["Undefined", Schema.Undefined]
  ] as const) {
    eras(`a result of ${what} has no content`, (era) =>
      Effect.gen(function* () {
        const { content, isError, structuredContent } = yield* called(era, success, undefined)
        assert.deepStrictEqual([content, structuredContent, isError ?? false], [[], undefined, false])
      })
    )
  }

  eras("a tool without `success` has no content", (era) =>
    Effect.gen(function* () {
      const Kit = Toolkit.make(Tool.make("t"))
      const registrations = Resolve.toolkit(Kit).pipe(Layer.provide(Kit.toLayer({ t: () => Effect.void })))
      const peer = yield* Peer.make({ ...era, registrations: registrations as Registrations })
      const { content, isError } = yield* peer.callTool("t")
      assert.deepStrictEqual([content, isError ?? false], [[], false])
    })
  )

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const bad: ReadonlyArray<readonly [string, Schema.Codec<any, any>, unknown]> = [
    ["a fraction for an Int", Schema.Int, 1.5],
    ["a member that is missing", Fields, { note: "x" }],
    ["undefined in Unknown", Schema.Unknown, { a: undefined }],
    ["a Date in Unknown", Schema.Unknown, { at: new Date(0) }],
    ["NaN in Any", Schema.Any, { n: Number.NaN }],
    ["a bigint in Any", Schema.Any, { n: 1n }],
    ["a function in a record", Schema.Record(Schema.String, Schema.Any), { f: () => 1 }],
    ["what holds itself", Schema.Unknown, cyclic]
  ]
  for (const [what, success, value] of bad) {
    eras(`${what} is an internal error, and its cause is in the log with the tool's name`, (era) =>
      observed(({ logs }) =>
        Effect.gen(function* () {
          const result = yield* called(era, success, value)
          assert.deepStrictEqual([result.isError, result.text], [true, "Error executing tool t: internal error"])
          assert.isNotEmpty(logs)
          assert.include(logs.join("\n"), "t")
        })
      )
    )
  }
})
