/** Messages for the client's model: what the protocol's versions say of their form and order. */
import * as McpSchema from "effect/ai/McpSchema"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"
import type { Block, Message } from "./samplingTypes.ts"

const Meta = McpSchema.optional(Schema.Record(Schema.String, Schema.Unknown))

// effect/ai's two tool blocks are classes, which do not encode plain objects
const ToolUse = Schema.Struct(McpSchema.ToolUseContent.fields)
const ToolResult = Schema.Struct(McpSchema.ToolResultContent.fields)
const spoken = [McpSchema.TextContent, McpSchema.ImageContent, McpSchema.AudioContent] as const

export const RoleSchema = Schema.Literals(["user", "assistant"])
/** A block of an answer to a request without tools. */
export const SpokenSchema = Schema.Union(spoken)
/** A block of an answer to a request with tools. */
export const AnsweredSchema = Schema.Union([...spoken, ToolUse])
const BlockSchema = Schema.Union([...spoken, ToolUse, ToolResult])
export const MessageSchema = Schema.Struct({
  role: RoleSchema,
  content: Schema.Union([BlockSchema, Schema.Array(BlockSchema)]),
  _meta: Meta
})

export type Sent = typeof MessageSchema.Type

const blocksOf = (message: Sent): ReadonlyArray<Block> =>
  "type" in message.content ? [message.content] : message.content

const normalize = (content: Message["content"]): Sent["content"] =>
  typeof content === "string" ? { type: "text", text: content } : content

export const messagesOf = (prompt: string | ReadonlyArray<Message>): ReadonlyArray<Sent> =>
  typeof prompt === "string"
    ? [{ role: "user", content: normalize(prompt) }]
    : prompt.map((message) => ({ ...message, content: normalize(message.content) }))

const usesOf = (message: Sent | undefined): ReadonlySet<string> =>
  new Set(
    (message === undefined ? [] : blocksOf(message)).flatMap((block) => (block.type === "tool_use" ? block.id : []))
  )

const resultsOf = (message: Sent): ReadonlySet<string> =>
  new Set(blocksOf(message).flatMap((block) => (block.type === "tool_result" ? block.toolUseId : [])))

export const hasToolBlocks = (messages: ReadonlyArray<Sent>): boolean =>
  messages.some((message) => usesOf(message).size > 0 || resultsOf(message).size > 0)

/**
 * What is wrong with the order of tool_use and tool_result blocks: each message with tool_use is followed by one made
 * wholly of their results, and no result stands anywhere else. The sentences are worded as in other SDKs.
 */
export const imbalance = (messages: ReadonlyArray<Sent>): string | undefined => {
  let open: ReadonlySet<string> = new Set()
  for (const [index, message] of messages.entries()) {
    const results = resultsOf(message)
    if (results.size > 0) {
      if (blocksOf(message).some((block) => block.type !== "tool_result")) {
        return Text.mixedResults(index === messages.length - 1)
      }
      if (index === 0) return Text.noCallBefore
      if (open.size === 0) return Text.noCallMatches
    }
    if (open.size !== results.size || [...open].some((id) => !results.has(id))) {
      return Text.otherIds
    }
    open = usesOf(message)
  }
  return open.size === 0 ? undefined : Text.noResultAfter
}

/** Before 2025-11-25 a message holds one block: several are sent as as many messages of the same role. */
export const singly = (messages: ReadonlyArray<unknown>): ReadonlyArray<{ readonly [key: string]: unknown }> =>
  // encoded by the schema above
  (messages as ReadonlyArray<typeof MessageSchema.Encoded>).flatMap(({ role, content }) =>
    ("type" in content ? [content] : content).map(({ _meta, ...block }) => ({ role, content: block }))
  )

export const hasAudio = (messages: ReadonlyArray<Sent>): boolean =>
  messages.some((message) => blocksOf(message).some((block) => block.type === "audio"))

export const encodeBlocks = Schema.encodeUnknownEffect(
  Schema.toCodecJson(Schema.Union([BlockSchema, Schema.Array(BlockSchema)]))
) as (content: unknown) => Effect.Effect<unknown, Schema.SchemaError>
