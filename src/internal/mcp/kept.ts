/** The reply of a round as JSON that a journal keeps, and back: what it says on the wire is the same, byte for byte. */
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Binding } from "../state/claims.ts"
import * as Refusal from "./refusal.ts"

const results = {
  "tools/call": McpSchema.CallToolResult,
  "prompts/get": McpSchema.GetPromptResult,
  "resources/read": McpSchema.ReadResourceResult
}

const Shape = Schema.Union([
  Schema.Struct({ result: Schema.Unknown }),
  Schema.Struct({
    asked: Schema.Struct({ inputRequests: Schema.Record(Schema.String, Schema.Any), requestState: Schema.String })
  }),
  Schema.Struct({
    error: Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Any) })
  })
])
const decodeShape = Schema.decodeUnknownEffect(Shape)

type ExitOf<A> = Exit.Exit<A | McpSchema.InputRequired, Refusal.Refusal>

const make = (method: Binding["method"]) => {
  const json = Schema.toCodecJson(results[method] as Schema.Codec<unknown, unknown>)
  const encodeResult = Schema.encodeUnknownEffect(json)
  const decodeResult = Schema.decodeUnknownEffect(json)
  return {
    encode: (exit: ExitOf<unknown>): Effect.Effect<unknown, unknown> =>
      Exit.match(exit, {
        onSuccess: (reply) =>
          reply instanceof McpSchema.InputRequired
            ? Effect.succeed({ asked: { inputRequests: reply.inputRequests, requestState: reply.requestState } })
            : Effect.map(encodeResult(reply), (result) => ({ result })),
        onFailure: (cause) =>
          Effect.map(Effect.flip(Effect.failCause(cause)), ({ code, data, message }) => ({
            error: data === undefined ? { code, message } : { code, message, data }
          }))
      }),
    decode: (kept: unknown): Effect.Effect<ExitOf<unknown>, unknown> =>
      Effect.flatMap(decodeShape(kept), (shape): Effect.Effect<ExitOf<unknown>, unknown> => {
        if ("asked" in shape) return Effect.succeed(Exit.succeed(new McpSchema.InputRequired(shape.asked)))
        if ("error" in shape) return Effect.succeed(Exit.fail(new Refusal.Refusal(shape.error)))
        return Effect.map(decodeResult(shape.result), Exit.succeed)
      })
  }
}

const made = new Map<Binding["method"], ReturnType<typeof make>>()

/** For the results of one method. */
export const codecOf = <A>(method: Binding["method"]) => {
  let codec = made.get(method)
  if (codec === undefined) made.set(method, (codec = make(method)))
  return codec as {
    readonly encode: (exit: ExitOf<A>) => Effect.Effect<unknown, unknown>
    readonly decode: (kept: unknown) => Effect.Effect<ExitOf<A>, unknown>
  } // the results of a method are what its surface makes
}
