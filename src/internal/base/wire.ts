/**
 * What the protocol adapters know and effect/ai does not tell a handler.
 *
 * `Protocols` fills these references around each request; the engine reads them. Under effect/ai's own adapters
 * they keep their defaults, and the features that need them are absent, never wrong.
 */
import { Context, Option } from "effect"
import type { McpSchema } from "effect/ai"

/** The client's own JSON-RPC id of the request at hand, in its original type. */
export const CurrentRequestId = Context.Reference<Option.Option<string | number>>(
  "effect-resolve/internal/CurrentRequestId",
  {
    defaultValue: () => Option.none()
  }
)

/**
 * Where a `resources/read` that asks leaves its interim result: effect/ai's resource handlers cannot return one.
 * The engine sets `inputRequired` and fails the read; the adapter sends the questions in place of that failure.
 */
export interface ReadCarrier {
  inputRequired: McpSchema.InputRequired | undefined
}

/** Present only while a `resources/read` of a protocol with multi-round results runs under our adapters. */
export const CurrentReadCarrier = Context.Reference<ReadCarrier | undefined>("effect-resolve/internal/ReadCarrier", {
  defaultValue: () => undefined
})

/** One question to a client of an older protocol, and its answer as it was on the wire, once there is one. */
export interface Answered {
  /** The form as it is to be shown, where the question is one: effect/ai leaves out the choices of 2025-06-18. */
  readonly form: unknown
  answer: { readonly value: unknown } | undefined
}

/** Set by the engine around a question; our adapters fill it, effect/ai's own leave it empty. */
export const CurrentAnswer = Context.Reference<Answered | undefined>("effect-resolve/internal/CurrentAnswer", {
  defaultValue: () => undefined
})

/** Told by each registration whether its state is sealed with configured keys: a server says once when none are. */
export const CurrentSealObserver = Context.Reference<((configured: boolean) => void) | undefined>(
  "effect-resolve/internal/SealObserver",
  { defaultValue: () => undefined }
)

/** Stands for the answer of a client that is gone: no client sends it. */
export const goneCode = -32_098

/** Stands for the answer to a question that is not put, since too many are open. */
export const tooManyCode = -32_097
