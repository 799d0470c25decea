/**
 * How a peer begins and ends: the handshake of old protocols, their stream between calls, the reckoning at the end.
 */
import { Deferred, Effect, Exit, type Scope } from "effect"
import { type JsonRpcError, PeerFailure } from "../PeerError.ts"
import * as Text from "./messages.ts"
import type { Rounds } from "./rounds.ts"
import type { Player } from "./script.ts"
import type { Session } from "./session.ts"

/** Gives the Effect that tells what the server says of itself. */
export const handshake = Effect.fnUntraced(function* (session: Session, rounds: Rounds) {
  const { capabilities, clientInfo, protocol, stateless } = session.profile
  const discover: Effect.Effect<any, JsonRpcError> = rounds.result("server/discover", undefined)
  if (stateless) return discover
  const hello = { protocolVersion: protocol, capabilities, clientInfo }
  const result = yield* Effect.orDie(rounds.result("initialize", hello))
  if (result.protocolVersion !== protocol) {
    return yield* Effect.die(new PeerFailure({ message: Text.otherProtocol(protocol, result.protocolVersion) }))
  }
  yield* session.line.negotiated
  yield* session.notify("notifications/initialized")
  return Effect.succeed(result)
})

/** Opens the stream on which an old server may speak between calls; one that has none says 405, and that is fine. */
export const openStream = Effect.fnUntraced(function* (session: Session, scope: Scope.Scope) {
  const opened = yield* Deferred.make<void>()
  const headers = { accept: "text/event-stream", "content-type": undefined }
  const stream = session.fetch({ method: "GET", headers }, undefined, Deferred.succeed(opened, undefined))
  yield* Effect.forkIn(
    Effect.onError(stream, () => Deferred.succeed(opened, undefined)),
    scope
  )
  // what happens after `connect` must not be missed
  yield* Deferred.await(opened)
})

/** What the end of a test that went well brings to light. */
export const reckon = (exit: Exit.Exit<unknown, unknown>, session: Session, player: Player): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (Exit.isFailure(exit)) return Effect.void
    const failure = session.trouble.failure()
    if (failure !== undefined) return Effect.die(failure)
    const left = player.unused()
    if (left.length === 0) return Effect.void
    return Effect.die(new PeerFailure({ message: Text.unused(left) }))
  })
