/** A request to the client's model as a question: rendered, projected per protocol version, and its answer read. */
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskFailed, type Capabilities } from "../base/questionErrors.ts"
import type { Question, Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { askerOf, wrongKind } from "./elicitation.ts"
import * as Messages from "./samplingMessages.ts"
import type { Answer, Completion, Options, Request, ToolCompletion, ToolOptions } from "./samplingTypes.ts"

const Payload = McpSchema.CreateMessage.payloadSchema

const encodeRequest = Schema.encodeUnknownEffect(
  Schema.toCodecJson(
    Schema.Struct({
      ...Payload.fields,
      messages: Schema.Array(Messages.MessageSchema)
    })
  )
)
const decodeRequest = Schema.decodeUnknownEffect(Payload)

const answer = {
  role: Messages.RoleSchema,
  model: Schema.String,
  stopReason: McpSchema.optional(Schema.String),
  _meta: McpSchema.optional(Schema.Record(Schema.String, Schema.Unknown))
}
const decodePlain = Schema.decodeUnknownEffect(Schema.Struct({ ...answer, content: Messages.SpokenSchema }))
const decodeWithTools = Schema.decodeUnknownEffect(
  Schema.Struct({ ...answer, content: Schema.Union([Messages.AnsweredSchema, Schema.Array(Messages.AnsweredSchema)]) })
)

const plain = (raw: unknown, resolver: string): Effect.Effect<Completion, AskFailed> =>
  Effect.flatMap(
    Effect.mapError(decodePlain(raw), (cause) => wrongKind(resolver, cause)),
    // nothing was there to use: effect/ai refuses it on 2025-11-25, so it is refused everywhere
    (decoded) => (decoded.stopReason === "toolUse" ? Effect.fail(wrongKind(resolver)) : Effect.succeed(decoded))
  )

const withTools = (raw: unknown, resolver: string): Effect.Effect<ToolCompletion, AskFailed> =>
  Effect.mapBoth(decodeWithTools(raw), {
    onFailure: (cause) => wrongKind(resolver, cause),
    onSuccess: (decoded) => ({ ...decoded, content: "type" in decoded.content ? [decoded.content] : decoded.content })
  })

const unaskable = (resolver: string, detail: string, cause?: unknown) =>
  new AskFailed({ resolver, reason: "Unavailable", detail, ...(cause === undefined ? {} : { cause }) })

const requires = (params: { readonly [key: string]: unknown }, toolBlocks: boolean): Capabilities => ({
  sampling: {
    ...(params.tools !== undefined || params.toolChoice !== undefined || toolBlocks ? { tools: {} } : {}),
    ...(params.includeContext !== undefined && params.includeContext !== "none" ? { context: {} } : {})
  }
})

export const createMessage = (
  { prompt, label, timeout, ...fields }: Options & ToolOptions,
  resolver: string
): Effect.Effect<Question<Completion | ToolCompletion, never>, AskFailed> =>
  Effect.suspend(() => {
    const messages = Messages.messagesOf(prompt)
    const problem = Messages.imbalance(messages)
    if (problem !== undefined) return Effect.fail(unaskable(resolver, problem))
    return Effect.mapBoth(encodeRequest({ ...fields, messages }), {
      onFailure: (cause) => unaskable(resolver, Text.notOfTheProtocol, cause),
      // a struct is encoded as an object
      onSuccess: (params) => question(params as Encoded, messages, label, timeout)
    })
  })

type Encoded = { readonly messages: ReadonlyArray<unknown>; readonly [key: string]: unknown }

const question = (
  params: Encoded,
  messages: ReadonlyArray<Messages.Sent>,
  label: Options["label"],
  timeout: Options["timeout"]
): Question<Completion | ToolCompletion, never> => ({
  method: "sampling/createMessage",
  params,
  label,
  timeout,
  requires: requires(params, Messages.hasToolBlocks(messages)),
  project: (version, resolver) => {
    if (version >= "2025-11-25") return Effect.succeed(params)
    if (version < "2025-03-26" && Messages.hasAudio(messages)) {
      return Effect.fail(unaskable(resolver, Text.noAudio(version)))
    }
    return Effect.succeed({ ...params, messages: Messages.singly(params.messages) })
  },
  interpret: params.tools === undefined && params.toolChoice === undefined ? plain : withTools
})

/** A question as a program in process answers it. */
const request = (question: Question<unknown, unknown>, resolver: string): Effect.Effect<Request> =>
  // encoded above, by a narrower schema
  Effect.map(Effect.orDie(decodeRequest(question.params)), (request) => ({
    ...request,
    resolver,
    label: question.label
  }))

const encodeAnswer = ({ content, ...rest }: Answer): Effect.Effect<unknown> =>
  Effect.map(
    Effect.orDie(Messages.encodeBlocks(typeof content === "string" ? { type: "text", text: content } : content)),
    (content) => ({ role: "assistant", ...rest, content })
  )

export const inProcess = (answer: (request: Request) => Effect.Effect<Answer>): Service => ({
  supports: () => Effect.succeed(true),
  ask: (question) =>
    Effect.withFiber((fiber) => {
      const resolver = askerOf(fiber.context)
      return request(question, resolver).pipe(
        Effect.flatMap(answer),
        Effect.flatMap(encodeAnswer),
        Effect.flatMap((raw) => question.interpret(raw, resolver))
      )
    })
})
