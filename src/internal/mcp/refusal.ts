/**
 * How a request ends with a JSON-RPC error of ours. effect/ai lets a handler fail only with two errors of its own, so
 * the handler fails with a `Refusal`, and a middleware beside it turns that into the wire's error.
 */
import { type McpErrorBase, McpRequestContext } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { appendPreResponseHandlerUnsafe } from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { Capabilities, MissingCapability } from "../base/questionErrors.ts"
import * as Text from "../base/sentences.ts"
import { refusal as invalidState } from "../state/seal.ts"

export class Refusal extends Data.TaggedError("effect-resolve/Refusal")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

/** The one answer to every state that does not verify, whatever the cause (I8). */
export const frozen = new Refusal(invalidState)

export const internal = new Refusal({ code: -32603, message: Text.internal })

/** For a round that another request has claimed: it is worked on, or who worked on it is gone. Nobody can tell which. */
export const roundOpen = new Refusal({
  code: -32603,
  message: Text.roundOpen,
  data: { reason: "round_in_progress" }
})

/** For a round that could not be claimed: nothing was run for this request. */
export const unclaimed = new Refusal({
  code: -32603,
  message: Text.notClaimed,
  data: { reason: "journal_unavailable" }
})

export const replyTooLarge = new Refusal({
  code: -32603,
  message: Text.replyTooLarge,
  data: { reason: "reply_not_kept" }
})

export const missingCapability = (error: MissingCapability): Refusal =>
  new Refusal({
    code: -32021,
    message: error.message,
    data: { requiredCapabilities: error.requiredCapabilities satisfies Capabilities }
  })

/** An error of the protocol that a program fails with passes as it is. */
export const ofProtocol = ({ code, data, message }: Pick<McpErrorBase, "code" | "data" | "message">): Refusal =>
  new Refusal({ code, message, data })

/** A sentence for prompts and resources, whose results cannot say `isError`. */
export const sentence = (message: string): Refusal => new Refusal({ code: -32603, message })

// the specification wants HTTP 400 for this one; effect/ai answers errors of middleware with 200
const withStatus = (refusal: Refusal) =>
  Effect.withFiber((fiber) => {
    const request = Context.getOrUndefined(fiber.context, McpRequestContext)
    if (refusal.code === -32021 && request !== undefined && request.protocolVersion >= "2026-07-28") {
      appendPreResponseHandlerUnsafe(fiber.context, (_request, response) =>
        Effect.succeed(HttpServerResponse.setStatus(response, 400))
      )
    }
    return Effect.fail(refusal)
  })

const middleware = McpServer.middleware(
  (effect) =>
    Effect.catchIf(
      effect as Effect.Effect<McpServer.MiddlewareSuccess, unknown>,
      (error): error is Refusal => error instanceof Refusal,
      withStatus
    ) as typeof effect // only our own refusals are added to what the handler fails with
)

/** The services that a registration needs so that its refusals reach the wire. */
export const services: Effect.Effect<Context.Context<never>> = Effect.scoped(
  Effect.map(Layer.build(middleware.layer), (context) => context as Context.Context<never>)
)
