/**
 * Tells when the server has come to rest, so that a test may move its clock.
 *
 * The web handler works with promises: after a request the server is some turns of the event loop away from its first
 * sleep, and a clock that is moved too early makes that sleep start late. No clock is read here; turns are counted.
 */
import { Clock, Context, Duration, Effect } from "effect"

/** What the server is doing, counted. */
export interface Activity {
  /** Requests of the peers without their response. */
  requests: number
  /** Who slept already when the first of these requests came: the server's own housekeeping. */
  resting: number
  /** Questions that wait for an answer that will not come by itself. */
  questions: number
  /** Server fibers that sleep. */
  sleepers: number
  /** Grows with every frame and every sleep. */
  ticks: number
}

export const make = (): Activity => ({ requests: 0, resting: 0, questions: 0, sleepers: 0, ticks: 0 })

/** Counts a request for as long as it is open. */
export const during = <A, E, R>(activity: Activity, request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      if (activity.requests === 0) activity.resting = activity.sleepers
      activity.requests++
    }),
    () => request,
    () =>
      Effect.sync(() => {
        activity.requests--
      })
  )

/** The clock of the context, made to count who sleeps on it. Time itself stays the test's. */
export const watch = <R>(activity: Activity, context: Context.Context<R>): Context.Context<R> => {
  const clock = Context.get(context, Clock.Clock)
  const sleep: Clock.Clock["sleep"] = (duration) => {
    // nothing comes of a sleep without an end
    if (!Duration.isFinite(duration)) return clock.sleep(duration)
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        activity.sleepers++
        activity.ticks++
      }),
      () => clock.sleep(duration),
      () =>
        Effect.sync(() => {
          activity.sleepers--
          activity.ticks++
        })
    )
  }
  const watched: Clock.Clock = Object.assign(Object.create(clock), { sleep })
  return Context.add(context, Clock.Clock, watched) as Context.Context<R>
}

const quietTurns = 500
const maxTurns = 50_000

/** Waits until nothing has happened for a while and every open request waits for time or for an answer. */
export const settle = (activity: Activity): Effect.Effect<void> =>
  Effect.gen(function* () {
    // without a request there is nothing but housekeeping to wait for
    if (activity.requests === 0) activity.resting = activity.sleepers
    let quiet = 0
    let last = activity.ticks
    for (let turn = 0; turn < maxTurns && quiet < quietTurns; turn++) {
      yield* Effect.yieldNow
      const waits = activity.sleepers - activity.resting + activity.questions >= activity.requests
      quiet = waits && activity.ticks === last ? quiet + 1 : 0
      last = activity.ticks
    }
  })
