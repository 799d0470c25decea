/**
 * What the protocol adapters know and effect/ai does not tell a handler (WIRE.md 4 and 5).
 *
 * `Protocols` fills these references around each request; the engine reads them. Under effect/ai's own adapters
 * they keep their defaults, and the features that need them are absent, never wrong.
 */
import { Context, Option } from "effect";
/** The client's own JSON-RPC id of the request at hand, in its original type. */
export const CurrentRequestId = Context.Reference("effect-resolve/internal/CurrentRequestId", {
    defaultValue: () => Option.none()
});
/** Present only while a `resources/read` of a protocol with multi-round results runs under our adapters. */
export const CurrentReadCarrier = Context.Reference("effect-resolve/internal/ReadCarrier", {
    defaultValue: () => undefined
});
