import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Result, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Elicitation, Protocols, Resolve, Resolver } from "effect-resolve"
import { Answer, type Era, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed } from "../rules/kit.ts"
import { Copies, Reader, registrations, Stock } from "./shop.ts"

const shop = Layer.provide(registrations, Copies.layer)

const ann = { "shop/Reader": Answer.accept({ name: "Ann" }) }

/** The three places that list the same resolvers, each as one request. */
const blurbs: ReadonlyArray<
  readonly [string, (peer: Peer.Peer, title: string) => Effect.Effect<{ readonly text: string }, Peer.JsonRpcError>]
> = [
  ["a tool", (peer, title) => peer.callTool("blurb", { title })],
  ["a prompt", (peer, title) => peer.getPrompt("blurb", { title })],
  ["a template", (peer, title) => peer.readResource(`shop://blurbs/${title}`)]
]

describe("Prompts and resources", () => {
  for (const [place, ask] of blurbs) {
    eras(`one resolver serves ${place}: it reads an argument by name, and need not ask`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations: shop })
        assert.strictEqual((yield* ask(peer, "Dune")).text, "'Dune' (7) for anybody")
        assert.deepStrictEqual(peer.questions, [])
      })
    )

    eras(`one resolver serves ${place}: it asks`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations: shop, answers: ann })
        assert.strictEqual((yield* ask(peer, "Emma")).text, "'Emma' (0) for Ann")
        assert.deepStrictEqual(
          peer.questions.map(({ message }) => message),
          ["Who reads it?"]
        )
      })
    )

    eras(`an override applies to ${place}`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: shop.pipe(
            Layer.provide([Resolver.override(Stock, 3), Resolver.override(Reader, { name: "Bob" })])
          )
        })
        assert.strictEqual((yield* ask(peer, "Emma")).text, "'Emma' (3) for Bob")
      })
    )
  }

  eras("a resource asks in its own content, where it lists the question service", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop, answers: { mood: Answer.accept({ mood: "fine" }) } })
      assert.strictEqual((yield* peer.readResource("shop://mood")).text, "The mood is fine")
    })
  )

  const refusals: ReadonlyArray<readonly [string, (peer: Peer.Peer) => Effect.Effect<unknown, Peer.JsonRpcError>]> = [
    ["a prompt", (peer) => peer.getPrompt("blurb", { title: "Emma" })],
    ["a template", (peer) => peer.readResource("shop://blurbs/Emma")]
  ]
  for (const [place, ask] of refusals) {
    for (const action of ["decline", "cancel"] as const) {
      eras(`a ${action} in ${place} is -32603 with the sentence that a tool gives`, (era) =>
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, registrations: shop, answers: { "shop/Reader": Answer[action] } })
          const error = yield* Effect.flip(ask(peer))
          assert.strictEqual(error.code, -32603)
          assert.strictEqual(error.message, `Resolver for 'shop/Reader' could not resolve: elicitation was ${action}`)
        })
      )
    }

    eras(`a capability that the client lacks refuses ${place} with -32021 and what is required`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations: shop, capabilities: {} })
        const error = yield* Effect.flip(ask(peer))
        assert.strictEqual(error.code, -32021)
        assert.deepStrictEqual(error.data, { requiredCapabilities: { elicitation: { form: {} } } })
        if (era.protocol === "2026-07-28") assert.strictEqual(error.httpStatus, 400)
      })
    )
  }
})

