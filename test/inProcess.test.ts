/** Tools without a server: called by a program, inside another call, or by a language model; and overrides. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Option, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Call, Elicitation, McpContext, type Question, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { CheckStock } from "../examples/01-reserve-book.ts"
import * as AskFirst from "../examples/03-ask-first.ts"
import { Backorder, ConfirmBackorder } from "../examples/03-ask-first.ts"
import { Inventory, Stock } from "../examples/bookshop.ts"
import { asked, completed, counter, resolver, tool, Yes, yes } from "./rules/kit.ts"

const person = (answer: Elicitation.Answer, seen: Array<string> = []) =>
  Elicitation.layer((request) =>
    Effect.sync(() => {
      seen.push(`${request.resolver}: ${request.message}`)
      return answer
    })
  )

const shop = Layer.mergeAll(AskFirst.OrdersLive, Inventory.layer)
const order = (title: string) => Resolve.call(AskFirst.Orders, "order_book", { title })

/** One tool of resolvers, as a toolkit with its handlers. */
const kitOf = (
  name: string,
  options: any,
  body: (args: any) => Effect.Effect<any, any, any>
): [any, Layer.Layer<never>] => {
  const kit: any = Toolkit.make(Resolve.tool(name, { success: Schema.String, ...options }) as any)
  return [kit, kit.toLayer({ [name]: body })]
}
const call = (
  kit: any,
  name: string,
  args: any = {},
  options?: { readonly label?: string }
): Effect.Effect<any, any, any> => Resolve.call(kit, name, args as never, options) as Effect.Effect<any, any, any>

describe("Resolve.call", () => {
  it.effect("runs resolvers and body, and asks the program's own service", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const accept = person({ action: "accept", content: { confirm: true } }, seen)
      const text = yield* order("Neuromancer").pipe(Effect.provide([shop, accept]))
      assert.strictEqual(text, "Backordered 'Neuromancer'; it ships in 2-3 weeks.")
      assert.deepStrictEqual(seen, [
        "bookshop/ConfirmBackorder: 'Neuromancer' is out of stock (2-3 weeks). Order anyway?"
      ])
      assert.strictEqual(yield* order("Dune").pipe(Effect.provide([shop, accept])), "Ordered 'Dune'.")
      assert.strictEqual(seen.length, 1)
    })
  )

  it.effect("fails with the question's own errors, typed", () =>
    Effect.gen(function* () {
      const outcome = (layer: Layer.Layer<Elicitation.Elicitation>) =>
        Effect.flip(order("Neuromancer").pipe(Effect.provide([shop, layer])))
      assert.instanceOf(yield* outcome(person({ action: "decline" })), Elicitation.Declined)
      assert.instanceOf(yield* outcome(person({ action: "cancel" })), Elicitation.Cancelled)
      const nobody = yield* outcome(Elicitation.layerUnavailable)
      assert.deepStrictEqual([nobody._tag, (nobody as Question.AskFailed).reason], ["AskFailed", "Unavailable"])
      assert.strictEqual(
        nobody.message,
        "Resolver for 'bookshop/ConfirmBackorder' could not resolve: there is nobody to ask"
      )
      const bad = yield* outcome(person({ action: "accept", content: { confirm: "yes" } }))
      assert.strictEqual((bad as Question.AskFailed).reason, "InvalidAnswer")
    })
  )

  it.effect("decodes arguments as a client sends them; bad ones are one error of ours, and nothing runs", () =>
    Effect.gen(function* () {
      const ran = counter()
      const parameters = { when: Schema.DateFromString }
      const r = resolver("r", { parameters }, ({ when }) => Effect.as(ran.hit("r"), when.getUTCFullYear()))
      const [kit, live] = kitOf("t", { parameters: Schema.Struct(parameters), dependencies: [r] }, () =>
        Effect.map(r.get, String)
      )
      assert.strictEqual(yield* Effect.provide(call(kit, "t", { when: "2026-01-02T00:00:00.000Z" }), live), "2026")
      const error = yield* Effect.flip(Effect.provide(call(kit, "t", { when: 7 }), live))
      assert.instanceOf(error, Resolve.InvalidArguments)
      assert.strictEqual(error.tool, "t")
      assert.match(error.message, /^Resolve\.call: arguments of tool 't': argument 'when' must be .*, got a number$/)
      assert.strictEqual(ran.count("r"), 1)
    })
  )

  it.effect("a graph that cannot run is a defect that says what the registration would", () =>
    Effect.gen(function* () {
      const self: any = resolver("self", { dependencies: () => [self] }, () => Effect.void)
      const [kit, live] = kitOf("t", { dependencies: [self] }, () => Effect.succeed("done"))
      const exit = yield* Effect.exit(Effect.provide(call(kit, "t"), live))
      const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.instanceOf(defect, Resolve.InvalidSignature)
      assert.include((defect as Error).message, "self -> self")
    })
  )

  it.effect("Call and McpContext are there, the latter with every member empty", () =>
    Effect.gen(function* () {
      const facts = resolver("facts", {}, () =>
        Effect.gen(function* () {
          const mcp = yield* McpContext.McpContext
          yield* mcp.reportProgress({ progress: 1 })
          const unread = yield* Effect.flip(mcp.readResource("x://y"))
          return [
            (yield* Call.id).length,
            yield* Call.startedAt,
            Option.isNone(mcp.requestId),
            Option.isNone(mcp.headers),
            unread.message
          ]
        })
      )
      const [kit, live] = kitOf("t", { dependencies: [facts] }, () => Effect.map(facts.get, (all) => all.join()))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Effect.provide(call(kit, "t"), live), "36,1000,true,true,Unknown resource: x://y")
    })
  )

  it.effect("releases what the call acquired, and a failure of the body is typed", () =>
    Effect.gen(function* () {
      const ran = counter()
      const held = resolver("held", {}, () =>
        Effect.acquireRelease(ran.hit("acquire"), (_, exit) => ran.hit(exit._tag))
      )
      const [kit, live] = kitOf("t", { dependencies: [held], failure: Schema.String }, () => Effect.fail("sold out"))
      assert.strictEqual(yield* Effect.flip(Effect.provide(call(kit, "t"), live)), "sold out")
      assert.deepStrictEqual(ran.log, ["acquire", "Failure"])
    })
  )

  it.effect("interrupting the program interrupts its resolvers", () =>
    Effect.gen(function* () {
      const ran = counter()
      const slow = resolver("slow", {}, () => Effect.onInterrupt(Effect.never, () => ran.hit("interrupted")))
      const [kit, live] = kitOf("t", { dependencies: [slow] }, () => Effect.succeed("done"))
      const fiber = yield* Effect.forkChild(Effect.provide(call(kit, "t"), live), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(ran.log, ["interrupted"])
    })
  )
})

