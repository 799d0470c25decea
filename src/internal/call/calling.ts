/** What all bodies of a call share while one round of it runs, those of calls made inside it too. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Ledger } from "./ledger.ts"
import type { Memory } from "./memory.ts"
import type { Stopwatch } from "./stopwatch.ts"
import { type Parked, release } from "./suspension.ts"

export class Calling {
  readonly memory: Memory
  readonly parked: Parked = new Set()
  /** Clocks of resolvers with a time limit: they stand still while a question is open. */
  readonly stopwatches = new Set<Stopwatch>()
  /** Whether a body or a durable resolver of this round has begun what cannot be taken back. */
  begun = false
  #ledger: Ledger | undefined = undefined
  #stopped: Deferred.Deferred<void> | undefined = undefined
  #ended = false
  #starting = 0
  #waiting: Array<() => void> = []

  constructor(memory: Memory) {
    this.memory = memory
  }

  get ledger(): Ledger {
    return (this.#ledger ??= new Ledger(this.memory.questions))
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Done once the call has ended or will be refused for want of a capability: nothing is sent, what is open ends. */
  get stopped(): Deferred.Deferred<void> {
    return (this.#stopped ??= Deferred.makeUnsafe())
  }

  get hasStopped(): boolean {
    return this.#stopped !== undefined && Deferred.isDoneUnsafe(this.#stopped)
  }

  /** Resolvers are being started: what they lack or ask is known when that has paused. */
  start(): void {
    this.#starting++
  }

  pause(): void {
    if (--this.#starting > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  /** Waits until no resolver is about to be started. */
  readonly paused: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.#starting === 0) resume(Effect.void)
    else this.#waiting.push(() => resume(Effect.void))
  })

  stopAsking(): void {
    Deferred.doneUnsafe(this.stopped, Effect.void)
  }

  end(): void {
    this.#ended = true
    if (this.#stopped !== undefined || this.#ledger !== undefined) this.stopAsking()
    release(this.parked)
  }
}

/** The call that a call made in a body joins. */
export const CurrentCalling = Context.Reference<Calling | undefined>("effect-resolve/internal/CurrentCalling", {
  defaultValue: () => undefined
})
