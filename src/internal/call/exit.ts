/**
 * How a round of a call ends: one value, made in one place (`call.ts`) after the result has been encoded, and mapped
 * once by whoever called. What the scope of the call closes with is read off it (I9).
 */
import type { InputRequired } from "effect/ai/McpSchema"
import type * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { suspendedCause } from "./suspension.ts"

/** The reply is made: nothing is left but closing and sending. */
export interface Completed<A> {
  readonly _tag: "Completed"
  readonly reply: A
}

/** Questions are open that this round cannot answer. `reply` puts them, where they go out with it. */
export interface Suspended {
  readonly _tag: "Suspended"
  readonly reply: InputRequired | undefined
}

/** An error that may be told. `reply` says it where the tool itself has declared how. */
export interface Failed<A> {
  readonly _tag: "Failed"
  readonly error: unknown
  readonly reply: A | undefined
  /** Whether a body or a durable resolver had begun. */
  readonly begun: boolean
}

/** A defect, an undeclared failure, a result that cannot be said: nothing of it goes to a client (I14). */
export interface Broken {
  readonly _tag: "Broken"
  readonly cause: Cause.Cause<unknown>
  readonly begun: boolean
}

export type CallExit<A> = Completed<A> | Suspended | Failed<A> | Broken

/** A suspension of a call whose questions go out with another one, or not at all. */
export const suspended: Suspended = { _tag: "Suspended", reply: undefined }

/** What a finalizer of the call sees: a success only when the client will be told of one. */
export const toExit = (exit: CallExit<unknown>): Exit.Exit<unknown, unknown> => {
  switch (exit._tag) {
    case "Completed":
      return Exit.succeed(exit.reply)
    case "Suspended":
      return Exit.failCause(suspendedCause)
    case "Failed":
      return Exit.fail(exit.error)
    case "Broken":
      return Exit.failCause(exit.cause)
  }
}