describe("Rounds of prompts and resources", () => {
  it.effect("a prompt suspends and is finished by the retry", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: shop })
      const first = asked(yield* peer.once("prompts/get", { name: "blurb", arguments: { title: "Emma" } }))
      assert.deepStrictEqual(Object.keys(first.inputRequests), ["shop/Reader"])
      assert.isUndefined(first.raw.messages)
      const done = completed(yield* peer.retry(first, { inputResponses: ann }))
      assert.strictEqual(done.resultType, "complete")
      assert.strictEqual(done.messages[0].content.text, "'Emma' (0) for Ann")
    })
  )

  for (const transport of ["http", "stdio"] as const) {
    it.effect(
      `a template suspends over ${transport}, without cache hints, and the finished read is nobody else's`,
      () =>
        Effect.gen(function* () {
          const peer = yield* Peer.make({ registrations: shop, transport })
          const first = asked(yield* peer.once("resources/read", { uri: "shop://blurbs/Emma" }))
          assert.deepStrictEqual(Object.keys(first.inputRequests), ["shop/Reader"])
          assert.isFalse("ttlMs" in first.raw || "cacheScope" in first.raw || "contents" in first.raw)
          assert.isDefined(first.raw._meta["io.modelcontextprotocol/serverInfo"])
          const done = completed(yield* peer.retry(first, { inputResponses: ann }))
          assert.deepInclude(done, { resultType: "complete", ttlMs: 0, cacheScope: "private" })
          assert.strictEqual(done.contents[0].text, "'Emma' (0) for Ann")
        })
    )
  }

  it.effect("a resource that need not ask is read on effect/ai's own adapters; one that asks says what it needs", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: shop, serving: "effect/ai" })
      assert.strictEqual((yield* peer.readResource("shop://blurbs/Dune")).text, "'Dune' (7) for anybody")
      const error = yield* Effect.flip(peer.readResource("shop://blurbs/Emma"))
      assert.strictEqual(error.code, -32603)
      assert.strictEqual(
        error.message,
        "Resolver for 'shop/Reader' could not resolve: a resource asks on this protocol only under the adapters of effect-resolve's Protocols"
      )
    })
  )

  eras.of("2025-11-25")("a resource asks on effect/ai's own adapters of an older protocol", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop, serving: "effect/ai", answers: ann })
      assert.strictEqual((yield* peer.readResource("shop://blurbs/Emma")).text, "'Emma' (0) for Ann")
    })
  )

  const frozen = { code: -32602, message: "Invalid or expired requestState", data: { reason: "invalid_request_state" } }

  it.effect("I8: the state of one URI, prompt or argument opens no other", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: shop })
      const read = asked(yield* peer.once("resources/read", { uri: "shop://blurbs/Emma" }))
      const got = asked(yield* peer.once("prompts/get", { name: "blurb", arguments: { title: "Emma" } }))
      const inputResponses = ann
      const attempts = [
        peer.retry(read, { inputResponses, params: { uri: "shop://blurbs/Ulysses" } }),
        peer.retry(read, { inputResponses, requestState: got.requestState }),
        peer.retry(got, { inputResponses, requestState: read.requestState }),
        peer.retry(got, { inputResponses, params: { name: "blurb", arguments: { title: "Ulysses" } } }),
        peer.retry(got, { inputResponses, requestState: "v1.garbage" }),
        peer.retry(read, { inputResponses, requestState: "" })
      ]
      for (const attempt of attempts) assert.deepInclude(yield* Effect.flip(attempt), frozen)
      // and its own it does
      assert.strictEqual(completed(yield* peer.retry(read, { inputResponses })).contents[0].text, "'Emma' (0) for Ann")
      assert.strictEqual((yield* peer.getPrompt("blurb", { title: "Dune" })).text, "'Dune' (7) for anybody")
    })
  )

  it.effect("I8: a prompt and a resource that mint no state refuse a bad one before anything runs", () =>
    Effect.gen(function* () {
      const ran = counter()
      const peer = yield* Peer.make({
        registrations: Layer.mergeAll(
          Resolve.prompt({ name: "p", content: () => Effect.as(ran.hit("p"), "p") }),
          Resolve.resource({ uri: "a://r", name: "r", content: Effect.as(ran.hit("r"), "r") })
        )
      })
      const requestState = "v1.garbage"
      assert.deepInclude(yield* Effect.flip(peer.once("prompts/get", { name: "p", requestState })), frozen)
      assert.deepInclude(yield* Effect.flip(peer.once("resources/read", { uri: "a://r", requestState })), frozen)
      assert.deepStrictEqual(ran.log, [])
    })
  )

  it.effect("I6: an id that decoding generates is one id in all rounds of a prompt", () =>
    Effect.gen(function* () {
      let made = 0
      const Id = Schema.String.pipe(Schema.withDecodingDefault(Effect.sync(() => `id-${++made}`)))
      class AskId extends Resolver.Service<AskId>()("shop/AskId", {
        parameters: { id: Schema.String },
        resolve: ({ id }) => Elicitation.confirm(`Use ${id}?`)
      }) {}
      const peer = yield* Peer.make({
        registrations: Resolve.prompt({
          name: "p",
          parameters: { id: Id },
          dependencies: [AskId],
          content: ({ id }) => Effect.succeed(id)
        }),
        answers: () => Answer.accept({ confirm: true })
      })
      assert.strictEqual((yield* peer.getPrompt("p", {})).text, "id-1")
      assert.lengthOf(peer.questions, 1)
    })
  )
})

