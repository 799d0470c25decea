/**
 * The call itself, in process or on the wire: its identity and its beginning, the same on every round of it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Service that identifies the call at hand. It is there in every resolver and every body, and needs no Layer.
 *
 * A call on 2026-07-28 may take several requests; all of them see one `id` and one `startedAt`, which ride in the
 * sealed state. That makes them fit for idempotency keys, for a question's text and for a correlation id in a URL.
 * The very first request sent twice is two calls (DESIGN.md 2).
 *
 * @category services
 * @since 0.1.0
 */
export class Call extends Context.Service<
  Call,
  {
    /** A random UUID, unguessable. */
    readonly id: string
    /** Milliseconds since the epoch, on the server's clock, when the first round began. */
    readonly startedAt: number
  }
>()("effect-resolve/Call") {}

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
