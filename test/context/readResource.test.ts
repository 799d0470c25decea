import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { Elicitation, McpContext, Resolve, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"

const Name = Schema.Struct({ name: Schema.String })

class Reader extends Resolver.Service<Reader>()("shop/Reader", {
  resolve: () => Elicitation.form({ message: "Who reads it?", schema: Name })
}) {}

const resources = Layer.mergeAll(
  Resolve.resource({
    uri: "config://theme",
    name: "theme",
    mimeType: "text/plain",
    content: Effect.succeed("theme = dark")
  }),
  Resolve.resource({ uri: "config://bytes", name: "bytes", content: Effect.succeed(new Uint8Array([1, 2, 3])) }),
  Resolve.resource({
    uri: "shop://for-you",
    name: "for you",
    dependencies: [Reader],
    content: Effect.map(Reader, ({ name }) => `Books for ${name}`)
  }),
  Resolve.resource({ uri: "shop://broken", name: "broken", content: Effect.fail("password=hunter2") }),
  Resolve.resource({
    uri: "shop://inner",
    name: "inner",
    content: Effect.flatMap(McpContext.McpContext, (mcp) =>
      Effect.map(mcp.readResource("config://theme"), ([theme]) =>
        JSON.stringify([mcp.requestId, "text" in theme! ? theme.text : null])
      )
    )
  }),
  // what a round of the outer call brings must not be visible in here
  Resolve.resourceTemplate`shop://answers/${McpSchema.param("x", Schema.String)}`({
    name: "answers",
    content: () =>
      Effect.map(McpSchema.McpRequestContext, ({ inputResponses, requestState }) =>
        JSON.stringify({ inputResponses: inputResponses ?? null, requestState: requestState ?? null })
      )
  })
)

const Reads = Toolkit.make(
  Resolve.tool("read", {
    parameters: Schema.Struct({ uri: Schema.String }),
    success: Schema.String,
    failure: McpContext.ReadResourceError
  }),
  Resolve.tool("ask_then_read", {
    parameters: Schema.Struct({ uri: Schema.String }),
    success: Schema.String,
    failure: McpContext.ReadResourceError,
    dependencies: [Reader]
  }),
  Resolve.tool("ask_else", {
    parameters: Schema.Struct({ uri: Schema.String }),
    success: Schema.String
  })
)

const read = Effect.fnUntraced(function* (uri: string) {
  const contents = yield* McpContext.readResource(uri)
  return contents
    .map(
      (part) => `${part.mimeType}: ${"text" in part ? part.text : part.blob instanceof Uint8Array && part.blob.join()}`
    )
    .join()
})

const ReadsLive = Reads.toLayer({
  read: ({ uri }) => read(uri),
  ask_then_read: ({ uri }) => Effect.flatMap(Reader, ({ name }) => Effect.map(read(uri), (text) => `${name} ${text}`)),
  ask_else: ({ uri }) => Effect.catch(read(uri), ({ message }) => Effect.succeed(`else: ${message}`))
})

const registrations = Layer.merge(resources, Resolve.toolkit(Reads).pipe(Layer.provide(ReadsLive)))

describe("McpContext.readResource", () => {
  eras("a tool reads the server's own resource, with its type", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("read", { uri: "config://theme" })).text, "text/plain: theme = dark")
      assert.strictEqual((yield* peer.callTool("read", { uri: "config://bytes" })).text, "undefined: 1,2,3")
    })
  )

  eras("an unknown resource is told as a client would be told", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("read", { uri: "config://nope" })
      assert.isTrue(result.isError)
      assert.strictEqual(result.text, "Error executing tool read: Unknown resource: config://nope")
      const caught = yield* peer.callTool("ask_else", { uri: "config://nope" })
      assert.strictEqual(caught.text, "else: Unknown resource: config://nope")
    })
  )

  eras("a resource that asks fails when it is read from inside a call, and says so", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("read", { uri: "shop://for-you" })
      assert.isTrue(result.isError)
      assert.strictEqual(
        result.text,
        "Error executing tool read: Resolver for 'shop/Reader' could not resolve: the resource is read from inside another call, which cannot ask for it"
      )
      assert.deepStrictEqual(peer.questions, [])
    })
  )

  eras("a resource that asks fails also where the outer call has the very answer", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { "shop/Reader": Answer.accept({ name: "Ann" }) }
      })
      const result = yield* peer.callTool("ask_then_read", { uri: "shop://for-you" })
      assert.match(result.text, /could not resolve: the resource is read from inside another call/)
      assert.strictEqual(peer.questions.length, 1)
    })
  )

  eras("what is read sees neither answers nor state of the outer call", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { "shop/Reader": Answer.accept({ name: "Ann" }) }
      })
      const result = yield* peer.callTool("ask_then_read", { uri: "shop://answers/1" })
      assert.strictEqual(result.text, `Ann undefined: {"inputResponses":null,"requestState":null}`)
    })
  )

  eras("an error inside of what is read stays inside", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("read", { uri: "shop://broken" })
      assert.strictEqual(result.text, "Error executing tool read: Internal error")
    })
  )

  eras("a resource has the request at hand, and may read another one", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations })
      const { text } = yield* peer.readResource("shop://inner", { id: 55 })
      assert.deepStrictEqual(JSON.parse(text), [{ _id: "Option", _tag: "Some", value: 55 }, "theme = dark"])
    })
  )
})
