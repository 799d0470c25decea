/** Rows of the checklist that ask for more than one thing, each in one test that asserts all of it. */
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Layer, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { Elicitation, McpContext, Resolve, Resolver, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, type Node, resolver, tool, Yes, yes } from "./rules/kit.ts"

//
eras(
  "a resolver that computes fills its value from the tool's own argument, in one request and with no question",
  (era) =>
    Effect.gen(function* () {
      class Price extends Resolver.Service<Price>()("shop/Price", {
        parameters: { title: Schema.String },
        resolve: ({ title }) => Effect.succeed(title === "Dune" ? 42 : 0)
      }) {}
      const Shop = Toolkit.make(
        Resolve.tool("quote", {
          parameters: Schema.Struct({ title: Schema.String }),
          success: Schema.String,
          dependencies: [Price]
        })
      )
      const live = Shop.toLayer({ quote: ({ title }) => Effect.map(Price, (price) => `${title}: ${price}`) })
      const peer = yield* Peer.make({ ...era, registrations: Layer.provide(Resolve.toolkit(Shop), live) })
      const before = peer.transcript.length
      const result = yield* peer.callTool("quote", { title: "Dune" })
      assert.deepStrictEqual([result.isError, result.text], [false, "Dune: 42"])
      assert.lengthOf(peer.questions, 0)
      assert.lengthOf(peer.transcript.slice(before), 2)
    })
)

// D-15
eras("a body that asks is given typed data, and takes a decline and a cancel as values of its own", (era) =>
  Effect.gen(function* () {
    const Table = Schema.Struct({ guests: Schema.Int })
    const registrations = tool("book", { dependencies: [Elicitation.Elicitation] }, () =>
      Elicitation.form({ message: "How many?", schema: Table }).pipe(
        Effect.map(({ guests }) => `Booked for ${guests + 0}.`),
        Effect.catchTag(["Declined", "Cancelled"], ({ _tag }) => Effect.succeed(`No booking made: ${_tag}.`))
      )
    )
    const answers = [Answer.accept({ guests: 2 }), Answer.decline, Answer.cancel]
    const peer = yield* Peer.make({ ...era, registrations, answers: { book: answers } })
    const results = yield* Effect.forEach(answers, () => peer.callTool("book"))
    assert.deepStrictEqual(
      results.map(({ isError, text }) => [isError, text]),
      [
        [false, "Booked for 2."],
        [false, "No booking made: Declined."],
        [false, "No booking made: Cancelled."]
      ]
    )
  })
)

// D-26
eras.of("2025-11-25")(
  "the end of a page is told before the result by the id that it was asked with, and of no page does no harm",
  (era) =>
    Effect.gen(function* () {
      const registrations = tool("pay", { dependencies: [Elicitation.Elicitation] }, () =>
        Effect.gen(function* () {
          yield* Elicitation.url({ message: "Pay.", url: "https://shop.example/pay", id: "page-1" })
          yield* McpContext.elicitComplete("page-1")
          yield* McpContext.elicitComplete("nobody's")
          return "paid"
        })
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { pay: Answer.accept() } })
      assert.strictEqual((yield* peer.callTool("pay")).text, "paid")
      assert.strictEqual(peer.questions[0]!.params.elicitationId, "page-1")
      const received: ReadonlyArray<any> = peer.transcript.map(({ message }) => message)
      const told = received.flatMap(({ method, params }) =>
        method === "notifications/elicitation/complete" ? [params.elicitationId] : []
      )
      assert.deepStrictEqual(told, ["page-1", "nobody's"])
      const result = received.findIndex((message) => message.result?.content?.[0]?.text === "paid")
      assert.isBelow(
        received.findIndex(({ method }) => method === "notifications/elicitation/complete"),
        result
      )
    })
)

