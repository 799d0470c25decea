import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Schema, Scope } from "effect"
import { McpSchema, McpServer, Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"

const success = Schema.String

const Extra = Toolkit.make(Resolve.tool("extra", { success }), Resolve.tool("extra_slow", { success }))

const Shop = Toolkit.make(
  Resolve.tool("add", { success }),
  Resolve.tool("add_again", { success }),
  Resolve.tool("retire", { success }),
  Resolve.tool("release", { success }),
  Resolve.tool("notify", { parameters: Schema.Struct({ what: Schema.String }), success })
)

/** `extra` comes and goes; `extra_slow` begins, and ends when `release` is called. */
const registrations = Layer.unwrap(
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const ExtraLive = Extra.toLayer({
      extra: () => Effect.succeed("extra"),
      extra_slow: () => Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as("slow"))
    })
    const ShopLive = Shop.toLayer(
      Effect.gen(function* () {
        const extra = yield* Resolve.register(Extra)
        return {
          add: () => Effect.as(Effect.orDie(extra.add), "added"),
          add_again: () => Effect.as(Effect.orDie(extra.add), "added"),
          retire: () => Effect.as(extra.remove, "retired"),
          release: Effect.fn(function* () {
            yield* Deferred.await(begun)
            yield* extra.remove
            yield* Deferred.succeed(gate, undefined)
            return "released"
          }),
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
    return Layer.mergeAll(
      Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive), Layer.provide(ExtraLive)),
      Resolve.prompt({ name: "p", content: () => Effect.succeed("p") }),
      Resolve.resource({ uri: "shop://a", name: "a", content: Effect.succeed("a") }),
      Resolve.resource({ uri: "shop://b", name: "b", content: Effect.succeed("b") })
    )
  })
)

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["shop://a"]
}

/** A server with one listening client of each era; `caller` is a third one, of the era under test. */
const shop = Effect.fnUntraced(function* (era: { readonly protocol: Peer.ProtocolVersion }) {
  const server = yield* Peer.serve({ registrations })
  const modern = yield* Peer.connect(server)
  const old = yield* Peer.connect(server, { protocol: "2025-11-25" })
  const caller = yield* Peer.connect(server, era)
  yield* modern.subscribe(everything)
  yield* old.subscribe(everything)
  yield* modern.settle
  return { server, modern, old, caller }
})

const told = (peer: Peer.Peer) =>
  peer.notifications.flatMap(({ method, params }) =>
    method === "notifications/resources/updated"
      ? [params.uri]
      : method.endsWith("/list_changed")
        ? [method.split("/")[1]]
        : []
  )

const names = (peer: Peer.Peer) => Effect.map(peer.listTools, (tools) => tools.map(({ name }) => name))

