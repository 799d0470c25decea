import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema, Stream } from "effect"
import { AiError, LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Elicitation, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { registrations as example05 } from "../examples/05-language-model.ts"
import { resolver, tool } from "./rules/kit.ts"

const key = "shop/Writer"

/** A tool with one resolver that uses the client's model, and says what came of it. */
const uses = (program: Effect.Effect<unknown, any, any>) => {
  const writer = resolver(key, { dependencies: [Sampling.languageModel] }, () => program)
  return tool("write", { dependencies: [writer], failure: AiError.AiError }, () =>
    Effect.map(writer.get, (value) => JSON.stringify(value) ?? "")
  )
}

const textOf = ({ params }: { readonly params: any }): string => {
  const { content } = params.messages.at(-1)
  return content.text ?? content.at(-1).text
}
const models = (peer: Peer.Peer) => peer.questions.filter(({ method }) => method === "sampling/createMessage")

const Weather = Tool.make("weather", {
  description: "Tells the weather.",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.Struct({ rain: Schema.Boolean })
})
const Clock = Tool.make("clock", { success: Schema.String })
const Tools = Toolkit.make(Weather, Clock)
const ToolsLive = Tools.toLayer({
  weather: ({ city }) => Effect.succeed({ rain: city === "Bergen" }),
  clock: () => Effect.succeed("noon")
})

const toolUse = (id: string, name: string, input: {}) => ({ type: "tool_use", id, name, input })

describe("example 05", () => {
  eras("text and an object of the client's model, one question each", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: example05,
        answers: (question) =>
          question.params.messages.length === 1
            ? Answer.sampled("dragons")
            : Answer.sampled('```json\n{ "title": "Eragon", "reason": "dragons" }\n```')
      })
      const result = yield* peer.callTool("recommend_book", { genre: "fantasy" })
      assert.strictEqual(result.text, "Today's fantasy pick: Eragon (dragons)")
      assert.strictEqual(peer.questions.length, 2)
      const [first, second] = peer.questions.map(({ params }) => params)
      assert.deepStrictEqual(first, {
        messages: [{ role: "user", content: { type: "text", text: "What do readers of fantasy like? Be brief." } }],
        maxTokens: 200,
        temperature: 0
      })
      assert.deepStrictEqual(second.messages[0], {
        role: "user",
        content: { type: "text", text: "Suggest one fantasy book to somebody who likes this: dragons" }
      })
      const [lead, schema] = textOf({ params: second }).split("\n")
      assert.strictEqual(lead, "Answer with one JSON value that matches this JSON Schema, and with nothing else:")
      const { type, properties, required } = JSON.parse(schema!)
      assert.deepStrictEqual(
        { type, names: Object.keys(properties), required },
        {
          type: "object",
          names: ["title", "reason"],
          required: ["title", "reason"]
        }
      )
    })
  )

  eras("an object that does not fit its schema is the tool's declared failure", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: example05,
        answers: () => Answer.sampled("dragons")
      })
      const result = yield* peer.callTool("recommend_book", { genre: "fantasy" })
      assert.isTrue(result.isError)
      assert.include(result.text, "LanguageModel.generateObject: Structured output validation failed")
    })
  )

  eras("a client without sampling is refused with -32021, and is not asked", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: example05, capabilities: { elicitation: {} } })
      const error = yield* Effect.flip(peer.callTool("recommend_book", { genre: "fantasy" }))
      assert.strictEqual(error.code, -32021)
      assert.deepStrictEqual(error.data, { requiredCapabilities: { sampling: {} } })
      assert.strictEqual(
        error.message,
        "Client did not declare the sampling capability required by resolver 'bookshop/Suggest'"
      )
    })
  )
})