describe("Resolve.call inside a call", () => {
  const inner = () => {
    const ran = counter()
    const charge = resolver("charge", { durable: Schema.Int }, () => Effect.as(ran.hit("charge"), 7))
    const gift = resolver("gift", {}, () => Elicitation.form({ message: "A gift?", schema: Yes }))
    const [kit, live] = kitOf("inner", { dependencies: [charge, gift] }, () =>
      Effect.map(Effect.all([charge.get, gift.get]), ([charge, gift]) => `${charge} ${gift.ok}`)
    )
    return { ran, kit, live }
  }

  eras("its durable values and questions are those of the outer call: charged once, asked once", (era) =>
    Effect.gen(function* () {
      const { kit, live, ran } = inner()
      const nested = resolver("nested", {}, () => call(kit, "inner"))
      const registrations = tool("outer", { dependencies: [nested] }, () => nested.get, live)
      const peer = yield* Peer.make({ ...era, registrations, answers: { "nested>inner/gift": [yes] } })
      assert.strictEqual((yield* peer.callTool("outer")).text, "7 true")
      assert.strictEqual(ran.count("charge"), 1)
    })
  )

  eras("from a body that asks, too; two calls of one tool are told apart by a label", (era) =>
    Effect.gen(function* () {
      const { kit, live, ran } = inner()
      const registrations = tool(
        "outer",
        { dependencies: [Elicitation.Elicitation] },
        () =>
          Effect.map(Effect.all([call(kit, "inner"), call(kit, "inner", {}, { label: "two" })]), (both) =>
            both.join("; ")
          ),
        live
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { "outer>inner/gift": [yes], "outer>inner#two/gift": [Answer.accept({ ok: false })] }
      })
      assert.strictEqual((yield* peer.callTool("outer")).text, "7 true; 7 false")
      assert.strictEqual(ran.count("charge"), 2)
    })
  )

  eras("two calls without a label are an error that says so", (era) =>
    Effect.gen(function* () {
      const [kit, live] = kitOf("inner", {}, () => Effect.succeed("inner"))
      const nested = resolver("nested", {}, () => Effect.all([call(kit, "inner"), call(kit, "inner")]))
      const registrations = tool("outer", { dependencies: [nested] }, () => Effect.succeed("done"), live)
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("outer")).text, "Error executing tool outer: internal error")
    })
  )

  eras.of("2026-07-28")(
    "side by side, with one question answered: its answer is kept, the other is asked alone",
    (era) =>
      Effect.gen(function* () {
        const { kit, live, ran } = inner()
        const nested = resolver("nested", {}, () =>
          Effect.all([call(kit, "inner"), call(kit, "inner", {}, { label: "two" })], { concurrency: "unbounded" })
        )
        const registrations = tool(
          "outer",
          { dependencies: [nested] },
          () => Effect.map(nested.get, (both) => both.join("; ")),
          live
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const [one, two] = ["nested>inner/gift", "nested>inner#two/gift"] as const
        for (const [first, second] of [
          [one, two],
          [two, one]
        ] as const) {
          ran.log.length = 0
          const round = asked(yield* peer.callToolOnce("outer"))
          assert.deepStrictEqual(Object.keys(round.inputRequests), [one, two])
          const next = asked(yield* peer.retry(round, { inputResponses: { [first]: yes } }))
          assert.deepStrictEqual(Object.keys(next.inputRequests), [second])
          assert.strictEqual(
            completed(yield* peer.retry(next, { inputResponses: { [second]: yes } })).text,
            "7 true; 7 true"
          )
          assert.strictEqual(ran.count("charge"), 2)
        }
      })
  )

  eras("a refusal inside is an ordinary failure for the outer body", (era) =>
    Effect.gen(function* () {
      const { kit, live } = inner()
      const nested = resolver("nested", {}, () =>
        Effect.catch(call(kit, "inner"), (error: any) => Effect.succeed(`caught ${error._tag}`))
      )
      const registrations = tool("outer", { dependencies: [nested] }, () => nested.get, live)
      const peer = yield* Peer.make({ ...era, registrations, answers: { "nested>inner/gift": [Answer.decline] } })
      assert.strictEqual((yield* peer.callTool("outer")).text, "caught Declined")
    })
  )

  eras("a capability that the inner call lacks is a value for who catches it, and the outer asks on", (era) =>
    Effect.gen(function* () {
      const pay = resolver("pay", {}, () => Elicitation.url({ message: "Pay?", url: "https://pay.test/" }))
      const [kit, live] = kitOf("inner", { dependencies: [pay] }, () => Effect.succeed("inner"))
      const nested = resolver("nested", {}, () =>
        Effect.gen(function* () {
          const paid = yield* Effect.catch(call(kit, "inner"), (error: any) => Effect.succeed(String(error._tag)))
          const ok = yield* Elicitation.form({ message: "Go on?", schema: Yes })
          return `${paid} ${ok.ok}`
        })
      )
      const registrations = tool("outer", { dependencies: [nested] }, () => nested.get, live)
      const peer = yield* Peer.make({
        ...era,
        registrations,
        capabilities: { elicitation: {} },
        answers: { nested: [yes] }
      })
      assert.strictEqual((yield* peer.callTool("outer")).text, "MissingCapability true")
    })
  )

  it.effect("in process it shares the identity of the call and asks the same service", () =>
    Effect.gen(function* () {
      const id = resolver("id", {}, () => Call.id)
      const [kit, live] = kitOf("inner", { dependencies: [id] }, () => id.get)
      const [outer, outerLive] = kitOf("outer", { dependencies: [id] }, () =>
        Effect.map(Effect.all([id.get, call(kit, "inner")]), ([a, b]) => String(a === b))
      )
      assert.strictEqual(yield* Effect.provide(call(outer, "outer"), [outerLive, live]), "true")
    })
  )
})

