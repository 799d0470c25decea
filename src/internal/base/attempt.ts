/** Functions of the program's author, which the compiler has checked and a cast may have hidden from it. */
import * as Effect from "effect/Effect"
import * as Text from "./sentences.ts"

/** Runs what a function gives. What is no Effect would end the fiber past every handler, and nobody would be answered. */
export const attempt = <A, E, R>(owner: string, make: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const made: unknown = make()
    return Effect.isEffect(made) ? (made as Effect.Effect<A, E, R>) : Effect.die(new TypeError(Text.noEffect(owner)))
  })
