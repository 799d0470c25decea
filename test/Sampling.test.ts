import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Elicitation, Question, RequestState, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { registrations as example04 } from "../examples/04-ask-the-model.ts"
import { resolver, tool } from "./rules/kit.ts"

const key = "shop/Model"

/** A tool with one resolver that makes this request, and says what came of it. */
const requests = (request: Effect.Effect<unknown, any, any>) => {
  const model = resolver(key, {}, () => request)
  return tool("ask", { dependencies: [model] }, () => Effect.map(model.get, (value) => JSON.stringify(value)))
}

const ask = (options: Sampling.Options & Sampling.ToolOptions): Effect.Effect<any, any, Sampling.Sampling> =>
  Sampling.createMessage(options as any)

const text = (text: string) => ({ type: "text" as const, text })
const use = (id: string, name = "rain") => ({ type: "tool_use" as const, id, name, input: { city: "Oslo" } })
const outcome = (toolUseId: string) => ({ type: "tool_result" as const, toolUseId, content: [text("yes")] })
const rain = { name: "rain", inputSchema: { type: "object" as const, properties: { city: { type: "string" } } } }
const pixel = new Uint8Array([137, 80, 78, 71])
const image = { type: "image" as const, data: pixel, mimeType: "image/png" }
const audio = { type: "audio" as const, data: pixel, mimeType: "audio/wav" }

const failed = (sentence: string) => `Error executing tool ask: ${sentence}`

describe("example 04", () => {
  eras("a text of the client's model is today's pick, and is asked for once", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: example04,
        answers: { "bookshop/Pick": Answer.sampled("Dune") }
      })
      const result = yield* peer.callTool("recommend_book", { genre: "fantasy" })
      assert.strictEqual(result.text, "Today's fantasy pick: Dune")
      assert.strictEqual(peer.questions.length, 1)
      assert.deepStrictEqual(peer.questions[0]!.params, {
        messages: [{ role: "user", content: text("Suggest one fantasy book title. Answer with the title only.") }],
        maxTokens: 50
      })
    })
  )

  eras("any other block of the client's model is the classics", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: example04,
        answers: {
          "bookshop/Pick": Answer.sampled({ content: { type: "image", data: "iVBORw==", mimeType: "image/png" } })
        }
      })
      const result = yield* peer.callTool("recommend_book", { genre: "fantasy" })
      assert.strictEqual(result.text, "Today's fantasy pick: the classics")
    })
  )
})

