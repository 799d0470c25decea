/** A time limit whose clock stands still while a question is open that its resolver waits for. */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
export const make = (covers) => ({
    covers,
    running: Latch.makeUnsafe(true),
    stopped: Latch.makeUnsafe(false),
    open: 0
});
const pause = (watch) => {
    if (watch.open++ > 0)
        return;
    watch.running.closeUnsafe();
    watch.stopped.openUnsafe();
};
const resume = (watch) => {
    if (--watch.open > 0)
        return;
    watch.stopped.closeUnsafe();
    watch.running.openUnsafe();
};
/** Stops the clocks that wait for this asker while `self` runs. */
export const whileOpen = (self, asker, watches) => {
    if (watches.size === 0)
        return self;
    return Effect.suspend(() => {
        const waiting = Array.from(watches).filter((watch) => covers(watch, asker));
        waiting.forEach(pause);
        return Effect.ensuring(self, Effect.sync(() => waiting.forEach(resume)));
    });
};
// a question of a call inside a body is a question of that body
const covers = (watch, asker) => asker !== undefined && (watch.covers(asker) || covers(watch, asker.parent));
/** Ends when the clock has run for the given time. */
export const elapsed = Effect.fnUntraced(function* (watch, limit) {
    let left = Duration.toMillis(limit);
    while (left > 0) {
        yield* watch.running.await;
        const started = yield* Clock.currentTimeMillis;
        const ran = yield* Effect.raceFirst(Effect.as(Effect.sleep(left), true), Effect.as(watch.stopped.await, false));
        if (ran)
            return;
        left -= (yield* Clock.currentTimeMillis) - started;
    }
});
