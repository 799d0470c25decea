import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Graph, Layer, Schema } from "effect"
import { McpServer, Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import { Peer } from "effect-resolve/testing"
import { type Registrations, resolver, tool } from "./kit.ts"

const done = () => Effect.succeed("done")
const none = () => Effect.void

/** What registering such a list says. */
const refused = (dependencies: ReadonlyArray<any> | (() => ReadonlyArray<any>), parameters: any = Schema.Struct({})) =>
  Effect.map(Effect.flip(Peer.make({ registrations: tool("order", { dependencies, parameters }, done) })), (error) => {
    assert.instanceOf(error, Resolve.InvalidSignature)
    return error as Resolve.InvalidSignature
  })

describe("I12", () => {
  it.effect("I12: a cycle fails registration, named by tool, resolvers and the whole path", () =>
    Effect.gen(function* () {
      const a: any = resolver("a", { dependencies: () => [b] }, none)
      const b: any = resolver("b", { dependencies: () => [c] }, none)
      const c: any = resolver("c", { dependencies: () => [a] }, none)
      const top = resolver("top", { dependencies: [a] }, none)
      const error = yield* refused([top])
      assert.strictEqual(
        error.message,
        "Tool 'order': its resolvers wait for each other in a cycle: a -> b -> c -> a (path: top -> a -> b -> c -> a)"
      )
      assert.deepStrictEqual([error.owner, error.path], ["Tool 'order'", ["top", "a", "b", "c", "a"]])
    })
  )

  it.effect("I12: a resolver that needs itself, and one that needs its own `.result`, are cycles", () =>
    Effect.gen(function* () {
      const self: any = resolver("self", { dependencies: () => [self] }, none)
      assert.include((yield* refused([self])).message, "in a cycle: self -> self")
      const result: any = resolver("result", { dependencies: () => [result.result] }, none)
      assert.include((yield* refused([result])).message, "in a cycle: result -> result")
    })
  )

  it.effect("I12: a forward reference without a thunk is told, with what to write", () =>
    Effect.gen(function* () {
      const early = resolver("early", { dependencies: [undefined] }, none)
      const { message } = yield* refused([early])
      assert.include(message, "Tool 'order'")
      assert.include(message, "a forward reference? Write `dependencies: () => [..]`")
      assert.include((yield* refused([undefined])).message, "forward reference")
    })
  )

  it.effect("I12: a resolver whose `resolve` is missing, or is an Effect and no function, fails registration", () =>
    Effect.gen(function* () {
      const top = (low: any) => resolver("top", { dependencies: [low] }, none)
      assert.strictEqual(
        (yield* refused([top(resolver("low", {}, undefined as any))])).message,
        "Tool 'order': resolver 'low' has no function under 'resolve', but nothing; write `resolve: (args) => ..`, which gives an Effect (path: top -> low)"
      )
      const error = yield* refused([top(resolver("low", {}, Effect.succeed(1) as any))])
      assert.include(error.message, "resolver 'low' has no function under 'resolve', but a value of type object")
      assert.deepStrictEqual(error.path, ["top", "low"])
    })
  )

  it.effect("I12: a chain of 100,000 resolvers has a plan, and a list of 10,000 that lists each twice", () =>
    Effect.gen(function* () {
      let last = resolver("r0", {}, none)
      for (let i = 1; i < 100_000; i++) last = resolver(`r${i}`, { dependencies: [last] }, none)
      const drawn = yield* Resolve.graph(Toolkit.make(Resolve.tool("t", { dependencies: [last as any] })))
      assert.strictEqual(Graph.nodeCount(drawn), 100_001)
      const wide = Array.from({ length: 10_000 }, (_, i) => resolver(`w${i}`, {}, none) as any)
      const twice = yield* Resolve.graph(Toolkit.make(Resolve.tool("t", { dependencies: [...wide, ...wide] })))
      assert.strictEqual(Graph.edgeCount(twice), 10_000)
    })
  )

  it.effect("I12: an interface key is filled, at any depth, by the resolver that the tool lists for it", () =>
    Effect.gen(function* () {
      const Rate = Context.Service<number, number>("rate")
      const total = resolver("total", { dependencies: [Rate] }, () => Effect.map(Rate, (rate) => rate * 2))
      const deep = resolver("deep", { dependencies: [total] }, () => total.get)
      const fixed = (rate: number) => resolver("rate", {}, () => Effect.succeed(rate))
      const body = (get: Effect.Effect<any>) => () => Effect.map(get, String)
      const peer = yield* Peer.make({
        registrations: Layer.merge(
          tool("one", { dependencies: [fixed(1), deep] }, body(deep.get)),
          tool("two", { dependencies: [deep, fixed(2)] }, body(deep.get))
        )
      })
      assert.strictEqual((yield* peer.callTool("one")).text, "2")
      assert.strictEqual((yield* peer.callTool("two")).text, "4")
    })
  )

  it.effect("I12: what fills a key may read that key as the request gives it, but not through what it fills", () =>
    Effect.gen(function* () {
      const Rate = Context.Service<number, number>("rate")
      const doubled = resolver("rate", { dependencies: [Rate] }, () => Effect.map(Rate, (rate) => rate * 2))
      const kit: any = Toolkit.make(Resolve.tool("t", { success: Schema.Number, dependencies: [doubled as any] }))
      const given: any = Resolve.call(kit, "t", {})
      const layer = kit.toLayer({ t: () => Rate })
      assert.strictEqual(yield* Effect.provide(Effect.provideService(given, Rate, 3), layer) as Effect.Effect<any>, 6)
      const low = resolver("low", { dependencies: [Rate] }, none)
      const through = resolver("rate", { dependencies: [low] }, none)
      assert.include((yield* refused([through])).message, "in a cycle: rate -> low -> rate")
    })
  )

  it.effect("I12: a thunk reaches a resolver that is declared later", () =>
    Effect.gen(function* () {
      const early = resolver("early", { dependencies: () => [late] }, () => late.get)
      const late = resolver("late", {}, () => Effect.succeed("late"))
      const peer = yield* Peer.make({ registrations: tool("t", { dependencies: () => [early] }, () => early.get) })
      assert.strictEqual((yield* peer.callTool("t")).text, "late")
    })
  )

  it.effect("I12: a thunk that throws fails registration with its reason", () =>
    Effect.gen(function* () {
      const thrown = resolver(
        "thrown",
        {
          dependencies: () => {
            throw new ReferenceError("Cannot access 'Late' before initialization")
          }
        },
        none
      )
      assert.include((yield* refused([thrown])).message, "Cannot access 'Late' before initialization")
    })
  )

  it.effect("I12: an argument that the tool does not declare is named with its reader, two levels down", () =>
    Effect.gen(function* () {
      const reads = resolver("reads", { parameters: { isbn: Schema.String } }, none)
      const above = resolver("above", { dependencies: [reads] }, none)
      const error = yield* refused([above], Schema.Struct({ title: Schema.String, year: Schema.Int }))
      assert.strictEqual(
        error.message,
        "Tool 'order': no argument 'isbn', which resolver 'reads' reads; it has 'title', 'year' (path: above -> reads)"
      )
      assert.include((yield* refused([reads])).message, "it has none")
    })
  )

  it.effect("I12: an argument is the tool's own, not something that every object has", () =>
    Effect.gen(function* () {
      for (const name of ["constructor", "toString", "__proto__"]) {
        const reads = resolver("reads", { parameters: { [name]: Schema.String } }, none)
        assert.include((yield* refused([reads])).message, `no argument '${name}'`)
      }
    })
  )

  it.effect("I12: arguments that `setParameters` took away are missed at registration", () =>
    Effect.gen(function* () {
      const reads: any = resolver("reads", { parameters: { title: Schema.String } }, none)
      const made: any = Resolve.tool("order", {
        parameters: Schema.Struct({ title: Schema.String }),
        success: Schema.String,
        dependencies: [reads]
      })
      const changed = made.setParameters(Schema.Struct({ isbn: Schema.String }))
      const kit: any = Toolkit.make(changed)
      const registrations = Resolve.toolkit(kit).pipe(Layer.provide(kit.toLayer({ order: done }))) as Registrations
      const error = yield* Effect.flip(Peer.make({ registrations }))
      assert.include(error.message, "no argument 'title', which resolver 'reads' reads; it has 'isbn'")
    })
  )

  for (const [what, garbage] of Object.entries({
    "a string": "CheckStock",
    null: null,
    "a number": 7,
    "a function": () => 7,
    "an object": { key: "CheckStock" },
    "an Effect": Effect.void,
    "a tool": Resolve.tool("other", {}),
    "a list": [resolver("nested", {}, none)]
  })) {
    it.effect(`I12: a list that holds ${what} fails registration, saying where`, () =>
      Effect.gen(function* () {
        const above = resolver("above", { dependencies: [garbage] }, none)
        const { message, path } = yield* refused([above])
        assert.include(message, "neither a resolver nor a key of a service")
        assert.deepStrictEqual(path, ["above"])
      })
    )
  }

  it.effect("I12: `dependencies` that are no list fail registration", () =>
    Effect.gen(function* () {
      assert.include((yield* refused((() => "all of them") as any)).message, "Tool 'order'")
      const above = resolver("above", { dependencies: (() => undefined) as any }, none)
      assert.include((yield* refused([above])).message, "dependencies is no list")
    })
  )

  it.effect("I12: one bad tool keeps the whole toolkit from being registered", () =>
    Effect.gen(function* () {
      const self: any = resolver("self", { dependencies: () => [self] }, none)
      const good = Resolve.tool("good", { success: Schema.String })
      const bad: any = Resolve.tool("bad", { success: Schema.String, dependencies: [self] as any })
      const kit: any = Toolkit.make(good, bad)
      let registered: ReadonlyArray<unknown> = []
      const registrations = Resolve.toolkit(kit).pipe(
        Layer.provide(kit.toLayer({ good: done, bad: done })),
        Layer.provideMerge(
          Layer.effectDiscard(
            Effect.map(McpServer.McpServer, ({ tools }) => {
              registered = tools
            })
          )
        )
      ) as Registrations
      yield* Effect.flip(Peer.make({ registrations }))
      assert.strictEqual(registered.length, 0)
    })
  )

  it.effect("I12: a chain of 500 resolvers registers and runs", () =>
    Effect.gen(function* () {
      let last: any = resolver("n0", {}, () => Effect.succeed(0))
      for (let i = 1; i < 500; i++) {
        const below = last
        last = resolver(`n${i}`, { dependencies: [below] }, () => Effect.map(below.get, (n: any) => n + 1))
      }
      const top = last
      const peer = yield* Peer.make({
        registrations: tool("t", { dependencies: [top] }, () => Effect.map(top.get, String))
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "499")
    })
  )

  it.effect("I12: a key that no resolver fills is a service of the request, and no fault", () =>
    Effect.gen(function* () {
      class User extends Context.Service<User, { readonly name: string }>()("User") {}
      class Greeting extends Resolver.Service<Greeting>()("greeting", {
        dependencies: [User],
        resolve: () => Effect.map(User, ({ name }) => `Hello ${name}`)
      }) {}
      const identity = McpServer.middleware<{ provides: User }>()((effect) =>
        Effect.provideService(effect, User, { name: "Ada" })
      )
      const registrations = tool("t", { dependencies: [Greeting, User] }, () => Greeting, identity.layer)
      const peer = yield* Peer.make({ registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "Hello Ada")
    })
  )
})