describe("Lists of prompts and resources", () => {
  class CurrentUser extends Context.Service<CurrentUser, string>()("shop/CurrentUser") {}
  const authentication = McpServer.middleware<{ provides: CurrentUser }>()((effect, { headers }) =>
    Effect.provideService(effect, CurrentUser, headers["x-user"] ?? "nobody")
  )

  class Greeting extends Resolver.Service<Greeting>()("shop/Greeting", {
    dependencies: [CurrentUser],
    resolve: () => Effect.map(CurrentUser, (user) => `Hello, ${user}`)
  }) {}

  eras("a service of the request reaches resolvers and contents, by a middleware", (era) =>
    Effect.gen(function* () {
      const content = Effect.gen(function* () {
        return `${yield* Greeting}! Good-bye, ${yield* CurrentUser}.`
      })
      const peer = yield* Peer.make({
        ...era,
        headers: { "x-user": "ann" },
        registrations: Layer.mergeAll(
          Resolve.prompt({ name: "p", dependencies: [Greeting, CurrentUser], content: () => content }),
          Resolve.resource({ uri: "a://r", name: "r", dependencies: [Greeting, CurrentUser], content }),
          Resolve.resourceTemplate`t://${McpSchema.param("x", Schema.String)}`({
            name: "t",
            dependencies: [Greeting, CurrentUser],
            content: () => content
          })
        ).pipe(Layer.provide(authentication.layer))
      })
      const expected = "Hello, ann! Good-bye, ann."
      assert.strictEqual((yield* peer.getPrompt("p")).text, expected)
      assert.strictEqual((yield* peer.readResource("a://r")).text, expected)
      assert.strictEqual((yield* peer.readResource("t://1")).text, expected)
    })
  )

  eras("a prompt and a template branch on a refusal, by `.result`", (era) =>
    Effect.gen(function* () {
      const content = Effect.map(Reader.result, (reader) =>
        Result.isSuccess(reader) ? reader.success.name : reader.failure._tag
      )
      const peer = yield* Peer.make({
        ...era,
        answers: { "shop/Reader": Answer.decline },
        registrations: Layer.mergeAll(
          Resolve.prompt({
            name: "p",
            parameters: { title: Schema.String },
            dependencies: [Reader.result],
            content: () => content
          }),
          Resolve.resourceTemplate`t://${McpSchema.param("title", Schema.String)}`({
            name: "t",
            dependencies: [Reader.result],
            content: () => content
          })
        ).pipe(Layer.provide(Copies.layer))
      })
      assert.strictEqual((yield* peer.getPrompt("p", { title: "Emma" })).text, "Declined")
      assert.strictEqual((yield* peer.readResource("t://Emma")).text, "Declined")
    })
  )

  eras("a durable value is computed once in all rounds of a prompt and of a read", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      class Ticket extends Resolver.Service<Ticket>()("shop/Ticket", {
        durable: Schema.Number,
        resolve: () => Effect.map(ran.hit("ticket"), () => ran.count("ticket"))
      }) {}
      class Use extends Resolver.Service<Use>()("shop/Use", {
        dependencies: [Ticket],
        resolve: () => Effect.flatMap(Ticket, (ticket) => Elicitation.confirm(`Use ticket ${ticket}?`))
      }) {}
      const content = Effect.flatMap(Use, () => Effect.map(Ticket, (ticket) => `Ticket ${ticket}`))
      const peer = yield* Peer.make({
        ...era,
        answers: () => Answer.accept({ confirm: true }),
        registrations: Layer.mergeAll(
          Resolve.prompt({ name: "p", dependencies: [Ticket, Use], content: () => content }),
          Resolve.resource({ uri: "a://r", name: "r", dependencies: [Ticket, Use], content })
        )
      })
      assert.strictEqual((yield* peer.getPrompt("p")).text, "Ticket 1")
      assert.strictEqual((yield* peer.readResource("a://r")).text, "Ticket 2")
      assert.strictEqual(ran.count("ticket"), 2)
    })
  )
})

