import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { facts, places, registrations } from "./probe.ts"

const acme = { name: "acme-agent", version: "9.9.9" }

for (const transport of ["http", "stdio"] as const) {
  describe(`McpContext over ${transport}`, () => {
    for (const [place, ask] of places) {
      eras(`in ${place} over ${transport}, the request id is the client's own, in its own type`, (era) =>
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, transport, registrations })
          assert.strictEqual((yield* ask(peer, { id: 7777 })).requestId, 7777)
          assert.strictEqual((yield* ask(peer, { id: "seven" })).requestId, "seven")
          assert.strictEqual((yield* ask(peer, { id: "8888" })).requestId, "8888")
        })
      )

      eras(`in ${place} over ${transport}, what the client said of itself and of the request is there`, (era) =>
        Effect.gen(function* () {
          const capabilities = { elicitation: { form: {} }, roots: {} }
          const peer = yield* Peer.make({ ...era, transport, registrations, clientInfo: acme, capabilities })
          const seen = yield* ask(peer, { meta: { "shop/branch": "north", progressToken: 0 } })
          assert.strictEqual(seen.protocolVersion, era.protocol)
          assert.deepStrictEqual(seen.clientInfo, acme)
          assert.deepStrictEqual(seen.clientCapabilities, capabilities)
          assert.strictEqual(seen.meta["shop/branch"], "north")
          assert.strictEqual(seen.meta.progressToken, 0)
        })
      )
    }
  })
}

describe("McpContext", () => {
  for (const [place, ask] of places) {
    eras(`in ${place}, headers are those of the HTTP request, and the session is that of an older client`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations })
        const seen = yield* ask(peer, { headers: { "X-Lang": "fr" } })
        assert.strictEqual(seen.headers?.["x-lang"], "fr")
        assert.strictEqual((yield* ask(peer)).headers?.["x-lang"], undefined)
        assert.strictEqual(seen.sessionId, peer.sessionId ?? null)
        assert.strictEqual(seen.sessionId !== null, era.protocol === "2025-11-25")
      })
    )

    eras(`in ${place}, there are no headers and no session on stdio`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations, transport: "stdio" })
        const seen = yield* ask(peer)
        assert.isNull(seen.headers)
        assert.isNull(seen.sessionId)
      })
    )

    eras(`in ${place}, the request id is None on effect/ai's own adapters`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations, serving: "effect/ai" })
        const seen = yield* ask(peer, { id: 7 })
        assert.isNull(seen.requestId)
        assert.strictEqual(seen.protocolVersion, era.protocol)
      })
    )
  }

  eras("each request has its own, two at once included", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const seen = yield* Effect.forEach(
        [101, 102, 103],
        (id) =>
          Effect.map(places[1]![1](peer, { id, meta: { mine: id } }), ({ requestId, meta }) => [requestId, meta.mine]),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(seen, [
        [101, 101],
        [102, 102],
        [103, 103]
      ])
    })
  )

  eras("it is in no input schema", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      for (const { inputSchema } of yield* peer.listTools) {
        assert.deepStrictEqual(inputSchema.properties ?? {}, {})
        assert.isUndefined(inputSchema.required)
      }
    })
  )

  it.effect("a client without a name is None on 2026-07-28", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const seen = yield* places[0]![1](peer, { meta: { "io.modelcontextprotocol/clientInfo": undefined } })
      assert.isNull(seen.clientInfo)
    })
  )

  const Shop = Toolkit.make(
    Resolve.tool("facts", { success: Schema.String }),
    Resolve.tool("outer", { success: Schema.String }),
    Resolve.tool("quiet", { success: Schema.String })
  )
  const ShopLive = Shop.toLayer({
    facts: () => facts,
    outer: () => Effect.provide(Resolve.call(Shop, "facts", {}), FactsLive).pipe(Effect.orDie),
    quiet: Effect.fn(function* () {
      yield* McpContext.reportProgress({ progress: 1 })
      yield* McpContext.notifyToolsChanged
      yield* McpContext.notifyPromptsChanged
      yield* McpContext.notifyResourcesChanged
      yield* McpContext.notifyResourceUpdated("a://b")
      yield* McpContext.elicitComplete("e")
      const read = yield* Effect.flip(McpContext.readResource("catalog://genres"))
      const accessors = yield* Effect.all([
        McpContext.requestId,
        McpContext.clientInfo,
        McpContext.headers,
        McpContext.sessionId
      ])
      return `${accessors.every((member) => Option.isNone<unknown>(member))} ${read.message}`
    }, Effect.orDie)
  })
  const FactsLive = Toolkit.make(Shop.tools.facts).toLayer({ facts: () => facts })

  it.effect("in process it is there, and empty", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(JSON.parse(yield* Resolve.call(Shop, "facts", {})), {
        requestId: null,
        protocolVersion: "",
        clientCapabilities: {},
        clientInfo: null,
        headers: null,
        sessionId: null,
        meta: {}
      })
    }).pipe(Effect.provide(ShopLive))
  )

  it.effect("in process nothing is sent, and no resource is known", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Resolve.call(Shop, "quiet", {}), "true Unknown resource: catalog://genres")
    }).pipe(Effect.provide(ShopLive))
  )

  eras("a call made inside a request's call has that request at hand", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
      })
      const seen = JSON.parse((yield* peer.callTool("outer", {}, { id: 42 })).text)
      assert.strictEqual(seen.requestId, 42)
      assert.strictEqual(seen.protocolVersion, era.protocol)
    })
  )
})
