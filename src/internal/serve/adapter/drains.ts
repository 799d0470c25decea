/**
 * Who has to be told before a server stops. An HTTP server waits for open connections first and closes the layers
 * behind it afterwards, so a stream that only its layer could end would hold it up.
 */
import { Clock, Context, Effect, Layer } from "effect"

type Drains = Set<Effect.Effect<void>>

const CurrentDrains = Context.Reference<Drains | undefined>("effect-resolve/internal/Drains", {
  defaultValue: () => undefined
})

/** Runs `drain` once: when the layer that asks is closed, or earlier when its HTTP server says so. */
export const onShutdown = (drain: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const drains = yield* CurrentDrains
    const once = yield* Effect.cached(drain)
    drains?.add(once)
    yield* Effect.addFinalizer(() => once)
  })

/** A layer that tells the endpoints in `app` before `serve(app)` closes, and then runs `then`. */
export const drainFirst = <A, E, R, B, E2, R2>(
  app: Layer.Layer<A, E, R>,
  serve: (app: Layer.Layer<A, E, R>) => Layer.Layer<B, E2, R2>,
  then: (since: number) => Effect.Effect<void>
): Layer.Layer<B, E2, R2> =>
  Layer.unwrap(
    Effect.sync(() => {
      const drains: Drains = new Set()
      const told = Layer.provide(app, Layer.succeed(CurrentDrains, drains))
      const first = Effect.gen(function* () {
        const since = yield* Clock.currentTimeMillis
        yield* Effect.all(drains, { concurrency: "unbounded", discard: true })
        yield* then(since)
      })
      return Layer.effectDiscard(Effect.addFinalizer(() => first)).pipe(Layer.provideMerge(serve(told)))
    })
  )
