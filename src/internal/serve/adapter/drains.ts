/**
 * Who has to be told before a server stops. An HTTP server waits for open connections first and closes the layers
 * behind it afterwards, so a stream that only its layer could end would hold it up.
 */
import { Context, Effect, Layer } from "effect"

type Drains = Set<Effect.Effect<void>>

const CurrentDrains = Context.Reference<Drains | undefined>("effect-resolve/internal/Drains", {
  defaultValue: () => undefined
})

/** Runs `drain` when the layer that asks is closed, or earlier when its HTTP server says so. */
export const onShutdown = (drain: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const drains = yield* CurrentDrains
    drains?.add(drain)
    yield* Effect.addFinalizer(() => drain)
  })

/** A layer that tells the endpoints in `app` before `serve(app)` closes. */
export const drainFirst = <A, E, R, B, E2, R2>(
  app: Layer.Layer<A, E, R>,
  serve: (app: Layer.Layer<A, E, R>) => Layer.Layer<B, E2, R2>
): Layer.Layer<B, E2, R2> =>
  Layer.unwrap(
    Effect.sync(() => {
      const drains: Drains = new Set()
      const told = Layer.provide(app, Layer.succeed(CurrentDrains, drains))
      const first = Effect.suspend(() => Effect.all(drains, { concurrency: "unbounded", discard: true }))
      return Layer.effectDiscard(Effect.addFinalizer(() => first)).pipe(Layer.provideMerge(serve(told)))
    })
  )