describe("Errors of prompts and resources", () => {
  class Flaky extends Resolver.Service<Flaky>()("shop/Flaky", {
    resolve: () => Effect.die(new Error("resolver password=hunter2"))
  }) {}

  const secret = "password=hunter2"
  const failing = Layer.mergeAll(
    Resolve.prompt({ name: "fails", content: () => Effect.fail(secret) }),
    Resolve.prompt({ name: "dies", content: () => Effect.die(new Error(secret)) }),
    Resolve.prompt({
      name: "throws",
      content: (): Effect.Effect<string> => {
        throw new Error(secret)
      }
    }),
    Resolve.prompt({ name: "interrupts", content: () => Effect.interrupt }),
    Resolve.prompt({ name: "flaky", dependencies: [Flaky], content: () => Effect.succeed("") }),
    Resolve.resource({ uri: "a://fails", name: "fails", content: Effect.fail(secret) }),
    Resolve.resource({ uri: "a://dies", name: "dies", content: Effect.die(new Error(secret)) }),
    Resolve.resource({ uri: "a://flaky", name: "flaky", dependencies: [Flaky], content: Effect.succeed("") }),
    Resolve.resourceTemplate`t://${McpSchema.param("how", Schema.String)}`({
      name: "t",
      content: (_, how): Effect.Effect<string, string> => {
        if (how === "throws") throw new Error(secret)
        return how === "dies" ? Effect.die(new Error(secret)) : Effect.fail(secret)
      }
    })
  )
  const failures: ReadonlyArray<readonly [string, (peer: Peer.Peer) => Effect.Effect<unknown, Peer.JsonRpcError>]> = [
    ...["fails", "dies", "throws", "interrupts", "flaky"].map(
      (name) => [`prompt '${name}'`, (peer: Peer.Peer) => peer.getPrompt(name)] as const
    ),
    ...["a://fails", "a://dies", "a://flaky", "t://fails", "t://dies", "t://throws"].map(
      (uri) => [`resource '${uri}'`, (peer: Peer.Peer) => peer.readResource(uri)] as const
    )
  ]
  for (const [what, ask] of failures) {
    eras(`I14: ${what}: the client sees a fixed text, the log sees why`, (era) =>
      observed((seen) =>
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, registrations: failing })
          const error = yield* Effect.flip(ask(peer))
          assert.deepInclude(error, { code: -32603, message: "Internal error" })
          assert.notInclude(peer.render(), "hunter2")
          const expected = what.includes("interrupts") ? "interrupted" : "hunter2"
          assert.lengthOf(
            seen.reports.filter((report) => report.includes(expected)),
            1
          )
          assert.isTrue(seen.logs.some((line) => line.includes(expected)))
        })
      )
    )
  }

  eras("I14: what a completion fails with stays inside, unless it is an error of the protocol", (era) =>
    observed((seen) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: Layer.merge(
            Resolve.prompt({
              name: "p",
              parameters: { a: Schema.String, b: Schema.String },
              completion: {
                a: () => Effect.fail(secret),
                b: () => Effect.fail(new McpSchema.InvalidParams({ message: "ask for less" }))
              },
              content: () => Effect.succeed("")
            }),
            Resolve.resourceTemplate`t://${McpSchema.param("x", Schema.String)}`({
              name: "t",
              completion: { x: () => Effect.die(new Error(secret)) },
              content: () => Effect.succeed("")
            })
          )
        })
        const complete = (argument: string) =>
          Effect.flip(
            peer.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: argument, value: "" } })
          )
        assert.deepInclude(yield* complete("a"), { code: -32603, message: "Internal error" })
        assert.deepInclude(yield* complete("b"), { message: "ask for less" })
        const ref = { type: "ref/resource", uri: "t://{x}" } as const
        assert.deepInclude(yield* Effect.flip(peer.complete({ ref, argument: { name: "x", value: "" } })), {
          code: -32603,
          message: "Internal error"
        })
        assert.notInclude(peer.render(), "hunter2")
        assert.lengthOf(
          seen.reports.filter((report) => report.includes("hunter2")),
          2
        )
      })
    )
  )

  eras("an error of the protocol passes with its code and data", (era) =>
    Effect.gen(function* () {
      const error = new McpSchema.InvalidParams({ message: "No such chapter", data: { chapters: 3 } })
      const peer = yield* Peer.make({
        ...era,
        registrations: Layer.mergeAll(
          Resolve.prompt({ name: "p", content: () => Effect.fail(error) }),
          Resolve.resource({ uri: "a://r", name: "r", content: Effect.fail(error) }),
          Resolve.resourceTemplate`t://${McpSchema.param("x", Schema.String)}`({
            name: "t",
            content: () => Effect.fail(error)
          })
        )
      })
      const attempts = [
        Effect.asVoid(peer.getPrompt("p")),
        Effect.asVoid(peer.readResource("a://r")),
        Effect.asVoid(peer.readResource("t://1"))
      ]
      for (const attempt of attempts) {
        assert.deepInclude(yield* Effect.flip(attempt), {
          code: -32602,
          message: "No such chapter",
          data: { chapters: 3 }
        })
      }
    })
  )

  eras("unknown names are told in the protocol's words", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      assert.deepInclude(yield* Effect.flip(peer.getPrompt("nope")), { message: "Unknown prompt: nope" })
      assert.deepInclude(yield* Effect.flip(peer.readResource("shop://nope")), {
        message: "Unknown resource: shop://nope",
        data: { uri: "shop://nope" }
      })
    })
  )
})