describe("questions of the client's model", () => {
  eras("a loop of three model calls asks three questions in three rounds, each labelled by its digest", (era) =>
    Effect.gen(function* () {
      let runs = 0
      const loop = Effect.gen(function* () {
        runs++
        let said = ""
        for (const step of [1, 2, 3]) {
          const { text } = yield* LanguageModel.generateText({ prompt: `Step ${step} after '${said}'` })
          said = text
        }
        return said
      })
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(loop),
        answers: (question) => Answer.sampled(`done: ${textOf(question).slice(0, 6)}`)
      })
      const result = yield* peer.callTool("write", {})
      assert.strictEqual(JSON.parse(result.text), "done: Step 3")
      assert.deepStrictEqual(peer.questions.map(textOf), [
        "Step 1 after ''",
        "Step 2 after 'done: Step 1'",
        "Step 3 after 'done: Step 2'"
      ])
      const keys = peer.questions.map(({ key }) => key ?? "")
      assert.strictEqual(new Set(keys).size, 3)
      for (const key of keys) assert.match(key, /^shop\/Writer#[0-9a-f]{16}$/)
      assert.strictEqual(runs, era.protocol === "2026-07-28" ? 4 : 1)
    })
  )

  eras("the same request made twice is two questions", (era) =>
    Effect.gen(function* () {
      const once = Effect.map(LanguageModel.generateText({ prompt: "A colour?" }), ({ text }) => text)
      let answered = 0
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(Effect.all([once, once, once])),
        answers: () => Answer.sampled(["red", "green", "blue"][answered++] ?? "?")
      })
      const result = yield* peer.callTool("write", {})
      assert.deepStrictEqual(JSON.parse(result.text), ["red", "green", "blue"])
      const keys = peer.questions.map(({ key }) => key ?? "")
      assert.deepStrictEqual(keys.slice(1), [`${keys[0]}-2`, `${keys[0]}-3`])
    })
  )

  eras("calls made side by side share a round", (era) =>
    Effect.gen(function* () {
      let runs = 0
      const say = (word: string) => Effect.map(LanguageModel.generateText({ prompt: word }), ({ text }) => text)
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(
          Effect.andThen(
            Effect.sync(() => runs++),
            Effect.all([say("a"), say("a"), say("b")], { concurrency: "unbounded" })
          )
        ),
        answers: (question) => Answer.sampled(textOf(question).toUpperCase())
      })
      assert.deepStrictEqual(JSON.parse((yield* peer.callTool("write", {})).text), ["A", "A", "B"])
      assert.strictEqual(runs, era.protocol === "2026-07-28" ? 2 : 1)
    })
  )

  const Seat = Schema.Struct({ seat: Schema.Int })
  eras("a resolver's text and object are one model call each, however many rounds follow", (era) =>
    Effect.gen(function* () {
      const writer = resolver(key, { dependencies: [Sampling.languageModel] }, () =>
        Effect.gen(function* () {
          const { text } = yield* LanguageModel.generateText({ prompt: "A title?" })
          const { value } = yield* LanguageModel.generateObject({ prompt: `A seat for ${text}?`, schema: Seat })
          return `${text} ${value.seat}`
        })
      )
      const sure = resolver("shop/Sure", { dependencies: [writer] }, () =>
        Effect.andThen(Elicitation.confirm("Sure?", { label: "one" }), Elicitation.confirm("Really?", { label: "two" }))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("write", { dependencies: [writer, sure], failure: AiError.AiError }, () => writer.get),
        answers: (question) =>
          question.method === "elicitation/create"
            ? Answer.accept({ confirm: true })
            : Answer.sampled(question.params.messages.length === 1 ? "Dune" : '{"seat":4}')
      })
      assert.strictEqual((yield* peer.callTool("write", {})).text, "Dune 4")
      assert.strictEqual(models(peer).length, 2)
      assert.strictEqual(peer.questions.length, 4)
      // and the next call asks again
      yield* peer.callTool("write", {})
      assert.strictEqual(models(peer).length, 4)
    })
  )

  it.effect("a prompt that changes in every round ends the call by name, and does not ask for ever", () =>
    Effect.gen(function* () {
      let runs = 0
      const peer = yield* Peer.make({
        registrations: uses(Effect.suspend(() => LanguageModel.generateText({ prompt: `Run ${++runs}` }))),
        answers: () => Answer.sampled("ok")
      })
      const result = yield* peer.callTool("write", {})
      assert.include(result.text, `Resolver '${key}' asked a question that changed 2 times while it was being answered`)
      assert.strictEqual(peer.questions.length, 2)
    })
  )

  eras("a body that lists Sampling beside the model asks", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: tool(
          "write",
          { dependencies: [Sampling.languageModel, Sampling.Sampling], failure: AiError.AiError },
          () => Effect.map(LanguageModel.generateText({ prompt: "A title?" }), ({ text }) => text)
        ),
        answers: () => Answer.sampled("Dune")
      })
      assert.strictEqual((yield* peer.callTool("write", {})).text, "Dune")
      assert.match(peer.questions[0]!.key ?? "", /^write#[0-9a-f]{16}$/)
    })
  )

  eras("a body that does not list it is told to", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("write", { dependencies: [Sampling.languageModel], failure: AiError.AiError }, () =>
          Effect.map(LanguageModel.generateText({ prompt: "A title?" }), ({ text }) => text)
        )
      })
      const result = yield* peer.callTool("write", {})
      assert.strictEqual(
        result.text,
        "Error executing tool write: Resolver for 'write' could not resolve: it calls the client's model in its body; list Sampling.Sampling beside Sampling.languageModel"
      )
    })
  )

  eras("a model kept after its resolver has ended cannot ask", (era) =>
    Effect.gen(function* () {
      const closure = resolver("shop/Closure", { dependencies: [Sampling.languageModel] }, () =>
        Effect.map(Effect.context<LanguageModel.LanguageModel>(), (context) =>
          Effect.provideContext(LanguageModel.generateText({ prompt: "?" }), context)
        )
      )
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("write", { dependencies: [closure], failure: AiError.AiError }, () =>
          Effect.flatMap(closure.get, (late: any): Effect.Effect<any, any> => late)
        )
      })
      const result = yield* peer.callTool("write", {})
      assert.include(result.text, "it asked a question after it had ended")
      assert.strictEqual(peer.questions.length, 0)
    })
  )
})

