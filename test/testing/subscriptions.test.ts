import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Peer } from "effect-resolve/testing"
import { bookshop } from "./plainServer.ts"

const registrations = bookshop()

for (const transport of ["http", "stdio"] as const) {
  describe(`subscriptions over ${transport}`, () => {
    it.effect("a listening client of 2026-07-28 hears of what it asked for, and nothing else", () =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ registrations, transport, allowSubscriptions: true })
        const listening = yield* peer.subscribe({ toolsListChanged: true })
        assert.deepStrictEqual(listening.acknowledged, { toolsListChanged: true })
        yield* peer.callTool("touches")
        yield* peer.callTool("adds")
        assert.strictEqual((yield* listening.next).method, "notifications/tools/list_changed")
        yield* listening.close
        yield* peer.settle
        const before = peer.notifications.length
        yield* peer.callTool("adds")
        yield* peer.settle
        assert.strictEqual(peer.notifications.length, before)
      })
    )

    it.effect("a client of 2026-07-28 may listen for one resource", () =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ registrations, transport, allowSubscriptions: true })
        const listening = yield* peer.subscribe({ resourceSubscriptions: ["shop://stock"] })
        yield* peer.callTool("touches")
        const { method, params } = yield* listening.next
        assert.strictEqual(method, "notifications/resources/updated")
        assert.strictEqual(params.uri, "shop://stock")
      })
    )

    it.effect("a client of 2025-11-25 is told of a new tool while a call of its is open", () =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ registrations, transport, protocol: "2025-11-25" })
        const listening = yield* peer.subscribe({ toolsListChanged: true })
        yield* peer.callTool("adds")
        assert.strictEqual((yield* listening.next).method, "notifications/tools/list_changed")
      })
    )
  })
}

it.effect("a client of 2025-11-25 subscribes to a resource over stdio", () =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ registrations, transport: "stdio", protocol: "2025-11-25" })
    const listening = yield* peer.subscribe({ resourceSubscriptions: ["shop://stock"] })
    yield* peer.callTool("touches")
    assert.strictEqual((yield* listening.next).params.uri, "shop://stock")
    yield* listening.close
  })
)

it.effect("a client of 2025-11-25 without an open call hears of a new tool on its own stream", () =>
  Effect.gen(function* () {
    const server = yield* Peer.serve({ registrations })
    const idle = yield* Peer.connect(server, { protocol: "2025-11-25" })
    const other = yield* Peer.connect(server, {})
    yield* other.callTool("adds")
    assert.strictEqual((yield* idle.nextNotification()).method, "notifications/tools/list_changed")
  })
)
