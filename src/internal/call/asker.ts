/**
 * A body that may ask, and how its suspension is signalled (rule I11, FINDINGS b1).
 *
 * A question without an answer parks the fiber that asks and interrupts the body's own fiber, annotated. It is not a
 * defect and not an `Effect.interrupt` value: users catch both, and an app-level cache keeps them.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Session } from "./memory.ts"

/** One question of a body, by its wire key: how often it was put, and whether the last time it ended in a failure. */
export interface Turns {
  count: number
  state: "open" | "answered" | "failed"
}

export interface Asker {
  /** The resolver's own key (a body's is its tool's name): what sentences name. */
  readonly key: string
  /** The key on the wire: inside a nested call it is prefixed with the path of the call. */
  readonly wireKey: string
  /** Plan order, for the order of `inputRequests`. */
  readonly index: number
  /** The call that a call made in this body joins. */
  readonly session: Session
  readonly parent: Asker | undefined
  readonly turns: Map<string, Turns>
  /** The body's own fiber, while it runs. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Questions of this body whose state is still being looked up: none may be cut off by a sibling's suspension. */
  looking: number
  pending: boolean
  /** Ends the call instead of suspending it, as uncatchable as a suspension. */
  fatal: Unstable | undefined
  /** Why its question was put again, for traces. */
  again: string | undefined
  ended: boolean
}

/** A question that keeps changing between rounds: it ends the call, whoever consumes the resolver (I13). */
export class Unstable extends Data.Error<{ readonly message: string }> {}

// a class: one is made for each body that runs
class Body implements Asker {
  readonly key: string
  readonly wireKey: string
  readonly index: number
  readonly session: Session
  readonly parent: Asker | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  looking = 0
  pending = false
  fatal: Unstable | undefined = undefined
  again: string | undefined = undefined
  ended = false
  private made: Map<string, Turns> | undefined = undefined
  constructor(key: string, wireKey: string, index: number, session: Session, parent: Asker | undefined) {
    this.key = key
    this.wireKey = wireKey
    this.index = index
    this.session = session
    this.parent = parent
  }
  // most bodies never ask
  get turns() {
    return (this.made ??= new Map())
  }
}

export const make = (
  key: string,
  wireKey: string,
  index: number,
  call: { readonly session: Session; readonly parent: Asker | undefined }
): Asker => new Body(key, wireKey, index, call.session, call.parent)

export const CurrentAsker = Context.Reference<Asker | undefined>("effect-resolve/internal/CurrentAsker", {
  defaultValue: () => undefined
})

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
export interface Parked {
  readonly resumes: Set<Waiting>
}

interface Waiting {
  readonly asker: Asker
  readonly resume: (effect: Effect.Effect<never>) => void
}

/** Ends those of one asker, or all of them. */
export const release = (parked: Parked, asker?: Asker): void => {
  for (const waiting of parked.resumes) {
    if (asker !== undefined && waiting.asker !== asker) continue
    parked.resumes.delete(waiting)
    waiting.resume(Effect.failCause(suspendedCause))
  }
}

const interrupt = (asker: Asker): void => {
  if (!asker.pending || asker.looking > 0) return
  asker.fiber?.interruptUnsafe(undefined, suspended)
  // a body that cannot be interrupted (a durable one) waits for the fibers it has forked to ask: they end by themselves
  release(asker.session.parked, asker)
}

/** Interrupts a suspended body once the running fibers have had their turn: questions asked side by side all count. */
const schedule = (asker: Asker, fiber: Fiber.Fiber<unknown, unknown>): void =>
  fiber.currentDispatcher.scheduleTask(() => interrupt(asker), 0)

/** Suspends the asking body: its cell is pending, whatever its own code makes of the interruption. */
export const suspend = (asker: Asker, parked: Parked): Effect.Effect<never> =>
  Effect.withFiber((fiber) => {
    asker.pending = true
    schedule(asker, fiber)
    // interruptible: it must end inside `Effect.uninterruptible`, too
    return Effect.interruptible(
      Effect.callback<never>((resume) => {
        const waiting = { asker, resume }
        parked.resumes.add(waiting)
        return Effect.sync(() => {
          parked.resumes.delete(waiting)
        })
      })
    )
  })

/** Ends the call with an error that no code of the body can catch. */
export const abort = (asker: Asker, parked: Parked, error: Unstable): Effect.Effect<never> =>
  Effect.suspend(() => {
    asker.fatal ??= error
    return suspend(asker, parked)
  })

/** While a question is being looked up, a suspension beside it cuts off neither its body nor the calls around it. */
export const looking = <A, E, R>(asker: Asker, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    for (let each: Asker | undefined = asker; each !== undefined; each = each.parent) each.looking++
    return Effect.ensuring(
      self,
      Effect.sync(() => {
        for (let each: Asker | undefined = asker; each !== undefined; each = each.parent) {
          each.looking--
          schedule(each, fiber)
        }
      })
    )
  })
