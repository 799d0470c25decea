/** The official clients check what they are told: results against their schema, failures with their fields, headers. */
import { assert, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { Peer } from "effect-resolve/testing"

class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { title: Schema.String, back: Schema.Date }) {}

const Receipt = Schema.Struct({
  id: Schema.String,
  note: Schema.optional(Schema.String),
  at: Schema.Date,
  tags: Schema.ReadonlySet(Schema.String),
  weight: Schema.Number
})

const Shop = Toolkit.make(
  Resolve.tool("order", {
    parameters: Schema.Struct({
      title: Schema.String,
      when: Schema.Date,
      limit: Schema.optional(Schema.Int),
      region: Schema.optionalKey(Schema.String.annotate({ "x-mcp-header": "Region" }))
    }),
    success: Receipt,
    failure: OutOfStock
  }).annotate(Resolve.FailureFields, true)
)

const registrations = Resolve.toolkit(Shop).pipe(
  Layer.provide(
    Shop.toLayer({
      order: ({ title, when }) =>
        title === "Dune"
          ? Effect.succeed({ id: "1", note: undefined, at: when, tags: new Set(["a"]), weight: Number.NaN })
          : Effect.fail(new OutOfStock({ title, back: when }))
    })
  )
)

const clientInfo = { name: "official", version: "1.0.0" }
type Fetch = (url: URL | string, init?: RequestInit) => Promise<Response>

const v2 = (protocol: Peer.ProtocolVersion) => async (fetch: Fetch, url: string) => {
  const pinned = protocol === "2026-07-28" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } as const } : {}
  const client = new ClientV2(clientInfo, { capabilities: {}, ...pinned })
  await client.connect(new HttpV2(new URL(url), { fetch }))
  return client
}

const v1 = async (fetch: Fetch, url: string) => {
  const client = new ClientV1(clientInfo, { capabilities: {} })
  // the v1 transport's optional members do not allow undefined under exactOptionalPropertyTypes
  await client.connect(new HttpV1(new URL(url), { fetch }) as unknown as Parameters<typeof client.connect>[0])
  return client
}

const when = "2026-01-01T00:00:00.000Z"

for (const [name, connect] of [
  ["v2, 2026-07-28", v2("2026-07-28")],
  ["v2, 2025-11-25", v2("2025-11-25")],
  ["v1, 2025-11-25", v1]
] as const) {
  it.effect(`the official client takes results and failures as they are encoded [${name}]`, () =>
    Effect.gen(function* () {
      const server = yield* Peer.serve({ registrations })
      yield* Effect.promise(async () => {
        const client: any = await connect(server.fetch, server.url)
        const { tools } = await client.listTools()
        assert.deepStrictEqual(
          tools.map(({ name }: any) => name),
          ["order"]
        )
        const call = (args: object) => client.callTool({ name: "order", arguments: args })
        const result = await call({ title: "Dune", when, limit: null, region: "eu" })
        assert.deepStrictEqual(result.structuredContent, { id: "1", note: null, at: when, tags: ["a"], weight: "NaN" })
        const failure = await call({ title: "Emma", when })
        assert.isTrue(failure.isError)
        assert.isUndefined(failure.structuredContent)
        assert.deepStrictEqual(failure._meta["effect-resolve/failure"], {
          _tag: "OutOfStock",
          title: "Emma",
          back: when
        })
        await client.close()
      })
    })
  )
}
