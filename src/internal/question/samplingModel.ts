/** The client's model as effect/ai's `LanguageModel`: prompts become messages, an answer becomes parts. */
import * as AiError from "effect/ai/AiError"
import type { IdGenerator } from "effect/ai/IdGenerator"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Stream from "effect/Stream"
import { canonicalJson } from "../base/canonical.ts"
import { Sampling } from "../base/keys.ts"
import { AskFailed, type MissingCapability } from "../base/questionErrors.ts"
import type { Question } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { type Counted, CurrentAsker, EngineTypeId, nobody } from "./ask.ts"
import { ModelError } from "./modelError.ts"
import { createMessage } from "./sampling.ts"
import {
  type Block,
  type Completion,
  type Message,
  ModelOptions,
  type Options,
  type ToolCompletion,
  type ToolOptions
} from "./samplingTypes.ts"

// ---------------------------------------------------------------- the request

const unsupported = (what: string): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(
    AiError.make({
      module: "Sampling",
      method: "languageModel",
      reason: new AiError.InvalidRequestError({
        parameter: "prompt",
        description: Text.cannotGiveModel(what)
      })
    })
  )

const resultText = (part: Prompt.ToolResultPart): Effect.Effect<ReadonlyArray<string>, AiError.AiError> =>
  part.modelOutput === undefined
    ? Effect.succeed([typeof part.result === "string" ? part.result : (JSON.stringify(part.result) ?? "")])
    : Effect.forEach(part.modelOutput, (output) =>
        output.type === "text" ? Effect.succeed(output.text) : unsupported(Text.aFile(output.mediaType))
      )

const blockOf = (part: Prompt.Part): Effect.Effect<Block, AiError.AiError> => {
  switch (part.type) {
    case "text":
      return Effect.succeed({ type: "text", text: part.text })
    case "file":
      return unsupported(Text.aFile(part.mediaType))
    case "tool-call":
      return part.providerExecuted
        ? unsupported(Text.aVendorsCall(part.name))
        : Effect.succeed({
            type: "tool_use",
            id: part.id,
            name: part.name,
            // the protocol has objects only; a tool without parameters may have been called with nothing
            input: isRecord(part.params) ? part.params : {}
          })
    case "tool-result":
      return part.providerExecuted
        ? unsupported(Text.aVendorsResult(part.name))
        : Effect.map(resultText(part), (texts) => ({
            type: "tool_result",
            toolUseId: part.id,
            content: texts.map((text) => ({ type: "text", text })),
            ...(part.isFailure ? { isError: true } : {})
          }))
    default:
      return unsupported(Text.aPart(part.type))
  }
}

const isRecord = (u: unknown): u is { readonly [key: string]: unknown } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

const messagesOf = Effect.fnUntraced(function* (prompt: Prompt.Prompt) {
  const system: Array<string> = []
  const messages: Array<{ readonly from: string; readonly role: Message["role"]; readonly blocks: Array<Block> }> = []
  for (const message of prompt.content) {
    if (message.role === "system") {
      system.push(message.content)
      continue
    }
    const parts: ReadonlyArray<Prompt.Part> = message.content
    const blocks = yield* Effect.forEach(parts, blockOf)
    const last = messages.at(-1)
    // the results of one turn belong into one message, as the protocol has it; effect/ai may give them in several
    if (last?.from === "tool" && message.role === "tool") last.blocks.push(...blocks)
    else if (blocks.length > 0) {
      messages.push({ from: message.role, role: message.role === "assistant" ? "assistant" : "user", blocks })
    }
  }
  return {
    system: system.length === 0 ? undefined : system.join("\n\n"),
    messages: messages.map(
      ({ role, blocks }): Message => ({ role, content: blocks.length === 1 ? blocks[0]! : blocks })
    )
  }
})

const toolsOf = Effect.fnUntraced(function* ({ tools, toolChoice }: LanguageModel.ProviderOptions) {
  if (tools.length === 0) return {}
  const only = typeof toolChoice === "object" && "tool" in toolChoice ? toolChoice.tool : undefined
  const offered: Array<NonNullable<ToolOptions["tools"]>[number]> = []
  for (const tool of tools) {
    if (only !== undefined && tool.name !== only) continue
    if (Tool.isProviderDefined(tool)) return yield* unsupported(Text.aVendorsTool(tool.name))
    const description = Tool.getDescription(tool)
    offered.push({
      name: tool.name,
      ...(description === undefined ? {} : { description }),
      // a tool's parameters are a struct
      inputSchema: Tool.getJsonSchema(tool, { transformer: LanguageModel.defaultCodecTransformer }) as {
        readonly type: "object"
      }
    })
  }
  const mode =
    typeof toolChoice === "string"
      ? toolChoice
      : only !== undefined || ("mode" in toolChoice && toolChoice.mode === "required")
        ? "required"
        : "auto"
  // what is left out means "auto"
  return mode === "auto" ? { tools: offered } : { tools: offered, toolChoice: { mode } }
})