// E-08
const use = (id: string) => ({ type: "tool_use" as const, id, name: "weather", input: {} })
const outcome = (toolUseId: string) => ({ type: "tool_result" as const, toolUseId, content: [] })
const text = { type: "text" as const, text: "hello" }
const messages: ReadonlyArray<readonly [what: string, prompt: ReadonlyArray<any>, fits: boolean]> = [
  ["a plain one", [{ role: "user", content: text }], true],
  [
    "results beside other content",
    [
      { role: "assistant", content: [use("1")] },
      { role: "user", content: [outcome("1"), text] }
    ],
    false
  ],
  ["results without a message before", [{ role: "user", content: [outcome("1")] }], false],
  [
    "results after no use",
    [
      { role: "assistant", content: [text] },
      { role: "user", content: [outcome("1")] }
    ],
    false
  ],
  [
    "results of another use",
    [
      { role: "assistant", content: [use("1")] },
      { role: "user", content: [outcome("2")] }
    ],
    false
  ],
  [
    "results of their uses",
    [
      { role: "assistant", content: [use("1")] },
      { role: "user", content: [outcome("1")] }
    ],
    true
  ]
]
for (const [what, prompt, fits] of messages) {
  eras(`messages of sampling with ${what} are ${fits ? "sent" : "refused before anything is sent"}`, (era) =>
    Effect.gen(function* () {
      const registrations = tool("ask", { dependencies: [Sampling.Sampling] }, () =>
        Effect.as(Sampling.createMessage({ prompt, maxTokens: 1 }), "said")
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: () => Answer.sampled("hello") })
      const result = yield* peer.callTool("ask")
      assert.deepStrictEqual([result.isError, peer.questions.length], [!fits, fits ? 1 : 0])
    })
  )
}

// H-17
it.effect(
  "eleven questions, each after the one before, are eleven interim results of one key; a client that gives up after ten rounds ends it",
  () =>
    Effect.gen(function* () {
      let last: Node | undefined
      for (let i = 0; i < 11; i++) {
        const below = last
        last = resolver(`n${i}`, { dependencies: below === undefined ? [] : [below] }, () =>
          Elicitation.form({ message: `n${i}?`, schema: Yes })
        )
      }
      const registrations = tool("t", { dependencies: [last] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ registrations, answers: () => yes })
      let round = yield* peer.callToolOnce("t")
      for (let i = 0; i < 11; i++) {
        assert.deepStrictEqual(Object.keys(asked(round).inputRequests), [`n${i}`])
        round = yield* peer.retry(asked(round))
      }
      assert.strictEqual(completed(round).text, "done")
      const exit = yield* Effect.exit(peer.callTool("t"))
      assert.include(Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "", "after 10 rounds")
    })
)

// K-17
eras("what a request says in its _meta reaches the body, and what a result says in its own reaches the client", (era) =>
  Effect.gen(function* () {
    const registrations = tool("t", { success: McpSchema.CallToolResult }, () =>
      Effect.map(
        McpContext.meta,
        (meta) =>
          new McpSchema.CallToolResult({
            content: [{ type: "text", text: String((meta as any)["shop/till"]) }],
            _meta: { "shop/branch": "north" }
          })
      )
    )
    const peer = yield* Peer.make({ ...era, registrations })
    const result = yield* peer.callTool("t", {}, { meta: { "shop/till": 7 } })
    assert.strictEqual(result.text, "7")
    assert.strictEqual(result.raw._meta["shop/branch"], "north")
  })
)

// M-06
eras("two calls that report in turns, while both are at work, report under their own tokens", (era) =>
  Effect.gen(function* () {
    const both = yield* Deferred.make<void>()
    let begun = 0
    const registrations = tool("named", { parameters: Schema.Struct({ name: Schema.String }) }, ({ name }) =>
      Effect.gen(function* () {
        yield* McpContext.reportProgress({ progress: 1, message: name })
        if (++begun === 2) yield* Deferred.succeed(both, undefined)
        // neither goes on before the other has begun
        yield* Deferred.await(both)
        yield* McpContext.reportProgress({ progress: 2, message: name })
        return name
      })
    )
    const peer = yield* Peer.make({ ...era, registrations })
    const results = yield* Effect.forEach(["a", "b"], (name) => peer.callTool("named", { name }, { progress: name }), {
      concurrency: "unbounded"
    })
    for (const [index, name] of ["a", "b"].entries()) {
      const { progress, text } = results[index]!
      assert.strictEqual(text, name)
      assert.deepStrictEqual(progress, [
        { progress: 1, message: name },
        { progress: 2, message: name }
      ])
    }
  })
)
