/** A time limit whose clock stands still while a question is open that its resolver waits for. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Asker } from "./asker.ts"

export interface Stopwatch {
  readonly covers: (asker: Asker) => boolean
  readonly running: Latch.Latch
  readonly stopped: Latch.Latch
  open: number
}

export const make = (covers: (asker: Asker) => boolean): Stopwatch => ({
  covers,
  running: Latch.makeUnsafe(true),
  stopped: Latch.makeUnsafe(false),
  open: 0
})

const pause = (watch: Stopwatch) => {
  if (watch.open++ > 0) return
  watch.running.closeUnsafe()
  watch.stopped.openUnsafe()
}

const resume = (watch: Stopwatch) => {
  if (--watch.open > 0) return
  watch.stopped.closeUnsafe()
  watch.running.openUnsafe()
}

/** Stops the clocks that wait for this asker while `self` runs. */
export const whileOpen = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  asker: Asker,
  watches: ReadonlySet<Stopwatch>
): Effect.Effect<A, E, R> => {
  if (watches.size === 0) return self
  return Effect.suspend(() => {
    const waiting = Array.from(watches).filter((watch) => covers(watch, asker))
    waiting.forEach(pause)
    return Effect.ensuring(
      self,
      Effect.sync(() => waiting.forEach(resume))
    )
  })
}

// a question of a call inside a body is a question of that body
const covers = (watch: Stopwatch, asker: Asker | undefined): boolean =>
  asker !== undefined && (watch.covers(asker) || covers(watch, asker.parent))

/** Ends when the clock has run for the given time. */
export const elapsed = Effect.fnUntraced(function* (watch: Stopwatch, limit: Duration.Duration) {
  let left = Duration.toMillis(limit)
  while (left > 0) {
    yield* watch.running.await
    const started = yield* Clock.currentTimeMillis
    const ran = yield* Effect.raceFirst(Effect.as(Effect.sleep(left), true), Effect.as(watch.stopped.await, false))
    if (ran) return
    left -= (yield* Clock.currentTimeMillis) - started
  }
})