const instruction = (schema: object): Message => ({
  role: "user",
  content: Text.answerAsJson(schema)
})

const requestOf = Effect.fnUntraced(function* (options: LanguageModel.ProviderOptions, settings: ModelOptions) {
  const { system, messages } = yield* messagesOf(options.prompt)
  const tools = yield* toolsOf(options)
  const { responseFormat } = options
  const prompt =
    responseFormat.type === "json"
      ? [...messages, instruction(LanguageModel.defaultCodecTransformer(responseFormat.schema).jsonSchema)]
      : messages
  return {
    prompt,
    ...(system === undefined ? {} : { systemPrompt: system }),
    ...tools,
    ...settings
  } satisfies Options & ToolOptions
})

// ---------------------------------------------------------------- the question

// MD5, because it is at hand without waiting: questions that a body asks side by side all reach their round. It only
// tells them apart; what an answer counts for is decided by the engine's own digest (I3)
const digestOf = (params: unknown): string =>
  Hex.encode(Digest.md5.implementation!(new TextEncoder().encode(canonicalJson(params)))).slice(0, 16)

const unlisted = (resolver: string) =>
  new AskFailed({
    resolver,
    reason: "Unavailable",
    detail: Text.modelUnlisted
  })

// the same request may be made twice, and be retried
const countedBy = <A, E>(question: Question<A, E>): Question<A, E> & Counted => ({
  ...question,
  label: digestOf(question.params),
  counted: true
})

type Asked = Completion | ToolCompletion

const complete = (options: LanguageModel.ProviderOptions): Effect.Effect<Asked, AiError.AiError> =>
  Effect.withFiber((fiber) => {
    const asker = Context.get(fiber.context, CurrentAsker)
    const service = Context.getOrUndefined(fiber.context, Sampling)
    const resolver = asker?.key ?? nobody
    return Effect.flatMap(requestOf(options, Context.get(fiber.context, ModelOptions)), (request) =>
      Effect.flatMap(createMessage(request, resolver), (question) =>
        asker === undefined || service === undefined || !(EngineTypeId in service)
          ? Effect.fail(unlisted(resolver))
          : service.ask<Asked, never>(countedBy(question))
      ).pipe(Effect.mapError((error: AskFailed | MissingCapability) => new ModelError(error)))
    )
  })

// ---------------------------------------------------------------- the answer

const blocksOf = ({ content }: Asked): ReadonlyArray<ToolCompletion["content"][number]> =>
  "type" in content ? [content] : content

const finishReason = (answer: Asked): Response.FinishReason => {
  switch (answer.stopReason) {
    case "endTurn":
    case "stopSequence":
      return "stop"
    case "maxTokens":
      return "length"
    case "toolUse":
      return "tool-calls"
    case undefined:
      return blocksOf(answer).some((block) => block.type === "tool_use") ? "tool-calls" : "unknown"
    default:
      return "other"
  }
}

/** Models like to wrap JSON in a Markdown fence, whatever they were told. */
const unfenced = (text: string): string => /^\s*```\w*\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text

type Common =
  | Response.ToolCallPartEncoded
  | Response.FilePartEncoded
  | Response.ResponseMetadataPartEncoded
  | Response.FinishPartEncoded

const partsOf = <P>(answer: Asked, text: (text: string, index: number) => ReadonlyArray<P>): Array<P | Common> => [
  { type: "response-metadata", modelId: answer.model },
  ...blocksOf(answer).flatMap((block, index): ReadonlyArray<P | Common> => {
    switch (block.type) {
      case "text":
        return text(block.text, index)
      case "tool_use":
        return [{ type: "tool-call", id: block.id, name: block.name, params: block.input }]
      default:
        return [{ type: "file", mediaType: block.mimeType, data: Base64.encode(block.data) }]
    }
  }),
  { type: "finish", reason: finishReason(answer), usage: { inputTokens: {}, outputTokens: {} } }
]

const whole =
  ({ responseFormat }: LanguageModel.ProviderOptions) =>
  (text: string): ReadonlyArray<Response.TextPartEncoded> => [
    { type: "text", text: responseFormat.type === "json" ? unfenced(text) : text }
  ]

const streamed = (
  text: string,
  index: number
): ReadonlyArray<Response.TextStartPartEncoded | Response.TextDeltaPartEncoded | Response.TextEndPartEncoded> => {
  const id = String(index)
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: text },
    { type: "text-end", id }
  ]
}

/** The model; the question service and the settings are found with whoever calls it. */
export const languageModel: Effect.Effect<LanguageModel.LanguageModel> = LanguageModel.make({
  generateText: (options): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError, IdGenerator> =>
    Effect.map(complete(options), (answer) => partsOf(answer, whole(options))),
  streamText: (options) =>
    Stream.unwrap(Effect.map(complete(options), (answer) => Stream.fromIterable(partsOf(answer, streamed))))
})
