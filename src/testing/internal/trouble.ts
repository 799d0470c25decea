/**
 * What is wrong beyond any one call: a question without an answer, a server that breaks the protocol.
 *
 * Every open call dies of it, and so does the end of the test: nobody may have looked at the call.
 */
import { Deferred, Effect } from "effect"
import { PeerFailure } from "../PeerError.ts"
import * as Text from "./messages.ts"

export interface Trouble {
  readonly fail: (error: PeerFailure) => Effect.Effect<void>
  readonly wrong: (text: string) => Effect.Effect<void>
  /** For work of the peer's that no call waits for. */
  readonly died: (defect: unknown) => Effect.Effect<void>
  /** Dies once something is wrong. */
  readonly raised: Effect.Effect<never>
  readonly failure: () => PeerFailure | undefined
}

export const make = (): Trouble => {
  const failed = Deferred.makeUnsafe<never>()
  let failure: PeerFailure | undefined
  const fail = (error: PeerFailure) =>
    Effect.suspend(() => {
      failure ??= error
      return Effect.asVoid(Deferred.die(failed, failure))
    })
  return {
    fail,
    wrong: (message) => fail(new PeerFailure({ message })),
    died: (defect) =>
      fail(defect instanceof PeerFailure ? defect : new PeerFailure({ message: Text.peerDied(defect) })),
    raised: Deferred.await(failed),
    failure: () => failure
  }
}