describe("what is sent", () => {
  eras("every field of a sampling request arrives, and what is not given is not there", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(
          ask({
            prompt: [
              { role: "user", content: [text("What is this?"), image] },
              { role: "assistant", content: "A picture." },
              { role: "user", content: audio }
            ],
            maxTokens: 7,
            systemPrompt: "Be brief.",
            temperature: 0.5,
            stopSequences: ["END"],
            modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
            includeContext: "thisServer",
            metadata: { trace: "t1" },
            tools: [rain],
            toolChoice: { mode: "auto" },
            label: "only here",
            timeout: "1 minute"
          })
        ),
        answers: { [`${key}#only here`]: Answer.sampled("ok") }
      })
      yield* peer.callTool("ask", {})
      assert.deepStrictEqual(peer.questions[0]!.params, {
        messages: [
          {
            role: "user",
            content: [text("What is this?"), { type: "image", data: "iVBORw==", mimeType: "image/png" }]
          },
          { role: "assistant", content: text("A picture.") },
          { role: "user", content: { type: "audio", data: "iVBORw==", mimeType: "audio/wav" } }
        ],
        maxTokens: 7,
        systemPrompt: "Be brief.",
        temperature: 0.5,
        stopSequences: ["END"],
        modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
        includeContext: "thisServer",
        metadata: { trace: "t1" },
        tools: [rain],
        toolChoice: { mode: "auto" }
      })
    })
  )

  eras.of("2025-06-18", "2025-03-26")(
    "a message of several blocks is several messages for versions that have one block each",
    (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: requests(
            ask({
              prompt: [
                { role: "user", content: [text("What is this?"), { ...image, _meta: { a: 1 } }], _meta: { b: 2 } },
                { role: "assistant", content: [text("A picture.")] }
              ],
              maxTokens: 7,
              includeContext: "allServers"
            })
          ),
          answers: { [key]: Answer.sampled("ok") }
        })
        const result = yield* peer.callTool("ask", {})
        assert.isFalse(result.isError, result.text)
        assert.deepStrictEqual(peer.questions[0]!.params, {
          messages: [
            { role: "user", content: text("What is this?") },
            { role: "user", content: { type: "image", data: "iVBORw==", mimeType: "image/png" } },
            { role: "assistant", content: text("A picture.") }
          ],
          maxTokens: 7,
          includeContext: "allServers"
        })
      })
  )

  eras.of("2024-11-05")("audio is refused before anything is sent to a version without it", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(ask({ prompt: [{ role: "user", content: audio }], maxTokens: 7 }))
      })
      const result = yield* peer.callTool("ask", {})
      assert.strictEqual(
        result.text,
        failed(`Resolver for '${key}' could not resolve: protocol 2024-11-05 has no audio for the client's model`)
      )
      assert.strictEqual(peer.questions.length, 0)
    })
  )

  const unbalanced: ReadonlyArray<readonly [string, ReadonlyArray<Sampling.Message>, string]> = [
    [
      "a result beside other content",
      [
        { role: "assistant", content: use("1") },
        { role: "user", content: [outcome("1"), text("so?")] }
      ],
      "The last message must contain only tool_result content if any is present"
    ],
    [
      "a result beside other content, further up",
      [
        { role: "assistant", content: use("1") },
        { role: "user", content: [outcome("1"), text("so?")] },
        { role: "user", content: "Well?" }
      ],
      "A message must contain only tool_result content if any is present"
    ],
    [
      "a result with nothing before it",
      [{ role: "user", content: outcome("1") }],
      "tool_result requires a previous message containing tool_use"
    ],
    [
      "a result after a text",
      [
        { role: "assistant", content: "Hm." },
        { role: "user", content: outcome("1") }
      ],
      "tool_result blocks do not match any tool_use in the previous message"
    ],
    [
      "a result of another use",
      [
        { role: "assistant", content: use("1") },
        { role: "user", content: outcome("2") }
      ],
      "ids of tool_result blocks and tool_use blocks from previous message do not match"
    ],
    [
      "one result for two uses",
      [
        { role: "assistant", content: [use("1"), use("2")] },
        { role: "user", content: outcome("1") }
      ],
      "ids of tool_result blocks and tool_use blocks from previous message do not match"
    ],
    [
      "a use that is passed over",
      [
        { role: "assistant", content: use("1") },
        { role: "user", content: "Never mind." }
      ],
      "ids of tool_result blocks and tool_use blocks from previous message do not match"
    ],
    [
      "a use at the end",
      [{ role: "assistant", content: [text("Let me see."), use("1")] }],
      "tool_use requires a next message with its tool_result"
    ]
  ]
  eras("unbalanced tool_use and tool_result are refused before anything is sent", (era) =>
    Effect.forEach(unbalanced, ([name, prompt, problem]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, registrations: requests(ask({ prompt, maxTokens: 1 })) })
          const result = yield* peer.callTool("ask", {})
          assert.strictEqual(result.text, failed(`Resolver for '${key}' could not resolve: ${problem}`), name)
          assert.isTrue(result.isError)
          assert.strictEqual(peer.questions.length, 0)
        })
      )
    )
  )

  eras("balanced turns pass, several of them", (era) =>
    Effect.gen(function* () {
      const prompt: ReadonlyArray<Sampling.Message> = [
        { role: "user", content: "Is it raining in Oslo, and in Bergen?" },
        { role: "assistant", content: [text("Let me see."), use("1"), use("2")] },
        { role: "user", content: [outcome("2"), outcome("1")] },
        { role: "assistant", content: use("1") },
        { role: "user", content: outcome("1") }
      ]
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(ask({ prompt, maxTokens: 1 })),
        answers: { [key]: Answer.sampled("ok") }
      })
      assert.isFalse((yield* peer.callTool("ask", {})).isError)
      assert.deepStrictEqual(peer.questions[0]!.params.messages[2], {
        role: "user",
        content: [outcome("2"), outcome("1")]
      })
    })
  )

  eras("a request that the protocol cannot express says so and nothing more, and is not sent", (era) =>
    Effect.forEach(
      [
        { prompt: "?", maxTokens: 1.5 },
        { prompt: "?", maxTokens: 1, temperature: Number.NaN },
        { prompt: "?", maxTokens: 1, metadata: { secret: 1n } },
        { prompt: "?", maxTokens: 1, modelPreferences: { costPriority: 2 } }
      ],
      (options) =>
        Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.make({ ...era, registrations: requests(ask(options)) })
            const result = yield* peer.callTool("ask", {})
            assert.strictEqual(
              result.text,
              failed(
                `Resolver for '${key}' could not resolve: its request to the client's model does not fit the protocol`
              )
            )
            assert.strictEqual(peer.questions.length, 0)
          })
        )
    )
  )
})

