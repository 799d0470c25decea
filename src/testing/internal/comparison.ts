/**
 * Whether one test comes out alike on every protocol version that it is run on.
 */
import { Effect, Equal } from "effect"
import { PeerFailure } from "../PeerError.ts"
import * as Text from "./messages.ts"

/** Takes the outcomes of one test, version by version, and dies at the first that is not like one before it. */
export const comparison = <A>(name: string): ((version: string, outcome: A) => Effect.Effect<void>) => {
  const outcomes: Array<readonly [version: string, outcome: A]> = []
  return (version, outcome) =>
    Effect.suspend(() => {
      // a test that gives nothing has nothing to compare
      if (outcome === undefined) return Effect.void
      const other = outcomes.find(([, one]) => !Equal.equals(one, outcome))
      outcomes.push([version, outcome])
      if (other === undefined) return Effect.void
      return Effect.die(new PeerFailure({ message: Text.erasDiffer(name, other, [version, outcome]) }))
    })
}
