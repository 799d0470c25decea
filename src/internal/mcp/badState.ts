/** The one answer to every state that does not verify (I8): counted, logged with its reason, told to nobody. */
import * as Effect from "effect/Effect"
import * as Text from "../base/sentences.ts"
import * as Telemetry from "../call/telemetry.ts"
import * as Refusal from "./refusal.ts"

export const refuse = (method: string, reason: string, cause?: unknown): Effect.Effect<never, Refusal.Refusal> =>
  Effect.logWarning(Text.rejectedStateOn(method, reason), ...(cause === undefined ? [] : [cause])).pipe(
    Effect.andThen(Telemetry.countRejection(reason)),
    Effect.andThen(Effect.fail(Refusal.frozen))
  )
