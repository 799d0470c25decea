/**
 * The call itself, in process or on the wire: its identity and its beginning, the same on every round of it.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { Call } from "./internal/base/keys.ts"

export { Call } from "./internal/base/keys.ts"

/**
 * The id of the call at hand: a random UUID, the same on each of its rounds.
 *
 * @category accessors
 * @since 0.1.0
 */
export const id: Effect.Effect<string, never, Call> = Call.useSync((call) => call.id)

/**
 * When the call at hand began: milliseconds since the epoch, the same on each of its rounds.
 *
 * @category accessors
 * @since 0.1.0
 */
export const startedAt: Effect.Effect<number, never, Call> = Call.useSync((call) => call.startedAt)
