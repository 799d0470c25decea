/**
 * Who has to be told before a server stops. An HTTP server waits for open connections first and closes the layers
 * behind it afterwards, so a stream that only its layer could end would hold it up.
 */
import { Context, Effect, Layer } from "effect";
const CurrentDrains = Context.Reference("effect-resolve/internal/Drains", {
    defaultValue: () => undefined
});
/** Runs `drain` when the layer that asks is closed, or earlier when its HTTP server says so. */
export const onShutdown = (drain) => Effect.gen(function* () {
    const drains = yield* CurrentDrains;
    drains?.add(drain);
    yield* Effect.addFinalizer(() => drain);
});
/** A layer that tells the endpoints in `app` before `serve(app)` closes. */
export const drainFirst = (app, serve) => Layer.unwrap(Effect.sync(() => {
    const drains = new Set();
    const told = Layer.provide(app, Layer.succeed(CurrentDrains, drains));
    const first = Effect.suspend(() => Effect.all(drains, { concurrency: "unbounded", discard: true }));
    return Layer.effectDiscard(Effect.addFinalizer(() => first)).pipe(Layer.provideMerge(serve(told)));
}));
