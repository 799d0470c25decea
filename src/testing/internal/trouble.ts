/**
 * What is wrong beyond any one call: a question without an answer, a server that breaks the protocol.
 *
 * Every open call dies of it. If none is open, or nobody looks at the call, the end of the test does.
 */
import { Deferred, Effect } from "effect"
import { PeerFailure } from "../PeerError.ts"

export interface Trouble {
  readonly fail: (error: PeerFailure) => Effect.Effect<void>
  readonly wrong: (text: string) => Effect.Effect<void>
  /** Dies once something is wrong. */
  readonly raised: Effect.Effect<never>
  /** What no call has died of yet. */
  readonly unreported: () => PeerFailure | undefined
}

export const make = (): Trouble => {
  const failed = Deferred.makeUnsafe<never>()
  let failure: PeerFailure | undefined
  let reported = false
  const fail = (error: PeerFailure) =>
    Effect.suspend(() => {
      failure ??= error
      return Effect.asVoid(Deferred.die(failed, failure))
    })
  return {
    fail,
    wrong: (message) => fail(new PeerFailure({ message })),
    raised: Effect.onError(Deferred.await(failed), () =>
      Effect.sync(() => {
        reported = failure !== undefined
      })
    ),
    unreported: () => (reported ? undefined : failure)
  }
}
