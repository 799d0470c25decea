/**
 * In-process timing: contestants take turns, in both orders, so that drift hits all alike. What is counted is the CPU time of
 * the process: nothing here waits, and others on the machine do not count.
 */
import { Effect } from "effect"

export type Contestant = (i: number) => Effect.Effect<unknown, unknown>

export interface Timed {
  /** Microseconds per call, one figure a round. */
  readonly [name: string]: ReadonlyArray<number>
}

const slice = (contestant: Contestant, calls: number) =>
  Effect.gen(function* () {
    const started = process.cpuUsage()
    for (let i = 0; i < calls; i++) yield* contestant(i)
    const { system, user } = process.cpuUsage(started)
    return (user + system) / calls
  })

/** Calls that fill about `ms`, so that a slow contestant takes no longer than a quick one. */
const callsThatFill = (contestant: Contestant, ms: number) =>
  Effect.gen(function* () {
    let calls = 1
    while (true) {
      const each = yield* slice(contestant, calls)
      if ((each * calls) / 1000 >= ms / 4) return Math.max(1, Math.round((ms * 1000) / each))
      calls *= 2
    }
  })

export const rounds = Effect.fnUntraced(function* (
  contestants: Readonly<Record<string, Contestant>>,
  options: { readonly rounds: number; readonly ms: number }
) {
  const names = Object.keys(contestants)
  const calls: Record<string, number> = {}
  const timed: Record<string, Array<number>> = {}
  // the first pass warms the compiler, the second measures
  for (const name of [...names, ...names]) calls[name] = yield* callsThatFill(contestants[name]!, options.ms)
  for (let round = 0; round < options.rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const each = yield* slice(contestants[name]!, calls[name]!)
      timed[name] = [...(timed[name] ?? []), each]
    }
  }
  return timed as Timed
})

/** Runs a script's program and sends its result, or why there is none, to the harness. */
export const report = (program: Effect.Effect<unknown, unknown>): void => {
  Effect.runPromise(program).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ failed: String(error?.stack ?? error) })
  )
  process.on("message", () => process.exit(0))
}