describe("requests", () => {
  eras("a conversation with tools becomes messages, tools and a choice", (era) =>
    Effect.gen(function* () {
      const history = Prompt.make([
        { role: "system", content: "Be brief." },
        { role: "system", content: "Be kind." },
        { role: "user", content: "Rain?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me see." },
            { type: "tool-call", id: "1", name: "weather", params: { city: "Oslo" } },
            { type: "tool-call", id: "2", name: "clock", params: undefined }
          ]
        },
        {
          role: "tool",
          content: [{ type: "tool-result", id: "1", name: "weather", isFailure: false, result: { rain: false } }]
        },
        { role: "tool", content: [{ type: "tool-result", id: "2", name: "clock", isFailure: true, result: "late" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "And" },
            { type: "text", text: "now?" }
          ]
        }
      ])
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(
          Effect.map(
            Effect.provide(
              LanguageModel.generateText({ prompt: history, toolkit: Tools, toolChoice: { tool: "weather" } }),
              ToolsLive
            ),
            ({ text }) => text
          )
        ),
        answers: () => Answer.sampled("no")
      })
      assert.strictEqual(JSON.parse((yield* peer.callTool("write", {})).text), "no")
      const { tools, ...params } = peer.questions[0]!.params
      assert.deepStrictEqual(params, {
        messages: [
          { role: "user", content: { type: "text", text: "Rain?" } },
          {
            role: "assistant",
            content: [
              { type: "text", text: "Let me see." },
              toolUse("1", "weather", { city: "Oslo" }),
              toolUse("2", "clock", {})
            ]
          },
          {
            role: "user",
            content: [
              { type: "tool_result", toolUseId: "1", content: [{ type: "text", text: '{"rain":false}' }] },
              { type: "tool_result", toolUseId: "2", content: [{ type: "text", text: "late" }], isError: true }
            ]
          },
          {
            role: "user",
            content: [
              { type: "text", text: "And" },
              { type: "text", text: "now?" }
            ]
          }
        ],
        maxTokens: 1024,
        systemPrompt: "Be brief.\n\nBe kind.",
        toolChoice: { mode: "required" }
      })
      assert.deepStrictEqual(
        tools.map(({ name, description, inputSchema }: any) => [name, description, inputSchema.type]),
        [["weather", "Tells the weather.", "object"]]
      )
    })
  )

  const choices: ReadonlyArray<readonly [LanguageModel.ToolChoice<any>, unknown, ReadonlyArray<string>]> = [
    ["auto", undefined, ["weather", "clock"]],
    ["none", { mode: "none" }, ["weather", "clock"]],
    ["required", { mode: "required" }, ["weather", "clock"]],
    [{ tool: "clock" }, { mode: "required" }, ["clock"]],
    [{ oneOf: ["clock"] }, undefined, ["clock"]],
    [{ mode: "required", oneOf: ["weather"] }, { mode: "required" }, ["weather"]]
  ]
  eras("each tool choice of effect/ai has its form in the protocol", (era) =>
    Effect.forEach(choices, ([toolChoice, mode, names]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: uses(
              Effect.map(
                Effect.provide(LanguageModel.generateText({ prompt: "?", toolkit: Tools, toolChoice }), ToolsLive),
                ({ text }) => text
              )
            ),
            answers: () => Answer.sampled("ok")
          })
          yield* peer.callTool("write", {})
          const { params } = peer.questions[0]!
          assert.deepStrictEqual([params.toolChoice, params.tools.map(({ name }: any) => name)], [mode, names])
        })
      )
    )
  )

  const VendorTool = Tool.providerDefined({ id: "vendor.search", customName: "search", providerName: "web_search" })
  const refused: ReadonlyArray<readonly [string, Effect.Effect<unknown, any, any>]> = [
    [
      "a file (image/png)",
      LanguageModel.generateText({
        prompt: [{ role: "user", content: [{ type: "file", mediaType: "image/png", data: new Uint8Array([1]) }] }]
      })
    ],
    [
      "a reasoning part",
      LanguageModel.generateText({
        prompt: [{ role: "assistant", content: [{ type: "reasoning", text: "Hm." }] }]
      })
    ],
    [
      "a tool-call that another model's vendor ran ('search')",
      LanguageModel.generateText({
        prompt: [
          {
            role: "assistant",
            content: [{ type: "tool-call", id: "1", name: "search", params: {}, providerExecuted: true }]
          }
        ]
      })
    ],
    [
      "the tool 'search', which a model's vendor runs",
      LanguageModel.generateText({ prompt: "?", toolkit: Toolkit.make(VendorTool()) as any })
    ]
  ]
  eras("what the client's model cannot be given is an AiError that names it, and nothing is sent", (era) =>
    Effect.forEach(refused, ([what, program]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen: Array<AiError.AiError> = []
          const peer = yield* Peer.make({
            ...era,
            registrations: uses(
              Effect.catchTag(program, "AiError", (error) => Effect.sync(() => void seen.push(error)))
            )
          })
          yield* peer.callTool("write", {})
          assert.include(seen[0]!.message, `The client's model cannot be given ${what}`)
          assert.strictEqual(seen[0]!.reason._tag, "InvalidRequestError")
          assert.strictEqual(peer.questions.length, 0)
        })
      )
    )
  )
})

