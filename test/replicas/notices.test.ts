/** Two servers whose clients hear of what was done on the other one. */
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, PubSub, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { McpContext, Notices, Resolve, ResolveServer } from "effect-resolve"
import * as NoticesRedis from "effect-resolve/NoticesRedis"
import { eras, Peer } from "effect-resolve/testing"
import { redisAt } from "../journal/stores.ts"
import * as Parts from "./parts.ts"

const Extra = Toolkit.make(Resolve.tool("extra", { success: Schema.String }))
const Shop = Toolkit.make(
  Resolve.tool("add", { success: Schema.String }),
  Resolve.tool("remove", { success: Schema.String }),
  Resolve.tool("notify", { parameters: Schema.Struct({ what: Schema.String }), success: Schema.String })
)

// a server without them does not tell of their changes
const listed = Layer.mergeAll(
  Resolve.resource({ uri: "shop://a", name: "a", content: Effect.succeed("a") }),
  Resolve.resource({ uri: "shop://b", name: "b", content: Effect.succeed("b") }),
  Resolve.prompt({ name: "p", content: () => Effect.succeed("p") })
)

const registrations = Resolve.toolkit(Shop).pipe(
  Layer.provide(
    Shop.toLayer(
      Effect.gen(function* () {
        const extra = yield* Resolve.register(Extra)
        return {
          add: () => Effect.as(Effect.orDie(extra.add), "added"),
          remove: () => Effect.as(extra.remove, "removed"),
          notify: Effect.fn(function* ({ what }) {
            const mcp = yield* McpContext.McpContext
            if (what === "tools") yield* mcp.notifyToolsChanged
            if (what === "prompts") yield* mcp.notifyPromptsChanged
            if (what === "resources") yield* mcp.notifyResourcesChanged
            if (what.startsWith("shop://")) yield* mcp.notifyResourceUpdated(what)
            return what
          })
        }
      })
    )
  ),
  Layer.provide(Extra.toLayer({ extra: () => Effect.succeed("extra") })),
  Layer.merge(listed)
)

const serve = <E>(notices: Layer.Layer<never, E>) =>
  Peer.serveHttp(
    ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations }).pipe(
      Layer.provide(notices)
    )
  )

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["shop://a", "shop://b"]
}

const heard = (peer: Peer.Peer) =>
  Effect.map(peer.nextNotification(), ({ method, params }) => params?.uri ?? method.split("/")[1])

const changes = (peer: Peer.Peer) => peer.notifications.filter(({ method }) => /changed$|updated$/.test(method)).length

/** A client of `era` on the first server, and one of each era that listens on the second. */
const shop = <E>(era: { readonly protocol: Peer.ProtocolVersion }, notices: () => Layer.Layer<never, E>) =>
  Effect.gen(function* () {
    const [a, b] = [yield* serve(notices()), yield* serve(notices())]
    const caller = yield* Peer.connect(a, era)
    const modern = yield* Peer.connect(b)
    const old = yield* Peer.connect(b, { protocol: "2025-11-25" })
    yield* modern.subscribe(everything)
    yield* old.subscribe(everything)
    yield* modern.settle
    return { caller, modern, old }
  })

/** A way for notices to travel that is in this process. */
const inMemory = Effect.map(
  PubSub.unbounded<{ readonly from: object; readonly notice: Notices.Notice }>(),
  (hub) => () => {
    const from = {}
    return Notices.layer({
      publish: (notice) => Effect.asVoid(PubSub.publish(hub, { from, notice })),
      listen: (tell) =>
        Effect.scoped(
          Effect.flatMap(PubSub.subscribe(hub), (messages) =>
            Effect.forever(
              Effect.flatMap(PubSub.take(messages), (said) => (said.from === from ? Effect.void : tell(said.notice)))
            )
          )
        )
    })
  }
)

describe("notices between replicas", () => {
  eras("a change made through one replica is heard by clients of another, of both protocols", (era) =>
    Effect.gen(function* () {
      const { caller, modern, old } = yield* shop(era, yield* inMemory)
      for (const what of ["tools", "prompts", "resources", "shop://a"]) {
        yield* caller.callTool("notify", { what })
        assert.deepStrictEqual([yield* heard(modern), yield* heard(old)], [what, what])
      }
      yield* caller.callTool("add")
      assert.deepStrictEqual([yield* heard(modern), yield* heard(old)], ["tools", "tools"])
      // the notice travels, the tool does not
      assert.notInclude(
        (yield* modern.listTools).map(({ name }) => name),
        "extra"
      )
      yield* caller.callTool("remove")
      assert.deepStrictEqual([yield* heard(modern), yield* heard(old)], ["tools", "tools"])
      yield* modern.settle
      assert.deepStrictEqual([changes(modern), changes(old)], [6, 6])
    })
  )

  eras("without them a change is heard on its own replica alone", (era) =>
    Effect.gen(function* () {
      const { caller, modern, old } = yield* shop(era, () => Layer.empty)
      yield* caller.callTool("notify", { what: "tools" })
      yield* modern.settle
      assert.deepStrictEqual([changes(modern), changes(old)], [0, 0])
    })
  )
})

describe.skipIf(Parts.isMissing("redis"))("notices on Redis", () => {
  eras("are heard on another replica, and again after Redis was away", (era) =>
    Effect.gen(function* () {
      const redis = yield* Parts.redis
      const { caller, modern, old } = yield* shop(era, () =>
        Layer.orDie(NoticesRedis.layer().pipe(Layer.provide(redisAt(redis.port))))
      )
      const clients = [modern, old]
      /** Tells again and again until every client has heard: the subscription may be on its way. */
      const until = (what: string) =>
        Effect.gen(function* () {
          const waiting = yield* Effect.forEach(clients, (client) => Effect.forkChild(heard(client)))
          for (;;) {
            yield* caller.callTool("notify", { what })
            yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
            if (waiting.every((fiber) => fiber.pollUnsafe() !== undefined)) break
          }
          return yield* Effect.forEach(waiting, Fiber.join)
        })
      assert.deepStrictEqual(yield* until("shop://a"), ["shop://a", "shop://a"])
      yield* Effect.promise(() => redis.kill())
      // nobody is held up, and nobody hears
      yield* caller.callTool("notify", { what: "shop://a" })
      yield* Effect.promise(() => redis.restart())
      const later = yield* until("shop://b")
      assert.isTrue(later.every((uri) => uri === "shop://a" || uri === "shop://b"))
    })
  )
})
