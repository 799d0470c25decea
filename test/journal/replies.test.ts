/** Whatever a round may be answered with is given back byte for byte. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { Elicitation, Journal, Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, resolver, tool, Yes } from "../rules/kit.ts"
import { lastReply, replica, textStore, yes } from "./kit.ts"

const modern = eras.of("2026-07-28")

const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
let runs = 0
const once = <A>(value: A) =>
  Effect.sync(() => {
    runs++
    return value
  })

const bytes = new Uint8Array([0, 1, 254, 255])
const everything = new McpSchema.CallToolResult({
  content: [
    { type: "text", text: "zażółć 😀 \u2028", annotations: { audience: ["user"], priority: 0.5 } },
    { type: "image", data: bytes, mimeType: "image/png" },
    { type: "audio", data: bytes, mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "shop://a", text: "a", mimeType: "text/plain" } },
    { type: "resource", resource: { uri: "shop://b", blob: bytes } },
    { type: "resource_link", uri: "shop://c", name: "c" }
  ] as any, // plain objects, as a program may write them
  structuredContent: { z: [1, null, { b: 2, a: 1 }], a: "x" },
  _meta: { "shop/z": 1, "shop/a": [true] }
})

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { title: Schema.String }) {}

const bodies: { readonly [name: string]: readonly [options: object, body: Effect.Effect<unknown, unknown>] } = {
  "a text": [{}, once("done")],
  "a structure": [
    {
      success: Schema.Struct({ at: Schema.Date, tags: Schema.Array(Schema.String), n: Schema.optional(Schema.Number) })
    },
    once({ at: new Date(0), tags: ["b", "a"], n: undefined })
  ],
  nothing: [{ success: Schema.Void }, once(undefined)],
  "every kind of content": [{ success: Schema.Any }, once(everything)],
  "a result of its own that is an error": [
    { success: Schema.Any },
    once(new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: "no" }] }))
  ],
  "a declared failure": [
    { failure: OutOfStock },
    Effect.flatMap(once(0), () => Effect.fail(new OutOfStock({ title: "Dune" })))
  ],
  "a defect": [{}, Effect.flatMap(once(0), () => Effect.die("broken"))]
}

const same = (era: { readonly protocol: Peer.ProtocolVersion }, registrations: any, method: string, params: any) =>
  Effect.gen(function* () {
    runs = 0
    const { store } = textStore()
    const peer = yield* Peer.make({ ...era, registrations: replica(registrations, Journal.layer(store)) })
    const other = yield* Peer.make({ ...era, registrations: replica(registrations, Journal.layer(store)) })
    const round = asked<any>(yield* peer.once(method, params))
    yield* Effect.exit(peer.retry(round, yes))
    const first = lastReply(peer)
    yield* Effect.exit(other.retry(round, yes))
    assert.strictEqual(lastReply(other), first)
    assert.strictEqual(runs, 1)
    return first
  })

describe("a journal of texts gives back", () => {
  for (const [name, [options, body]] of Object.entries(bodies)) {
    modern(`${name}, of a tool`, (era) =>
      Effect.asVoid(
        same(
          era,
          tool("t", { ...options, dependencies: [ask] }, () => body),
          "tools/call",
          { name: "t", arguments: {} }
        )
      )
    )
  }

  modern("a prompt, and one that fails", (era) =>
    Effect.gen(function* () {
      for (const content of [once("p"), Effect.flatMap(once(0), () => Effect.die("broken"))]) {
        const prompt: any = Resolve.prompt({ name: "p", dependencies: [ask] as any, content: () => content } as any)
        yield* same(era, prompt, "prompts/get", { name: "p" })
      }
    })
  )

  modern("a resource, of text and of bytes", (era) =>
    Effect.gen(function* () {
      for (const content of [once("a"), once(bytes)]) {
        const resource: any = Resolve.resource({
          uri: "shop://a",
          name: "a",
          dependencies: [ask] as any,
          content
        } as any)
        yield* same(era, resource, "resources/read", { uri: "shop://a" })
      }
    })
  )
})
