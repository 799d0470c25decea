/**
 * Who has to be told before a server stops. An HTTP server waits for open connections first and closes the layers
 * behind it afterwards, so a stream that only its layer could end would hold it up.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"

type Drains = Set<Effect.Effect<void>>

const CurrentDrains = Context.Reference<Drains | undefined>("effect-resolve/internal/Drains", {
  defaultValue: () => undefined
})

/** Whether a server takes new calls, for whoever sends them to it. */
export interface Readiness {
  ready: boolean
}

export const CurrentReadiness = Context.Reference<Readiness>("effect-resolve/internal/Readiness", {
  defaultValue: () => ({ ready: true })
})

/** Runs `drain` once: when the layer that asks is closed, or earlier when its HTTP server says so. */
export const onShutdown = (drain: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const drains = yield* CurrentDrains
    const once = yield* Effect.cached(drain)
    drains?.add(once)
    yield* Effect.addFinalizer(() => once)
  })

/**
 * A layer that tells the endpoints in `app` before `serve(app)` closes, and then runs `then`. It is not ready from the
 * begin, and for `delay` before anybody is turned away.
 */
export const drainFirst = <A, E, R, B, E2, R2>(
  app: Layer.Layer<A, E, R>,
  serve: (app: Layer.Layer<A, E, R>) => Layer.Layer<B, E2, R2>,
  delay: Duration.Input,
  then: (since: number) => Effect.Effect<void>
): Layer.Layer<B, E2, R2> =>
  Layer.unwrap(
    Effect.sync(() => {
      const drains: Drains = new Set()
      const readiness: Readiness = { ready: true }
      const told = Layer.provide(
        app,
        Layer.merge(Layer.succeed(CurrentDrains, drains), Layer.succeed(CurrentReadiness, readiness))
      )
      const first = Effect.gen(function* () {
        readiness.ready = false
        if (Duration.toMillis(delay) > 0) yield* Effect.sleep(delay)
        const since = yield* Clock.currentTimeMillis
        yield* Effect.all(drains, { concurrency: "unbounded", discard: true })
        yield* then(since)
      })
      return Layer.effectDiscard(Effect.addFinalizer(() => first)).pipe(Layer.provideMerge(serve(told)))
    })
  )
