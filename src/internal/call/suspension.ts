/**
 * How a body is suspended (I11): a question without an answer parks the fiber that asks and interrupts the body's own
 * fiber, annotated. That is neither a defect nor an `Effect.interrupt` value: users catch both, and an app-level cache
 * keeps them.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Asker } from "./asker.ts"

/** Rides on the interruption of a suspended body, so that its finalizers can tell it from a cancelled call. */
export const Suspended = Context.Reference<boolean>("effect-resolve/internal/Suspended", {
  defaultValue: () => false
})

const suspended = Context.make(Suspended, true)

/** The exit with which the scope of a suspended call closes: an interruption, for completed resolvers too (I5). */
export const suspendedCause: Cause.Cause<never> = Cause.annotate(Cause.interrupt(), suspended)

export const isSuspended = (exit: Exit.Exit<unknown, unknown>): boolean =>
  exit._tag === "Failure" &&
  exit.cause.reasons.some((reason) => Context.get(Cause.reasonAnnotations(reason), Suspended))

/** Fibers that wait in a question nobody will answer in this round. Detached ones outlive their body: they end here. */
export type Parked = Set<Waiting>

interface Waiting {
  readonly asker: Asker
  readonly resume: (effect: Effect.Effect<never>) => void
}

/** Ends those of one asker, or all of them. */
export const release = (parked: Parked, asker?: Asker): void => {
  for (const waiting of parked) {
    if (asker !== undefined && waiting.asker !== asker) continue
    parked.delete(waiting)
    waiting.resume(Effect.failCause(suspendedCause))
  }
}

/** Suspends the asking body: it is pending, whatever its own code makes of the interruption. */
export const suspend = (asker: Asker, parked: Parked): Effect.Effect<never> =>
  Effect.withFiber((fiber) => {
    asker.pending = true
    // once the running fibers have had their turn: questions asked side by side all count
    fiber.currentDispatcher.scheduleTask(() => {
      asker.fiber?.interruptUnsafe(undefined, suspended)
      // a body that cannot be interrupted (a durable one) waits for the fibers it has forked to ask: they end by themselves
      release(parked, asker)
    }, 0)
    // interruptible: it must end inside `Effect.uninterruptible`, too
    return Effect.interruptible(
      Effect.callback<never>((resume) => {
        const waiting = { asker, resume }
        parked.add(waiting)
        return Effect.sync(() => {
          parked.delete(waiting)
        })
      })
    )
  })
