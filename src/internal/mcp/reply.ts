/**
 * Whether a reply can be sent: what a body has made by itself is checked before the call's scope closes (I9), because
 * effect/ai looks at it after that.
 */
import { McpRequestContext } from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"

const isJson = Schema.is(Schema.Json)

const encoders = new WeakMap<Schema.Constraint, (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>>()
const encoderOf = (schema: Schema.Constraint) => {
  const known = encoders.get(schema)
  if (known !== undefined) return known
  const made = Schema.encodeUnknownEffect(Schema.toCodecJson(schema as Schema.Codec<unknown, unknown>))
  encoders.set(schema, made)
  return made
}

/** Blocks of content that a revision does not have. */
const lacking: { readonly [version: string]: ReadonlyArray<string> } = {
  "2024-11-05": ["audio", "resource_link"],
  "2025-03-26": ["resource_link"]
}

const blocksOf = (encoded: unknown): ReadonlyArray<unknown> => {
  const { content, messages } = encoded as { readonly content?: unknown; readonly messages?: unknown }
  if (Array.isArray(content)) return content
  return Array.isArray(messages) ? messages.map((message) => message?.content) : []
}

/** Fails when a result does not encode, is no JSON, or has a part that the client's revision cannot hold. */
export const check = (schema: Schema.Constraint, value: unknown): Effect.Effect<void, unknown> =>
  Effect.flatMap(encoderOf(schema)(value), (encoded) =>
    Effect.withFiber((fiber) => {
      if (!isJson(encoded)) return Effect.die(new Error(Text.noJson("the result")))
      const request = Context.getOrUndefined(fiber.context, McpRequestContext)
      const lacks = lacking[request?.protocolVersion ?? ""] ?? []
      const foreign = blocksOf(encoded).find((block) =>
        lacks.includes((block as { readonly type?: string } | null)?.type ?? "")
      )
      return foreign === undefined
        ? Effect.void
        : Effect.die(
            new Error(Text.notInRevision((foreign as { readonly type: string }).type, request!.protocolVersion))
          )
    })
  )