describe("Arguments of prompts and templates", () => {
  class Even extends Resolver.Service<Even>()("shop/Even", {
    parameters: { n: Schema.Int.check(Schema.makeFilter((n) => n % 2 === 0)) },
    resolve: ({ n }) => Elicitation.confirm(`Use ${n}?`)
  }) {}
  const Count = Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Int))
  const numbers = Layer.mergeAll(
    Resolve.prompt({
      name: "p",
      parameters: { n: Count },
      dependencies: [Even],
      content: ({ n }) => Effect.succeed(`${n}`)
    }),
    Resolve.resourceTemplate`n://${McpSchema.param("n", Count)}`({
      name: "t",
      dependencies: [Even],
      content: (_, n) => Effect.succeed(`${n}`)
    })
  )
  const cases = [
    ["missing", {}, undefined, "Invalid arguments: argument 'n' is missing; it must be a whole number"],
    ["of another type", { n: "hunter2" }, "hunter2", "Invalid arguments: argument 'n' must be a whole number"],
    [
      "not for the resolver",
      { n: "3" },
      "3",
      "Invalid arguments: argument 'n' is not one that resolver 'shop/Even' can read"
    ]
  ] as const
  for (const [how, args, segment, message] of cases) {
    eras(`an argument that is ${how} is -32602 in our words, and asks nothing`, (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations: numbers })
        assert.deepInclude(yield* Effect.flip(peer.getPrompt("p", args)), { code: -32602, message })
        if (segment !== undefined) {
          assert.deepInclude(yield* Effect.flip(peer.readResource(`n://${segment}`)), { code: -32602, message })
        }
        assert.deepStrictEqual(peer.questions, [])
      })
    )
  }

  eras("a resolver reads what the template's schema decodes to", (era) =>
    Effect.gen(function* () {
      const answers = () => Answer.accept({ confirm: true })
      const peer = yield* Peer.make({ ...era, registrations: numbers, answers })
      assert.strictEqual((yield* peer.readResource("n://4")).text, "4")
      assert.strictEqual((yield* peer.getPrompt("p", { n: "6" })).text, "6")
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["Use 4?", "Use 6?"]
      )
    })
  )

  eras("I7: a resolved value sent as an argument changes nothing", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      const args = { title: "Dune", "shop/Stock": "99", Stock: "99", stock: "99" }
      assert.strictEqual((yield* peer.getPrompt("blurb", args)).text, "'Dune' (7) for anybody")
    })
  )
})