describe("what is answered", () => {
  eras("a completion is the value, with its role, model and stop reason, binary data as bytes", (era) =>
    Effect.gen(function* () {
      const seen: Array<Sampling.Completion> = []
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(
          Effect.tap(Sampling.createMessage({ prompt: "Draw.", maxTokens: 1 }), (value) =>
            Effect.sync(() => void seen.push(value))
          )
        ),
        answers: {
          [key]: Answer.result({
            role: "assistant",
            content: { type: "image", data: "iVBORw==", mimeType: "image/png" },
            model: "painter",
            stopReason: "artistic",
            unheard: true
          })
        }
      })
      assert.isFalse((yield* peer.callTool("ask", {})).isError)
      assert.deepStrictEqual(seen.at(-1) as unknown, {
        role: "assistant",
        content: image,
        model: "painter",
        stopReason: "artistic"
      })
    })
  )

  eras("with tools, blocks are a list and a single block is a list of one", (era) =>
    Effect.gen(function* () {
      for (const options of [{ tools: [rain] }, { tools: [] }, { toolChoice: { mode: "none" as const } }]) {
        for (const content of [text("4"), [text("4")], [text("4"), use("1")], []]) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const peer = yield* Peer.make({
                ...era,
                registrations: requests(
                  Effect.map(
                    Sampling.createMessage({ prompt: "2 + 2?", maxTokens: 1, ...options }),
                    ({ content }) => content
                  )
                ),
                answers: { [key]: Answer.sampled({ content, stopReason: "toolUse" }) }
              })
              const result = yield* peer.callTool("ask", {})
              assert.deepStrictEqual(JSON.parse(result.text), Array.isArray(content) ? content : [content])
            })
          )
        }
      }
    })
  )

  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["roots", { roots: [] }],
    ["an elicitation's answer", { action: "accept", content: {} }],
    ["nothing", {}],
    ["a list of blocks", { role: "assistant", model: "m", content: [text("Paris")] }],
    ["an empty list", { role: "assistant", model: "m", content: [] }],
    ["a tool_use that nobody offered", { role: "assistant", model: "m", content: use("1"), stopReason: "toolUse" }],
    [
      "a stop for a tool that nobody offered",
      { role: "assistant", model: "m", content: text("?"), stopReason: "toolUse" }
    ],
    ["an unknown block type", { role: "assistant", model: "m", content: { type: "video", data: "" } }],
    ["a text that is no string", { role: "assistant", model: "m", content: { type: "text", text: 4 } }],
    [
      "an image that is no base64",
      { role: "assistant", model: "m", content: { type: "image", data: "?", mimeType: "a/b" } }
    ],
    ["a model that is no string", { role: "assistant", model: 4, content: text("Paris") }],
    ["no model", { role: "assistant", content: text("Paris") }],
    ["another role", { role: "system", model: "m", content: text("Paris") }]
  ]
  eras("an answer of another kind is a typed failure, whatever is wrong with it", (era) =>
    Effect.forEach(wrong, ([name, answer]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: requests(ask({ prompt: "Capital of France?", maxTokens: 1 })),
            answers: { [key]: Answer.result(answer) }
          })
          const result = yield* peer.callTool("ask", {})
          assert.strictEqual(result.text, failed(`Resolver '${key}' received a response of the wrong kind`), name)
        })
      )
    )
  )

  eras("with tools, a result of a tool or an unknown block is of the wrong kind", (era) =>
    Effect.forEach([outcome("1"), [text("ok"), { type: "video" }], "4"], (content) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: requests(ask({ prompt: "2 + 2?", maxTokens: 1, tools: [rain] })),
            answers: { [key]: Answer.sampled({ content }) }
          })
          const result = yield* peer.callTool("ask", {})
          assert.strictEqual(result.text, failed(`Resolver '${key}' received a response of the wrong kind`))
        })
      )
    )
  )

  eras.of(
    "2025-11-25",
    "2025-06-18",
    "2024-11-05"
  )("the client's own error is told by its code, and its words stay out of it", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(ask({ prompt: "?", maxTokens: 1 })),
        answers: { [key]: Answer.error(-1, "User rejected sampling request") }
      })
      const result = yield* peer.callTool("ask", {})
      assert.strictEqual(
        result.text,
        failed(`Resolver for '${key}' could not resolve: the client answered with error -1`)
      )
    })
  )

  eras("asking again after an answer that does not fit is a retry of the question", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(
          Effect.retry(ask({ prompt: "Capital of France?", maxTokens: 1 }), {
            times: 1,
            while: (error) => error instanceof Question.AskFailed && error.reason === "InvalidAnswer"
          })
        ),
        answers: { [key]: [Answer.roots([]), Answer.sampled("Paris")] }
      })
      const result = yield* peer.callTool("ask", {})
      assert.strictEqual(JSON.parse(result.text).content.text, "Paris")
    })
  )
})