describe("answers", () => {
  eras("a tool loop runs tools here and the model there", (era) =>
    Effect.gen(function* () {
      const loop = Effect.gen(function* () {
        let prompt = Prompt.make("Do I need an umbrella in Bergen?")
        for (let turn = 0; turn < 5; turn++) {
          const response = yield* LanguageModel.generateText({ prompt, toolkit: Tools })
          if (response.finishReason !== "tool-calls") return response.text
          prompt = Prompt.concat(prompt, Prompt.fromResponseParts(response.content as any))
        }
        return "too long"
      })
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(Effect.provide(loop, ToolsLive)),
        answers: ({ params }) => {
          const last = params.messages.at(-1).content
          return last.type === "text"
            ? Answer.sampled({ content: [toolUse("a", "weather", { city: "Bergen" })], stopReason: "toolUse" })
            : Answer.sampled(`Because of ${last.content[0].text}: yes`)
        }
      })
      const result = yield* peer.callTool("write", {})
      assert.strictEqual(JSON.parse(result.text), 'Because of {"rain":true}: yes')
      assert.deepStrictEqual(peer.questions[1]!.params.messages.slice(1), [
        { role: "assistant", content: toolUse("a", "weather", { city: "Bergen" }) },
        {
          role: "user",
          content: { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: '{"rain":true}' }] }
        }
      ])
    })
  )

  eras("the finish reason and the model are the client's, usage is unknown, images are files", (era) =>
    Effect.gen(function* () {
      for (const [stopReason, reason] of [
        ["endTurn", "stop"],
        ["stopSequence", "stop"],
        ["maxTokens", "length"],
        ["weary", "other"],
        [undefined, "unknown"]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.make({
              ...era,
              registrations: uses(
                Effect.map(LanguageModel.generateText({ prompt: "?" }), ({ content, finishReason, usage }) => [
                  finishReason,
                  usage.inputTokens.total ?? null,
                  usage.outputTokens.total ?? null,
                  content.flatMap((part) =>
                    part.type === "response-metadata"
                      ? [part.modelId]
                      : part.type === "file"
                        ? [part.mediaType, ...part.data]
                        : []
                  )
                ])
              ),
              answers: () =>
                Answer.result({
                  role: "assistant",
                  content: { type: "image", data: "AQI=", mimeType: "image/png" },
                  model: "painter",
                  ...(stopReason === undefined ? {} : { stopReason })
                })
            })
            const result = yield* peer.callTool("write", {})
            assert.deepStrictEqual(JSON.parse(result.text), [reason, null, null, ["painter", "image/png", 1, 2]])
          })
        )
      }
    })
  )

  eras("streamText emits all text as one part", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(
          Effect.map(Stream.runCollect(LanguageModel.streamText({ prompt: "A title?" })), (parts) =>
            Array.from(parts, (part) => (part.type === "text-delta" ? part.delta : part.type))
          )
        ),
        answers: () => Answer.sampled("Dune")
      })
      const result = yield* peer.callTool("write", {})
      assert.deepStrictEqual(JSON.parse(result.text), ["response-metadata", "text-start", "Dune", "text-end", "finish"])
    })
  )

  eras("streamText with tools runs them, too", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(
          Effect.map(
            Stream.runCollect(LanguageModel.streamText({ prompt: "Rain?", toolkit: Tools })).pipe(
              Effect.provide(ToolsLive)
            ),
            (parts) => Array.from(parts, (part) => part.type)
          )
        ),
        answers: () => Answer.sampled({ content: [toolUse("a", "weather", { city: "Oslo" })], stopReason: "toolUse" })
      })
      const result = yield* peer.callTool("write", {})
      assert.deepStrictEqual(JSON.parse(result.text), ["response-metadata", "tool-call", "tool-result", "finish"])
    })
  )
})

