/**
 * A body that may ask, and how its suspension is signalled (rule I11, FINDINGS b1).
 *
 * A question without an answer parks the fiber that asks and interrupts the body's own fiber, annotated. It is not a
 * defect and not an `Effect.interrupt` value: users catch both, and an app-level cache keeps them.
 */
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
export const make = (key, wireKey, index, parent) => ({
    key,
    wireKey,
    index,
    parent,
    turns: new Map(),
    fiber: undefined,
    looking: 0,
    pending: false,
    fatal: undefined,
    ended: false
});
export const CurrentAsker = Context.Reference("effect-resolve/internal/CurrentAsker", {
    defaultValue: () => undefined
});
/** Rides on the interruption of a suspended body, so that its finalizers can tell it from a cancelled call. */
export const Suspended = Context.Reference("effect-resolve/internal/Suspended", {
    defaultValue: () => false
});
const suspended = Context.make(Suspended, true);
/** The exit with which the scope of a suspended call closes: an interruption, for completed resolvers too (I5). */
export const suspendedCause = Cause.annotate(Cause.interrupt(), suspended);
export const isSuspended = (exit) => exit._tag === "Failure" &&
    exit.cause.reasons.some((reason) => Context.get(Cause.reasonAnnotations(reason), Suspended));
export const release = (parked) => {
    for (const resume of parked.resumes)
        resume(Effect.interrupt);
    parked.resumes.clear();
};
const interrupt = (asker) => {
    if (asker.pending && asker.looking === 0)
        asker.fiber?.interruptUnsafe(undefined, suspended);
};
/** Interrupts a suspended body once the running fibers have had their turn: questions asked side by side all count. */
const schedule = (asker, fiber) => fiber.currentDispatcher.scheduleTask(() => interrupt(asker), 0);
/** Gives a body its fiber. It may have suspended already: bodies start at once. */
export const attach = (asker, fiber) => {
    asker.fiber = fiber;
    if (asker.pending)
        schedule(asker, fiber);
};
/** Suspends the asking body: its cell is pending, whatever its own code makes of the interruption. */
export const suspend = (asker, parked) => Effect.withFiber((fiber) => {
    asker.pending = true;
    schedule(asker, fiber);
    // interruptible: it must end inside `Effect.uninterruptible`, too
    return Effect.interruptible(Effect.callback((resume) => {
        parked.resumes.add(resume);
        return Effect.sync(() => {
            parked.resumes.delete(resume);
        });
    }));
});
/** Ends the call with an error that no code of the body can catch. */
export const abort = (asker, parked, error) => Effect.suspend(() => {
    asker.fatal ??= error;
    return suspend(asker, parked);
});
/** While a question of the body is being looked up, a sibling's suspension does not cut it off. */
export const looking = (asker, self) => Effect.withFiber((fiber) => {
    asker.looking++;
    return Effect.ensuring(self, Effect.sync(() => {
        asker.looking--;
        schedule(asker, fiber);
    }));
});