const Yes = Schema.Struct({ ok: Schema.Boolean })
const twoSteps = () => {
  const model = resolver("shop/Model", {}, () => ask({ prompt: "Name a book.", maxTokens: 1 }))
  const text = Effect.map(model.get, (completion: any): string => completion.content.text)
  const confirm = resolver("shop/Confirm", { dependencies: [model] }, () =>
    Effect.flatMap(text, (title) => Elicitation.form({ message: `Take ${title.slice(0, 4)}?`, schema: Yes }))
  )
  return tool("ask", { dependencies: [model, confirm] }, () => text)
}

describe("between rounds", () => {
  eras("the client's model is asked once per call, however many rounds follow", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: twoSteps(),
        answers: { "shop/Model": Answer.sampled("Dune"), "shop/Confirm": Answer.accept({ ok: true }) }
      })
      const result = yield* peer.callTool("ask", {})
      assert.strictEqual(result.text, "Dune")
      assert.deepStrictEqual(
        peer.questions.map(({ method }) => method),
        ["sampling/createMessage", "elicitation/create"]
      )
    })
  )

  eras("a decline is no answer of a model", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: twoSteps(), answers: { "shop/Model": Answer.decline } })
      const result = yield* peer.callTool("ask", {})
      assert.strictEqual(result.text, failed("Resolver 'shop/Model' received a response of the wrong kind"))
    })
  )

  it.effect("a recorded decline does not answer the sampling question that took its form's place", () =>
    Effect.gen(function* () {
      let deployed = 1
      const first = resolver("shop/Model", {}, () =>
        Effect.suspend(
          (): Effect.Effect<any, any, any> =>
            deployed === 1
              ? Elicitation.form({ message: "Name a book.", schema: Yes })
              : ask({ prompt: "Name a book.", maxTokens: 1 })
        )
      )
      const second = resolver("shop/Confirm", { dependencies: [first.result] }, () =>
        Effect.flatMap(first.result, (outcome: any) =>
          Effect.andThen(
            Elicitation.form({ message: "Sure?", schema: Yes }),
            Effect.succeed(Result.isFailure(outcome) ? "nobody" : (outcome.success as any).content.text)
          )
        )
      )
      const peer = yield* Peer.make({
        registrations: tool("ask", { dependencies: [second] }, () => second.get),
        answers: ({ key, method }) => {
          if (key === "shop/Confirm") {
            deployed = 2
            return Answer.accept({ ok: true })
          }
          return method === "elicitation/create" ? Answer.decline : Answer.sampled("Dune")
        }
      })
      assert.strictEqual((yield* peer.callTool("ask", {})).text, "Dune")
      assert.deepStrictEqual(
        peer.questions.slice(0, 3).map(({ key, method }) => [key, method]),
        [
          ["shop/Model", "elicitation/create"],
          ["shop/Confirm", "elicitation/create"],
          ["shop/Model", "sampling/createMessage"]
        ]
      )
    })
  )

  const long = "x".repeat(3000)
  const small = RequestState.layerEphemeral({ maxBytes: 2048 })
  eras("a completion over maxBytes is the value when no round follows", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: requests(
          Effect.map(ask({ prompt: "Write.", maxTokens: 1 }), ({ content }) => content.text.length)
        ),
        answers: { [key]: Answer.sampled(long) }
      })
      assert.strictEqual((yield* peer.callTool("ask", {})).text, "3000")
    }).pipe(Effect.provide(small))
  )

  it.effect("a completion over maxBytes ends the call by name when a round would have to carry it", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations: twoSteps(), answers: { "shop/Model": Answer.sampled(long) } })
      const result = yield* peer.callTool("ask", {})
      assert.isTrue(result.isError)
      assert.match(
        result.text,
        /^Error executing tool ask: what this call has been told is too large to carry on: .*'shop\/Model'$/
      )
      assert.strictEqual(peer.questions.length, 1)
    }).pipe(Effect.provide(small))
  )
})
