/**
 * Draws cases and holds each against what it must do: so many of a fixed seed in CI, as many as the time allows in
 * `npm run fuzz`. What fails is made small and told with the seed it came from.
 */
import { Effect, type Scope } from "effect"
import * as fc from "fast-check"

export interface Settings {
  readonly seed: number
  readonly runs: number
}

const seconds = Number(process.env.FUZZ_SECONDS ?? 0)
const fuzzSeed = Number(process.env.FUZZ_SEED ?? 0)

// for the mutants: that a case fails is enough, and it is not made small
const first = process.env.FIRST_CASE !== undefined

/** Longer than a long run takes: fast-check ends it. */
export const timeout = seconds > 0 ? seconds * 1_000 + 300_000 : 300_000

/** Fails with the smallest case that it finds, as `wrong` tells it. */
export const hold = <A>(
  cases: fc.Arbitrary<A>,
  tell: (one: A) => string,
  settings: Settings,
  wrong: (one: A) => Effect.Effect<string | undefined, unknown, Scope.Scope>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const seed = seconds > 0 ? fuzzSeed + settings.seed : settings.seed
    let drawn = 0
    const result = yield* Effect.promise(() =>
      fc.check(
        fc.asyncProperty(cases, async (one) => {
          drawn++
          const found = await Effect.runPromiseWith(context)(Effect.scoped(wrong(one)))
          if (found !== undefined) throw new Error(found)
        }),
        {
          seed,
          // a call that hangs is a case that fails
          timeout: first ? 5_000 : 20_000,
          endOnFailure: first,
          numRuns: seconds > 0 ? 1_000_000_000 : settings.runs,
          // in CI a limit for making a case small; a long run ends by it
          interruptAfterTimeLimit: seconds > 0 ? seconds * 1_000 : 200_000,
          markInterruptAsFailure: seconds === 0
        }
      )
    )
    if (seconds > 0) process.stdout.write(`${drawn} cases from seed ${seed}\n`)
    // the message of the smallest case is the last that was thrown
    if (!result.failed) return
    const error = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance)
    const smallest = tell(result.counterexample![0])
    return yield* Effect.die(new Error(`seed ${seed}, case ${result.numRuns}:\n${smallest}\n${error}`))
  })