describe("Resolve.withHandlers", () => {
  /** What one call of a tool gives, as a model's framework would run it. */
  const handled = Effect.fnUntraced(function* (kit: any, layer: Layer.Layer<never>, times = 1) {
    const toolkit: any = yield* Effect.provide(Resolve.withHandlers(kit) as Effect.Effect<any, any>, layer)
    let last: any
    for (let i = 0; i < times; i++) {
      const stream = yield* toolkit.handle("t", {}) as Effect.Effect<Stream.Stream<any, any>, any>
      last = (yield* Stream.runCollect(stream))[0]
    }
    return last
  })

  /** A model that calls one tool and then says what it gave. */
  const model = (name: string, params: unknown) =>
    LanguageModel.make({
      generateText: () => Effect.succeed([{ type: "tool-call", id: "1", name, params }] as any),
      streamText: () => Stream.empty
    })

  it.effect("serves the same toolkit to `LanguageModel.generateText`", () =>
    Effect.gen(function* () {
      const toolkit = yield* Resolve.withHandlers(AskFirst.Orders)
      const generate = (title: string) =>
        Effect.flatMap(model("order_book", { title }), (model) =>
          LanguageModel.generateText({ prompt: `Order ${title}`, toolkit }).pipe(
            Effect.provideService(LanguageModel.LanguageModel, model)
          )
        )
      const dune = yield* generate("Dune")
      assert.deepStrictEqual(
        dune.toolResults.map(({ result }) => result),
        ["Ordered 'Dune'."]
      )
      const neuromancer = yield* generate("Neuromancer")
      assert.deepStrictEqual(
        neuromancer.toolResults.map(({ result }) => result),
        ["Backordered 'Neuromancer'; it ships in 2-3 weeks."]
      )
    }).pipe(Effect.provide([shop, person({ action: "accept", content: { confirm: true } })]))
  )

  it.effect("a refusal is a failure of the tool: thrown, or returned as its `failureMode` says", () =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: Yes }))
      const results = Effect.fnUntraced(function* (failureMode: "error" | "return") {
        const [kit, live] = kitOf("t", { dependencies: [q], failureMode }, () => Effect.succeed("done"))
        return yield* handled(kit, Layer.merge(live, person({ action: "decline" })) as Layer.Layer<never>)
      })
      const thrown: any = yield* Effect.flip(results("error"))
      assert.instanceOf(thrown, Elicitation.Declined)
      const returned = yield* results("return")
      assert.isTrue(returned.isFailure)
      assert.instanceOf(returned.result, Elicitation.Declined)
    })
  )

  it.effect("what was answered, and what a validator says of it, does not reach the model", () =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: Yes }))
      const [kit, live] = kitOf("t", { dependencies: [q], failureMode: "return" }, () => Effect.succeed("done"))
      const answer = person({ action: "accept", content: { ok: "hunter2" } })
      const returned = yield* handled(kit, Layer.merge(live, answer) as Layer.Layer<never>)
      assert.isTrue(returned.isFailure)
      const encoded = JSON.stringify(returned.encodedResult)
      assert.include(encoded, "InvalidAnswer")
      for (const word of ["hunter2", "Expected", "stack", "/src/"]) assert.notInclude(encoded, word)
    })
  )

  it.effect("each call of the model runs its resolvers again", () =>
    Effect.gen(function* () {
      const ran = counter()
      const r = resolver("r", {}, () => Effect.as(ran.hit("r"), "r"))
      const [kit, live] = kitOf("t", { dependencies: [r] }, () => r.get)
      assert.strictEqual((yield* handled(kit, live, 3)).result, "r")
      assert.strictEqual(ran.count("r"), 3)
    })
  )

  it.effect("a bad graph fails with InvalidSignature; a plain tool stays as it is", () =>
    Effect.gen(function* () {
      const self: any = resolver("self", { dependencies: () => [self] }, () => Effect.void)
      const [bad, badLive] = kitOf("t", { dependencies: [self] }, () => Effect.succeed("done"))
      const error = yield* Effect.flip(
        Effect.provide(Resolve.withHandlers(bad) as Effect.Effect<any, any, any>, badLive)
      )
      assert.instanceOf(error, Resolve.InvalidSignature)
      const plain = Toolkit.make(Tool.make("plain", { success: Schema.String }))
      const toolkit = yield* Resolve.withHandlers(plain).pipe(
        Effect.provide(plain.toLayer({ plain: () => Effect.succeed("plain") }))
      )
      const handled = yield* toolkit.handle("plain", {})
      const [one] = yield* Stream.runCollect(handled)
      assert.strictEqual(one?.result, "plain")
    })
  )
})