describe("errors of the client's model", () => {
  const caught = (program: Effect.Effect<any, AiError.AiError, any>) =>
    uses(Effect.catchTag(program, "AiError", (error) => Effect.succeed([error.reason._tag, error.isRetryable])))

  eras("a question that fails is an AiError, and can be caught as one", (era) =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Partial<Peer.ClientOptions>, unknown]> = [
        [{ capabilities: {} }, ["InvalidRequestError", false]],
        [{ answers: () => Answer.roots([]) }, ["InvalidOutputError", true]],
        ...(era.protocol === "2026-07-28"
          ? []
          : [[{ answers: () => Answer.error(-1, "no") }, ["UnknownError", false]] as const])
      ]
      for (const [options, expected] of cases) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.make({
              ...era,
              ...options,
              registrations: caught(LanguageModel.generateText({ prompt: "?" }))
            })
            assert.deepStrictEqual(JSON.parse((yield* peer.callTool("write", {})).text), expected)
          })
        )
      }
    })
  )

  eras.of("2025-11-25")(
    "no answer in time is an AiError that may be retried, after the time ModelOptions says",
    (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: caught(
            Effect.provideService(LanguageModel.generateText({ prompt: "?" }), Sampling.ModelOptions, {
              maxTokens: 1,
              timeout: "3 seconds"
            })
          ),
          answers: () => Answer.never
        })
        const call = yield* Effect.forkChild(peer.callTool("write", {}))
        yield* peer.settle
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(JSON.parse((yield* Fiber.join(call)).text), ["InternalProviderError", true])
      })
  )

  eras("one that nobody caught is told as the question's own error", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(LanguageModel.generateText({ prompt: "?" })),
        answers: () => Answer.roots([])
      })
      const result = yield* peer.callTool("write", {})
      assert.strictEqual(
        result.text,
        `Error executing tool write: Resolver '${key}' received a response of the wrong kind`
      )
    })
  )

  eras("tools without the capability for them are -32021, also behind orDie", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        capabilities: { sampling: {} },
        registrations: uses(
          Effect.orDie(Effect.provide(LanguageModel.generateText({ prompt: "?", toolkit: Tools }), ToolsLive))
        )
      })
      const error = yield* Effect.flip(peer.callTool("write", {}))
      assert.strictEqual(error.code, -32021)
      assert.deepStrictEqual(error.data, { requiredCapabilities: { sampling: { tools: {} } } })
    })
  )

  eras("a retry after an answer that does not fit asks again", (era) =>
    Effect.gen(function* () {
      let answered = 0
      const peer = yield* Peer.make({
        ...era,
        registrations: uses(
          Effect.map(
            Effect.retry(LanguageModel.generateText({ prompt: "?" }), {
              times: 2,
              while: (error) => error.isRetryable
            }),
            ({ text }) => text
          )
        ),
        answers: () => (answered++ === 0 ? Answer.roots([]) : Answer.sampled("ok"))
      })
      assert.strictEqual(JSON.parse((yield* peer.callTool("write", {})).text), "ok")
      assert.strictEqual(peer.questions.length, 2)
    })
  )
})