describe("Lists that change", () => {
  eras("a tool added while serving is there at once, and each client is told once", (era) =>
    Effect.gen(function* () {
      const { modern, old, caller } = yield* shop(era)
      const unknown = yield* Effect.flip(caller.callTool("extra"))
      assert.strictEqual(unknown.message, "Unknown tool: extra")
      yield* caller.callTool("add")
      assert.strictEqual((yield* caller.callTool("extra")).text, "extra")
      assert.include(yield* names(caller), "extra")
      yield* modern.settle
      assert.deepStrictEqual(told(modern), ["tools"])
      assert.deepStrictEqual(told(old), ["tools"])
    })
  )

  eras("a tool retired while serving answers as an unknown one, and each client is told once", (era) =>
    Effect.gen(function* () {
      const { modern, old, caller } = yield* shop(era)
      yield* caller.callTool("add")
      yield* modern.settle
      yield* caller.callTool("retire")
      const unknown = yield* Effect.flip(caller.callTool("extra"))
      assert.deepInclude(unknown, { code: -32602, message: "Unknown tool: extra" })
      assert.notInclude(yield* names(caller), "extra")
      yield* modern.settle
      assert.deepStrictEqual(told(modern), ["tools", "tools"])
      assert.deepStrictEqual(told(old), ["tools", "tools"])
    })
  )

  eras("to add what is there, or to retire what is gone, changes nothing and tells nobody", (era) =>
    Effect.gen(function* () {
      const { modern, old, caller } = yield* shop(era)
      yield* caller.callTool("add")
      yield* modern.settle
      yield* caller.callTool("add")
      yield* caller.callTool("add_again")
      yield* modern.settle
      assert.deepStrictEqual([told(modern), told(old)], [["tools"], ["tools"]])
      yield* caller.callTool("retire")
      yield* modern.settle
      yield* caller.callTool("retire")
      yield* modern.settle
      assert.deepStrictEqual(
        [told(modern), told(old)],
        [
          ["tools", "tools"],
          ["tools", "tools"]
        ]
      )
      // and it may come back
      yield* caller.callTool("add")
      assert.strictEqual((yield* caller.callTool("extra")).text, "extra")
      yield* modern.settle
      assert.lengthOf(told(modern), 3)
      assert.lengthOf(told(old), 3)
    })
  )

  eras("the client whose call makes the change is told once, too", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.subscribe({ toolsListChanged: true })
      yield* peer.callTool("add")
      yield* peer.settle
      assert.deepStrictEqual(told(peer), ["tools"])
    })
  )

  eras("a toolkit of many tools is one change", (era) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 200 }, (_, index) => Resolve.tool(`many_${index}`, { success }))
      const Many: Toolkit.Toolkit<any> = Toolkit.make(...many)
      const Add = Toolkit.make(Resolve.tool("add", { success }))
      const registrations = Resolve.toolkit(Add).pipe(
        Layer.provide(
          Add.toLayer(
            Effect.map(Resolve.register(Many), ({ add }) => ({ add: () => Effect.as(Effect.orDie(add), "added") }))
          )
        ),
        Layer.provide(Many.toLayer(Object.fromEntries(many.map(({ name }) => [name, () => Effect.succeed(name)]))))
      ) as Layer.Layer<never, Resolve.InvalidSignature, McpServer.McpServer>
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.subscribe({ toolsListChanged: true })
      yield* peer.callTool("add")
      yield* peer.settle
      assert.strictEqual((yield* peer.callTool("many_199")).text, "many_199")
      assert.deepStrictEqual(told(peer), ["tools"])
    })
  )

  eras("a client on stdio is told once of each change", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations, transport: "stdio" })
      yield* peer.subscribe({ toolsListChanged: true })
      const before = told(peer).length
      yield* peer.callTool("add")
      yield* peer.settle
      assert.deepStrictEqual(told(peer).slice(before), ["tools"])
      yield* peer.callTool("retire")
      yield* peer.settle
      assert.deepStrictEqual(told(peer).slice(before), ["tools", "tools"])
    })
  )

  eras("a toolkit with a name that is taken is not added, and says which; it is when the name is free again", (era) =>
    Effect.gen(function* () {
      const Second = Toolkit.make(Resolve.tool("second", { success }), Resolve.tool("extra", { success }))
      const Add = Toolkit.make(Resolve.tool("replace", { success }))
      const replacing = Resolve.toolkit(Add).pipe(
        Layer.provide(
          Add.toLayer(
            Effect.map(Resolve.register(Second), ({ add }) => ({
              replace: () => Effect.match(add, { onFailure: ({ message }) => message, onSuccess: () => "new" })
            }))
          )
        ),
        Layer.provide(Second.toLayer({ extra: () => Effect.succeed("second"), second: () => Effect.succeed("") }))
      )
      const peer = yield* Peer.make({ ...era, registrations: Layer.merge(registrations, replacing) })
      yield* peer.subscribe({ toolsListChanged: true })
      yield* peer.callTool("add")
      yield* peer.settle
      const before = told(peer).length
      assert.strictEqual(
        (yield* peer.callTool("replace")).text,
        "Tool 'extra' is registered already; a second one would take its place without a word. Rename one of them"
      )
      yield* peer.settle
      // not even the one whose name is free
      assert.strictEqual((yield* Effect.flip(peer.callTool("second"))).message, "Unknown tool: second")
      assert.strictEqual((yield* peer.callTool("extra")).text, "extra")
      yield* peer.callTool("retire")
      assert.strictEqual((yield* peer.callTool("replace")).text, "new")
      assert.strictEqual((yield* peer.callTool("extra")).text, "second")
      yield* peer.settle
      assert.isAtLeast(told(peer).length, before + 2)
    })
  )

  eras("a call in flight finishes although its tool is retired", (era) =>
    Effect.gen(function* () {
      const { caller } = yield* shop(era)
      yield* caller.callTool("add")
      const [slow] = yield* Effect.all([caller.callTool("extra_slow"), caller.callTool("release")], {
        concurrency: "unbounded"
      })
      assert.strictEqual(slow.text, "slow")
      assert.strictEqual((yield* Effect.flip(caller.callTool("extra_slow"))).message, "Unknown tool: extra_slow")
    })
  )

  for (const what of ["tools", "prompts", "resources", "shop://a"]) {
    eras(`notify: a change of ${what} reaches each client once`, (era) =>
      Effect.gen(function* () {
        const { modern, old, caller } = yield* shop(era)
        yield* caller.callTool("notify", { what })
        yield* modern.settle
        assert.deepStrictEqual(told(modern), [what])
        assert.deepStrictEqual(told(old), [what])
      })
    )
  }

  eras("notify: a client on stdio hears of each change once", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations, transport: "stdio" })
      yield* peer.subscribe(everything)
      const before = told(peer).length
      const changes = ["tools", "prompts", "resources", "shop://a"]
      for (const what of [...changes, "shop://b"]) {
        yield* peer.callTool("notify", { what })
        yield* peer.settle
      }
      assert.deepStrictEqual(told(peer).slice(before), changes)
    })
  )

  eras("notify: a resource that nobody watches is told to nobody", (era) =>
    Effect.gen(function* () {
      const { modern, old, caller } = yield* shop(era)
      yield* caller.callTool("notify", { what: "shop://b" })
      yield* modern.settle
      assert.deepStrictEqual([told(modern), told(old)], [[], []])
    })
  )

  it.effect("notify: a listen stream hears only what it asked for, stamped with its id", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const prompts = yield* peer.subscribe({
        promptsListChanged: true,
        toolsListChanged: false,
        resourceSubscriptions: ["shop://a"]
      })
      assert.deepStrictEqual(prompts.acknowledged, { promptsListChanged: true, resourceSubscriptions: ["shop://a"] })
      for (const what of ["tools", "prompts", "shop://b", "shop://a"]) yield* peer.callTool("notify", { what })
      yield* peer.settle
      const stamp = { "io.modelcontextprotocol/subscriptionId": prompts.id }
      assert.deepStrictEqual(
        peer.notifications.filter(({ method }) => !method.endsWith("/acknowledged")),
        [
          { method: "notifications/prompts/list_changed", params: { _meta: stamp } },
          { method: "notifications/resources/updated", params: { _meta: stamp, uri: "shop://a" } }
        ]
      )
    })
  )

  it.effect("notify: a listen stream that asked for nothing is acknowledged, and silent", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const nothing = yield* peer.subscribe({})
      assert.deepStrictEqual(nothing.acknowledged, {})
      for (const what of ["tools", "prompts", "resources", "shop://a"]) yield* peer.callTool("notify", { what })
      yield* peer.settle
      assert.deepStrictEqual(told(peer), [])
    })
  )

  it.effect("notify: two listen streams of one client each have their own id and their own changes", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations })
      const one = yield* peer.subscribe({ toolsListChanged: true })
      const two = yield* peer.subscribe({ promptsListChanged: true })
      assert.notStrictEqual(one.id, two.id)
      yield* peer.callTool("notify", { what: "prompts" })
      yield* peer.callTool("notify", { what: "tools" })
      assert.strictEqual((yield* one.next).method, "notifications/tools/list_changed")
      assert.strictEqual((yield* two.next).method, "notifications/prompts/list_changed")
      yield* one.close
      yield* peer.callTool("notify", { what: "tools" })
      yield* peer.callTool("notify", { what: "prompts" })
      assert.strictEqual((yield* two.next).method, "notifications/prompts/list_changed")
      yield* peer.settle
      assert.deepStrictEqual(told(peer), ["prompts", "tools", "prompts"])
    })
  )
})

