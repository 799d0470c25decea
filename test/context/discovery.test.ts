import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { Copies, registrations } from "../features/shop.ts"
import { asked } from "../rules/kit.ts"

const shop = Layer.provide(registrations, Copies.layer)

const Bare = Toolkit.make(Resolve.tool("bare", { success: Schema.String }))
const tools = Resolve.toolkit(Bare).pipe(Layer.provide(Bare.toLayer({ bare: () => Effect.succeed("bare") })))

const serverInfo = "io.modelcontextprotocol/serverInfo"

describe("What a server says of itself", () => {
  eras("lists that change and resources that are watched are announced, since clients of both eras are told", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      const { capabilities } = yield* peer.discover
      assert.isTrue(capabilities.tools.listChanged)
      assert.isTrue(capabilities.prompts.listChanged)
      assert.deepStrictEqual(capabilities.resources, { listChanged: true, subscribe: true })
    })
  )

  eras("what is not registered is not announced", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: tools })
      const { capabilities } = yield* peer.discover
      assert.isDefined(capabilities.tools)
      assert.isUndefined(capabilities.prompts)
      assert.isUndefined(capabilities.resources)
    })
  )

  eras.of("2025-11-25")("an older client has no listen stream; it subscribes to a resource by its method", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      const listen = yield* Effect.flip(
        peer.request("subscriptions/listen", { notifications: { toolsListChanged: true } })
      )
      assert.strictEqual(listen.code, -32601)
      assert.deepStrictEqual(yield* peer.request("resources/subscribe", { uri: "shop://mood" }), {})
      assert.deepStrictEqual(yield* peer.request("resources/unsubscribe", { uri: "shop://mood" }), {})
    })
  )

  it.effect("the methods of an older client's subscriptions are unknown on 2026-07-28", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: shop })
      const error = yield* Effect.flip(peer.request("resources/subscribe", { uri: "shop://mood" }))
      assert.strictEqual(error.code, -32601)
    })
  )

  it.effect("every result of 2026-07-28 says what it is and who gave it, a question included", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: shop, name: "Bookshop", version: "1.2.3" })
      const complete = [
        (yield* peer.callTool("blurb", { title: "Dune" })).raw,
        (yield* peer.getPrompt("blurb", { title: "Dune" })).raw,
        (yield* peer.readResource("shop://blurbs/Dune")).raw,
        yield* peer.request("tools/list"),
        yield* peer.request("resources/list")
      ]
      const questions = [
        asked(yield* peer.callToolOnce("blurb", { title: "Emma" })).raw,
        asked(yield* peer.once("prompts/get", { name: "blurb", arguments: { title: "Emma" } })).raw,
        asked(yield* peer.once("resources/read", { uri: "shop://blurbs/Emma" })).raw
      ]
      for (const [resultType, results] of [
        ["complete", complete],
        ["input_required", questions]
      ] as const) {
        for (const result of results) {
          assert.strictEqual(result.resultType, resultType)
          assert.deepStrictEqual(result._meta[serverInfo], { name: "Bookshop", version: "1.2.3" })
        }
      }
      for (const question of questions) {
        assert.sameMembers(Object.keys(question), ["_meta", "resultType", "inputRequests", "requestState"])
      }
    })
  )
})
