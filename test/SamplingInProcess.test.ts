/** The client's model and roots in a program without a client: by layers of the program's own. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { AiError, LanguageModel, Toolkit } from "effect/ai"
import { type Question, Resolve, Resolver, Roots, Sampling } from "effect-resolve"

class Title extends Resolver.Service<Title>()("shop/Title", {
  parameters: { genre: Schema.String },
  resolve: ({ genre }) => Sampling.createMessage({ prompt: `A ${genre} title?`, maxTokens: 5, label: "title" })
}) {}
class Forecast extends Resolver.Service<Forecast>()("shop/Forecast", {
  resolve: () =>
    Sampling.createMessage({
      prompt: "Rain?",
      maxTokens: 5,
      tools: [{ name: "rain", inputSchema: { type: "object" } }]
    })
}) {}
class Summary extends Resolver.Service<Summary>()("shop/Summary", {
  dependencies: [Sampling.languageModel],
  resolve: () => Effect.map(LanguageModel.generateText({ prompt: "Sum up" }), ({ text }) => text)
}) {}
class Folders extends Resolver.Service<Folders>()("shop/Folders", { resolve: () => Roots.list }) {}

const Recommend = Resolve.tool("recommend", {
  parameters: Schema.Struct({ genre: Schema.String }),
  success: Schema.String,
  dependencies: [Title]
})
const Umbrella = Resolve.tool("umbrella", { success: Schema.Array(Schema.String), dependencies: [Forecast] })
const Sum = Resolve.tool("sum", { success: Schema.String, failure: AiError.AiError, dependencies: [Summary] })
const Where = Resolve.tool("where", { success: Schema.Array(Schema.String), dependencies: [Folders] })
const Kit = Toolkit.make(Recommend, Umbrella, Sum, Where)
const KitLive = Kit.toLayer({
  recommend: Effect.fn(function* () {
    const { content } = yield* Title
    return content.type === "text" ? content.text : content.mimeType
  }),
  umbrella: Effect.fn(function* () {
    return (yield* Forecast).content.map((block) => (block.type === "tool_use" ? block.name : block.type))
  }),
  sum: () => Effect.map(Summary, (text) => text),
  where: Effect.fn(function* () {
    return (yield* Folders).map(({ uri }) => uri)
  })
})

class Prefix extends Context.Service<Prefix, string>()("test/Prefix") {}

describe("types", () => {
  it("who asks the client's model says so, with languageModel as with createMessage", () => {
    expectTypeOf<Resolver.Services<typeof Title>>().toEqualTypeOf<Sampling.Sampling>()
    expectTypeOf<Resolver.Services<typeof Summary>>().toEqualTypeOf<Sampling.Sampling>()
    expectTypeOf<Resolver.Error<typeof Summary>>().toEqualTypeOf<AiError.AiError>()
    expectTypeOf<Resolver.Services<typeof Folders>>().toEqualTypeOf<Roots.Roots>()
    expectTypeOf<(typeof Sampling.languageModel)["key"]>().toEqualTypeOf<"effect/ai/LanguageModel">()
    expectTypeOf<Title["~effect-resolve/Resolved"]>().toEqualTypeOf<"shop/Title">()
  })

  it("a request without tools is answered by a block, with tools by a list, and never by either", () => {
    const plain = Sampling.createMessage({ prompt: "?", maxTokens: 1 })
    const tools = Sampling.createMessage({ prompt: "?", maxTokens: 1, tools: [] })
    const choice = Sampling.createMessage({ prompt: "?", maxTokens: 1, toolChoice: { mode: "none" } })
    expectTypeOf<Effect.Success<typeof plain>>().toEqualTypeOf<Sampling.Completion>()
    expectTypeOf<Effect.Success<typeof tools>>().toEqualTypeOf<Sampling.ToolCompletion>()
    expectTypeOf<Effect.Success<typeof choice>>().toEqualTypeOf<Sampling.ToolCompletion>()
    expectTypeOf<Effect.Error<typeof plain>>().toEqualTypeOf<Question.MissingCapability | Question.AskFailed>()
    const perhaps: { tools?: [] | undefined } = {}
    // @ts-expect-error whether there are tools must be known: an empty list is a yes
    Sampling.createMessage({ prompt: "?", maxTokens: 1, ...perhaps })
    // @ts-expect-error the limit is the protocol's, and has no default
    Sampling.createMessage({ prompt: "?" })
  })
})

describe("Sampling.layer", () => {
  it.effect(
    "a function of the program's answers, with its services, and is given the request, its resolver and its label",
    () =>
      Effect.gen(function* () {
        const seen: Array<Sampling.Request> = []
        const model = Sampling.layer((request) =>
          Effect.gen(function* () {
            seen.push(request)
            return { content: `${yield* Prefix}Dune`, model: "mine" }
          })
        ).pipe(Layer.provide(Layer.succeed(Prefix, "The ")))
        const title = yield* Resolve.call(Kit, "recommend", { genre: "sf" }).pipe(Effect.provide([KitLive, model]))
        assert.strictEqual(title, "The Dune")
        assert.deepStrictEqual(seen as ReadonlyArray<unknown>, [
          {
            messages: [{ role: "user", content: { type: "text", text: "A sf title?" } }],
            maxTokens: 5,
            resolver: "shop/Title",
            label: "title"
          }
        ])
      })
  )

  it.effect("bytes and blocks pass, and what does not fit the request is the same failure as from a client", () =>
    Effect.gen(function* () {
      const answering = (content: Sampling.Answer["content"]) =>
        Sampling.layer(() => Effect.succeed({ content, model: "mine", stopReason: "endTurn" }))
      const image = { type: "image" as const, data: new Uint8Array([1, 2, 3]), mimeType: "image/png" }
      const use = { type: "tool_use" as const, id: "1", name: "rain", input: {} }
      const recommend = Resolve.call(Kit, "recommend", { genre: "sf" })
      const umbrella = Resolve.call(Kit, "umbrella", {})
      assert.strictEqual(yield* Effect.provide(recommend, [KitLive, answering(image)]), "image/png")
      assert.deepStrictEqual(yield* Effect.provide(umbrella, [KitLive, answering([image, use])]), ["image", "rain"])
      assert.deepStrictEqual(yield* Effect.provide(umbrella, [KitLive, answering("no")]), ["text"])
      const error = yield* Effect.flip(Effect.provide(recommend, [KitLive, answering([image])]))
      assert.deepInclude(error, { _tag: "AskFailed", reason: "InvalidAnswer", resolver: "shop/Title" })
    })
  )

  it.effect("languageModel speaks through the layer, in Resolve.call and in withHandlers", () =>
    Effect.gen(function* () {
      const model = Sampling.layer(({ messages }) => Effect.succeed({ content: `${messages.length}`, model: "mine" }))
      assert.strictEqual(yield* Resolve.call(Kit, "sum", {}).pipe(Effect.provide([KitLive, model])), "1")
      const handled = Effect.gen(function* () {
        const toolkit = yield* Resolve.withHandlers(Kit)
        const outer = yield* LanguageModel.make({
          generateText: () =>
            Effect.succeed([
              { type: "tool-call", id: "1", name: "sum", params: {} },
              {
                type: "finish",
                reason: "tool-calls",
                usage: { inputTokens: {}, outputTokens: {} }
              }
            ]),
          streamText: () => assert.fail("nobody streams")
        })
        const response = yield* outer.generateText({ prompt: "?", toolkit })
        return response.toolResults.map(({ result }) => result)
      })
      assert.deepStrictEqual(
        yield* Effect.provide(handled, [KitLive, model, Roots.layerUnavailable]) as Effect.Effect<unknown>,
        ["1"]
      )
    })
  )

  it.effect("a body asks the model only where its tool lists Sampling, as on the wire", () =>
    Effect.gen(function* () {
      const options = { success: Schema.String, failure: AiError.AiError }
      const Silent = Toolkit.make(
        Resolve.tool("silent", { ...options, dependencies: [Sampling.languageModel] }),
        Resolve.tool("asking", { ...options, dependencies: [Sampling.languageModel, Sampling.Sampling] })
      )
      const generate = () => Effect.map(LanguageModel.generateText({ prompt: "?" }), ({ text }) => text)
      const layers = Layer.mergeAll(
        Silent.toLayer({ silent: generate, asking: generate }),
        Sampling.layer(() => Effect.succeed({ content: "ok", model: "mine" }))
      )
      assert.strictEqual(yield* Effect.provide(Resolve.call(Silent, "asking", {}), layers), "ok")
      const error = yield* Effect.flip(Effect.provide(Resolve.call(Silent, "silent", {}), layers))
      assert.include(error.message, "list Sampling.Sampling beside Sampling.languageModel")
    })
  )

  it.effect("with nobody to ask, questions fail as Unavailable, and support is denied", () =>
    Effect.gen(function* () {
      const nobody = Layer.mergeAll(KitLive, Sampling.layerUnavailable, Roots.layerUnavailable)
      const title = yield* Effect.flip(Effect.provide(Resolve.call(Kit, "recommend", { genre: "sf" }), nobody))
      assert.strictEqual(title.message, "Resolver for 'shop/Title' could not resolve: there is nobody to ask")
      const sum = yield* Effect.flip(Effect.provide(Resolve.call(Kit, "sum", {}), nobody))
      assert.strictEqual(sum._tag, "AiError")
      const where = yield* Effect.flip(Effect.provide(Resolve.call(Kit, "where", {}), nobody))
      assert.deepInclude(where, { _tag: "AskFailed", reason: "Unavailable" })
      const supported = yield* Effect.provide(
        Effect.all([Sampling.supported, Sampling.toolsSupported, Roots.supported]),
        nobody
      )
      assert.deepStrictEqual(supported, [false, false, false])
    })
  )
})

describe("Roots.layer", () => {
  it.effect("an Effect of the program's gives the roots, held to the same rules", () =>
    Effect.gen(function* () {
      const where = Resolve.call(Kit, "where", {})
      const roots = (uri: string) =>
        Roots.layer(Effect.map(Prefix, (prefix) => [{ uri: prefix + uri }])).pipe(
          Layer.provide(Layer.succeed(Prefix, "file:///"))
        )
      assert.deepStrictEqual(yield* Effect.provide(where, [KitLive, roots("work")]), ["file:///work"])
      const error = yield* Effect.flip(
        Effect.provide(where, [KitLive, Roots.layer(Effect.succeed([{ uri: "/work" }]))])
      )
      assert.deepInclude(error, { _tag: "AskFailed", reason: "InvalidAnswer", resolver: "shop/Folders" })
    })
  )
})