describe("Registrations are scoped", () => {
  const Prompts = Layer.mergeAll(
    Resolve.prompt({
      name: "blurb",
      parameters: { title: Schema.optional(Schema.String) },
      completion: { title: () => Effect.succeed(["Dune"]) },
      content: () => Effect.succeed("blurb")
    }),
    Resolve.resource({ uri: "shop://genres", name: "genres", content: Effect.succeed("fiction") }),
    Resolve.resourceTemplate`shop://books/${McpSchema.param("title", Schema.String)}`({
      name: "book",
      content: (_, title) => Effect.succeed(title)
    }),
    Resolve.toolkit(Extra).pipe(
      Layer.provide(Extra.toLayer({ extra: () => Effect.succeed("extra"), extra_slow: () => Effect.succeed("slow") }))
    )
  )
  const Close = Toolkit.make(Resolve.tool("close", { success }))

  eras("what a Layer registered is retired when its scope closes, and clients are told once of each list", (era) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const registrations = Layer.mergeAll(
        Layer.effectDiscard(
          Effect.flatMap(McpServer.McpServer, (server) =>
            Layer.buildWithScope(Layer.provide(Prompts, Layer.succeed(McpServer.McpServer, server)), scope)
          )
        ),
        Resolve.toolkit(Close).pipe(
          Layer.provide(Close.toLayer({ close: () => Effect.as(Scope.close(scope, Exit.void), "closed") }))
        )
      )
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.subscribe({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
      assert.strictEqual((yield* peer.getPrompt("blurb")).text, "blurb")
      assert.strictEqual((yield* peer.readResource("shop://books/Dune")).text, "Dune")
      const complete = peer.complete({
        ref: { type: "ref/prompt", name: "blurb" },
        argument: { name: "title", value: "" }
      })
      assert.deepStrictEqual(yield* complete, ["Dune"])
      yield* peer.callTool("close")
      yield* peer.settle
      assert.deepInclude(yield* Effect.flip(complete), {
        code: -32602,
        message: "Unknown completion reference or argument"
      })
      assert.deepStrictEqual(told(peer).toSorted(), ["prompts", "resources", "tools"])
      assert.deepStrictEqual(yield* names(peer), ["close"])
      assert.deepStrictEqual(yield* peer.listPrompts, [])
      assert.deepStrictEqual(yield* peer.listResources, [])
      assert.deepStrictEqual(yield* peer.listResourceTemplates, [])
      const messages = yield* Effect.forEach(
        [
          Effect.asVoid(peer.callTool("extra")),
          Effect.asVoid(peer.getPrompt("blurb")),
          Effect.asVoid(peer.readResource("shop://genres")),
          Effect.asVoid(peer.readResource("shop://books/Dune"))
        ],
        (call) => Effect.map(Effect.flip(call), ({ message }) => message)
      )
      assert.deepStrictEqual(messages, [
        "Unknown tool: extra",
        "Unknown prompt: blurb",
        "Unknown resource: shop://genres",
        "Unknown resource: shop://books/Dune"
      ])
    })
  )
})
