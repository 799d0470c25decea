/**
 * In-process timing by tinybench: contestants take turns, in both orders, so that drift hits all alike. What is counted is the CPU time of
 * the process: nothing here waits, and others on the machine do not count.
 */
import { Effect } from "effect"
import { Bench } from "tinybench"

export type Contestant = (i: number) => Effect.Effect<unknown, unknown>

export interface Timed {
  /** Microseconds per call, one figure a round. */
  readonly [name: string]: ReadonlyArray<number>
}

/** CPU time of this process, in milliseconds. */
const cpu = () => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1000
}

interface Options {
  readonly rounds: number
  /** Each contestant's slice of a round lasts this long, and at least four samples. */
  readonly ms: number
  /** Calls in one sample: the clock of CPU time is too coarse for a single short one. */
  readonly batch: number
}

const slice = (
  names: ReadonlyArray<string>,
  contestants: Readonly<Record<string, Contestant>>,
  { batch, ms }: Options
) =>
  Effect.promise(async () => {
    const bench = new Bench({ time: ms, iterations: 4, warmup: false, now: cpu })
    // the first one pays for what the slice before has left behind: it is timed twice, and its first time is dropped
    for (const [at, name] of [names[0]!, ...names].entries()) {
      const calls = Effect.gen(function* () {
        for (let i = 0; i < batch; i++) yield* contestants[name]!(i)
      })
      bench.add(at === 0 ? "dropped" : name, () => Effect.runPromise(calls))
    }
    await bench.run()
    return bench.tasks.slice(1).map(({ name, result }) => {
      if (!("latency" in result)) throw new Error(`${name} could not be timed: ${result.state}`)
      return [name, (result.latency.mean * 1000) / batch] as const
    })
  })

export const rounds = Effect.fnUntraced(function* (
  contestants: Readonly<Record<string, Contestant>>,
  options: Options
) {
  const names = Object.keys(contestants)
  const timed: Record<string, Array<number>> = {}
  // the first pass warms the compiler
  yield* slice(names, contestants, options)
  for (let round = 0; round < options.rounds; round++) {
    for (const [name, each] of yield* slice(round % 2 === 0 ? names : names.toReversed(), contestants, options)) {
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
