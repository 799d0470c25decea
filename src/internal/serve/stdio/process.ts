/**
 * The end of a process that serves: what signals and a client that leaves do to it, and the code that it exits with.
 */
import { Cause, Deferred, type Duration, Effect, Exit, Runtime } from "effect"
import * as Text from "../../base/sentences.ts"
import type { Gone } from "./stdio.ts"

const exitCodes: { readonly [how in Gone]: number } = { answered: 0, broken: 1 }

/** As shells have it: a process that a signal has ended. */
const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
const afterSignal = (signal: keyof typeof numbers) => 128 + numbers[signal]

// one process has one end
const client: { gone: Gone | undefined } = { gone: undefined }

/** Says that the one client of this process has left, for {@link teardown}. */
export const noteGone = (how: Gone): void => {
  client.gone = how
}

/**
 * What {@link Runtime.Teardown} makes of the end of a server. One that was interrupted was asked to end, unless its
 * client has gone.
 */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  const ended = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
  // handles that a program forgot must not keep a server without a client alive
  const leave = (code: number) => (code === 0 ? process.exit(0) : onExit(code))
  if (!ended) Runtime.defaultTeardown(exit, leave)
  else if (client.gone !== undefined) leave(exitCodes[client.gone])
  else leave(Exit.isSuccess(exit) ? 0 : afterSignal("SIGTERM"))
}

/** Ends the process when releasing takes too long, whatever still runs in it. */
const exitLate = (limit: Duration.Input, code: number): Effect.Effect<void> =>
  Effect.sleep(limit).pipe(
    Effect.andThen(Effect.logError(Text.releasedTooLate)),
    Effect.andThen(Effect.sync(() => process.exit(code))),
    Effect.forkDetach,
    Effect.asVoid
  )

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** What ends the process: the number of the signal that it was asked with. */
export type Asked = Deferred.Deferred<number>

/** Ends an Effect that runs as the process when it is asked to, or when its client has gone. */
export const untilEnd = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  {
    asked,
    gone,
    limit
  }: { readonly asked: Asked; readonly gone: Deferred.Deferred<Gone>; readonly limit: Duration.Input }
) =>
  effect.pipe(
    Effect.raceFirst(Effect.tap(Deferred.await(gone), (how) => exitLate(limit, exitCodes[how]))),
    Effect.raceFirst(
      Effect.andThen(
        Effect.tap(Deferred.await(asked), (code) => exitLate(limit, code)),
        Effect.interrupt
      )
    )
  )

/** Runs an Effect as the process: the first signal completes `asked`, and a second one does not wait. */
export const runProcess = (asked: Asked) =>
  Runtime.makeRunMain(({ fiber, teardown }) => {
    let code: number | undefined
    const ask = (signal: (typeof signals)[number]) => {
      if (code !== undefined) process.exit(code)
      code = afterSignal(signal)
      Deferred.doneUnsafe(asked, Effect.succeed(code))
    }
    for (const signal of signals) process.on(signal, ask)
    fiber.addObserver((exit) => {
      for (const signal of signals) process.removeListener(signal, ask)
      teardown(exit, (ended) => process.exit(code ?? ended))
    })
  })