describe("What is listed", () => {
  eras("descriptions, arguments, annotations and types pass through; no resolver is named", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      const [prompt] = yield* peer.listPrompts
      assert.deepInclude(prompt, { name: "blurb", title: "Blurb", description: "Writes a blurb." })
      assert.deepStrictEqual(prompt.arguments, [
        { name: "title", description: "Of which book", required: true },
        { name: "tone", required: false }
      ])
      const [template] = yield* peer.listResourceTemplates
      assert.deepInclude(template, {
        name: "blurbs",
        uriTemplate: "shop://blurbs/{title}",
        mimeType: "text/plain",
        description: "A blurb."
      })
      assert.deepStrictEqual(template.annotations, { audience: ["user"], priority: 0.5 })
      const [resource] = yield* peer.listResources
      assert.deepInclude(resource, { uri: "shop://mood", name: "mood", mimeType: "text/plain" })
      assert.deepStrictEqual(resource.annotations, { audience: ["assistant"], priority: 1 })
      assert.notMatch(JSON.stringify([prompt, template, resource]), /Stock|Reader|\$defs/)
    })
  )

  eras("completions pass through", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: shop })
      const argument = { name: "title", value: "Du" }
      assert.deepStrictEqual(yield* peer.complete({ ref: { type: "ref/prompt", name: "blurb" }, argument }), [
        "Dune",
        "Dune Messiah"
      ])
      assert.deepStrictEqual(
        yield* peer.complete({ ref: { type: "ref/resource", uri: "shop://blurbs/{title}" }, argument }),
        ["Dune"]
      )
    })
  )

  eras("an annotation that hides a prompt or a resource from a client still does", (era: Era) =>
    Effect.gen(function* () {
      const annotations = Context.make(McpSchema.EnabledWhen, ({ clientInfo }) => clientInfo?.name === "vip")
      const peer = yield* Peer.serve({
        registrations: Layer.mergeAll(
          Resolve.prompt({ name: "p", annotations, content: () => Effect.succeed("p") }),
          Resolve.resource({ uri: "a://r", name: "r", annotations, content: Effect.succeed("r") })
        )
      })
      const vip = yield* Peer.connect(peer, { ...era, clientInfo: { name: "vip", version: "1" } })
      const other = yield* Peer.connect(peer, era)
      assert.strictEqual((yield* vip.getPrompt("p")).text, "p")
      assert.strictEqual((yield* vip.readResource("a://r")).text, "r")
      assert.deepStrictEqual(yield* other.listPrompts, [])
      assert.strictEqual((yield* Effect.flip(other.getPrompt("p"))).message, "Unknown prompt: p")
    })
  )

  eras("messages and contents of one's own pass untouched, _meta included", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: Layer.mergeAll(
          Resolve.prompt({
            name: "p",
            content: () =>
              Effect.succeed([
                McpSchema.PromptMessage.make({
                  role: "assistant",
                  content: McpSchema.TextContent.make({ type: "text", text: "hello" })
                })
              ])
          }),
          Resolve.resource({
            uri: "a://r",
            name: "r",
            mimeType: "text/plain",
            content: Effect.succeed(
              McpSchema.ReadResourceResult.make({
                _meta: { "shop/branch": "north" },
                contents: [
                  { uri: "a://other", text: "x" },
                  { uri: "a://bytes", mimeType: "image/png", blob: new Uint8Array([1]) }
                ]
              })
            )
          })
        )
      })
      assert.deepStrictEqual((yield* peer.getPrompt("p")).messages, [
        { role: "assistant", content: { type: "text", text: "hello" } }
      ])
      const { raw } = yield* peer.readResource("a://r")
      assert.strictEqual(raw._meta["shop/branch"], "north")
      assert.deepStrictEqual(raw.contents, [
        { uri: "a://other", text: "x" },
        { uri: "a://bytes", mimeType: "image/png", blob: "AQ==" }
      ])
    })
  )
})

describe("I12", () => {
  const fault = (registrations: Layer.Layer<never, Resolve.InvalidSignature, any>) =>
    Effect.map(Effect.exit(Effect.scoped(Peer.make({ registrations, protocols: Protocols.all }))), (exit) =>
      exit._tag === "Failure"
        ? (Cause.squash(exit.cause) as Resolve.InvalidSignature)
        : assert.fail("it was registered")
    )

  // the compiler refuses these, too: what it says has fixtures of its own
  const Late: any = Resolver.make(
    Context.Service<any, any>("shop/Late") as any,
    {
      parameters: { isbn: Schema.String },
      resolve: () => Effect.succeed(1)
    } as any
  )

  it.effect("I12: a bad graph of a prompt names the prompt", () =>
    Effect.gen(function* () {
      const content = () => Effect.succeed("p")
      const error = yield* fault(
        Resolve.prompt({ name: "p", parameters: { title: Schema.String }, dependencies: [Late], content })
      )
      assert.instanceOf(error, Resolve.InvalidSignature)
      assert.strictEqual(error.owner, "Prompt 'p'")
      assert.strictEqual(
        error.message,
        "Prompt 'p': no argument 'isbn', which resolver 'shop/Late' reads; it has 'title'"
      )
    })
  )

  it.effect("I12: a bad graph of a resource or a template names it", () =>
    Effect.gen(function* () {
      const resource = yield* fault(
        Resolve.resource({ uri: "a://r", name: "r", dependencies: [Late], content: Effect.succeed("") })
      )
      assert.strictEqual(
        resource.message,
        "Resource 'r': no argument 'isbn', which resolver 'shop/Late' reads; it has none"
      )
      const template = yield* fault(
        Resolve.resourceTemplate`t://${McpSchema.param("title", Schema.String)}/${Schema.String}`({
          name: "t",
          dependencies: [Late],
          content: () => Effect.succeed("")
        })
      )
      assert.strictEqual(
        template.message,
        "Resource 't': no argument 'isbn', which resolver 'shop/Late' reads; it has 'title', 'param1'"
      )
    })
  )
})