describe("Resolver.override", () => {
  const answers = { "bookshop/ConfirmBackorder": [Answer.accept({ confirm: true })] }

  eras("replaces a resolver by a value, outside of finished registrations", (era) =>
    Effect.gen(function* () {
      const registrations = AskFirst.registrations.pipe(
        Layer.provide(Resolver.override(ConfirmBackorder, new Backorder({ confirm: false })))
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("order_book", { title: "Neuromancer" })).text, "No order placed.")
      assert.strictEqual(peer.questions.length, 0)
    })
  )

  eras("replaces a resolver by a function, which has its arguments, its dependencies and its questions", (era) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const registrations = AskFirst.registrations.pipe(
        Layer.provide(
          Resolver.override(ConfirmBackorder, ({ title }) =>
            Effect.gen(function* () {
              seen.push(title)
              return yield* Elicitation.form({ message: `Really ${title}?`, schema: Backorder })
            })
          )
        )
      )
      const peer = yield* Peer.make({ ...era, registrations, answers })
      yield* peer.callTool("order_book", { title: "Dune" })
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["Really Dune?"]
      )
      assert.strictEqual(seen[0], "Dune")
    })
  )

  eras("two overrides, merged, both apply; one may fail as its resolver can", (era) =>
    Effect.gen(function* () {
      const registrations = AskFirst.registrations.pipe(
        Layer.provide(
          Layer.mergeAll(
            Resolver.override(CheckStock, ({ title }) => Effect.succeed(new Stock({ title, copies: 0 }))),
            Resolver.override(ConfirmBackorder, () =>
              Effect.fail(new Elicitation.Declined({ resolver: "bookshop/ConfirmBackorder" }))
            )
          )
        )
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.include((yield* peer.callTool("order_book", { title: "Dune" })).text, "elicitation was decline")
    })
  )

  it.effect("applies in process and under a language model, with app services of its own", () =>
    Effect.gen(function* () {
      class Fake extends Context.Service<Fake, number>()("Fake") {}
      const override = Resolver.override(CheckStock, ({ title }) =>
        Effect.map(Fake, (copies) => new Stock({ title, copies }))
      ).pipe(Layer.provide(Layer.succeed(Fake, 3)))
      const provided = Layer.mergeAll(shop, override, Elicitation.layerUnavailable)
      assert.strictEqual(yield* order("Neuromancer").pipe(Effect.provide(provided)), "Ordered 'Neuromancer'.")
      const toolkit = yield* Resolve.withHandlers(AskFirst.Orders).pipe(Effect.provide(provided))
      const handled = yield* toolkit.handle("order_book", { title: "Neuromancer" })
      const [one] = yield* Stream.runCollect(handled)
      assert.strictEqual(one?.result, "Ordered 'Neuromancer'.")
    })
  )

  it.effect("one that no plan uses is an error of the test kit", () =>
    Effect.gen(function* () {
      class Unused extends Resolver.Service<Unused>()("unused", { resolve: () => Effect.succeed(1) }) {}
      const registrations = AskFirst.registrations.pipe(Layer.provide(Resolver.override(Unused, 2)))
      const exit = yield* Effect.exit(Effect.scoped(Effect.asVoid(Peer.make({ registrations }))))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "Resolver.override of 'unused'")
    })
  )

  it.effect("a replacement of another resolver with the same key is not this one's", () =>
    Effect.gen(function* () {
      const make = () => resolver("same", {}, () => Effect.succeed("own"))
      const [one, other]: [any, any] = [make(), make()]
      const [kit, live] = kitOf("t", { dependencies: [one] }, () => one.get)
      const text = yield* Effect.provide(call(kit, "t"), [live, Resolver.override(other, "replaced" as never)])
      assert.strictEqual(text, "own")
    })
  )
})
