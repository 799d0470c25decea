/**
 * A `Stdio` for effect/ai's stdio layer that keeps to itself what is not a message, and knows what is open when stdin
 * ends.
 *
 * At the end of stdin nobody answers any more: open questions get an error in the client's place, so that their calls
 * end and release what they hold, later ones too; subscriptions end with their result; answers in flight are written.
 * Only then does effect/ai see the end. When stdout breaks, nobody hears an answer either, and it sees the end at once.
 */
import { Deferred, Duration, Effect, Fiber, Option, Queue, Sink, Stdio, Stream } from "effect"
import * as Text from "../../base/sentences.ts"
import { goneCode } from "../../base/wire.ts"
import type { InputLimits } from "../adapter/message.ts"
import { errorLine, LineSplitter } from "./lines.ts"
import { makeTraffic, receive, type Traffic, wroteTo } from "./traffic.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** How a stdio server came to its end: whether its client has got every answer that it asked for. */
export type Gone = "answered" | "broken"

/** Options of {@link decorate}. */
export interface Options {
  /** Completed when the registrations are built: nothing is read before. */
  readonly ready: Deferred.Deferred<void>
  /** Completed when stdin has ended. */
  readonly shutdown: Deferred.Deferred<void>
  /** Completed when the last answer is written, or can never be. */
  readonly gone: Deferred.Deferred<Gone>
  readonly shutdownTimeout: Duration.Input
  readonly input: InputLimits
}

/** Answers the questions of a server whose client is gone, until no request is open. */
const finish = Effect.fnUntraced(function* (traffic: Traffic) {
  while (traffic.open.size > 0) {
    const ids = Array.from(traffic.questions.values())
    traffic.questions.clear()
    for (const id of ids) {
      const gone = errorLine({ code: goneCode, message: Text.connectionClosed, id })
      yield* Queue.offer(traffic.input, encoder.encode(gone))
    }
    yield* Queue.take(traffic.sent)
  }
  yield* Queue.end(traffic.input)
})

/** The `Stdio` to give to effect/ai. Its pump ends with the scope. */
export const decorate = Effect.fnUntraced(function* (stdio: Stdio.Stdio, options: Options) {
  const traffic = yield* makeTraffic(options.input)
  // completed when what is still in flight is left behind
  const forced = yield* Deferred.make<void>()
  let broken = false
  const breaks = Effect.sync(() => {
    broken = true
  })
  const written = yield* Stream.fromQueue(traffic.output).pipe(
    Stream.run(stdio.stdout()),
    Effect.tapCause((cause) =>
      // nobody can be told, so nothing more is done for them
      Effect.logError(Text.stdoutFailed, cause).pipe(
        Effect.andThen(breaks),
        Effect.andThen(Deferred.succeed(options.shutdown, undefined)),
        Effect.andThen(Deferred.succeed(forced, undefined)),
        Effect.andThen(Queue.shutdown(traffic.output)),
        Effect.andThen(Queue.end(traffic.input))
      )
    ),
    Effect.exit,
    Effect.forkScoped
  )
  const splitter = new LineSplitter()
  yield* Deferred.await(options.ready).pipe(
    Effect.andThen(
      Stream.runForEach(stdio.stdin, (chunk) =>
        Effect.forEach(splitter.push(chunk), (line) => receive(traffic, line), { discard: true })
      )
    ),
    Effect.tapCause((cause) => Effect.andThen(breaks, Effect.logError(Text.stdinFailed, cause))),
    Effect.exit,
    Effect.andThen(Effect.suspend(() => receive(traffic, splitter.end()))),
    Effect.andThen(Deferred.succeed(options.shutdown, undefined)),
    Effect.andThen(finish(traffic)),
    Effect.forkScoped
  )
  yield* Deferred.await(options.shutdown).pipe(
    Effect.andThen(Effect.sleep(options.shutdownTimeout)),
    Effect.andThen(Deferred.succeed(forced, undefined)),
    Effect.forkScoped
  )
  const rest = Fiber.await(written).pipe(
    Effect.timeoutOption(Duration.millis(100)),
    Effect.map((exit) => (Option.isSome(exit) && !broken ? "answered" : "broken"))
  )
  const end = Effect.gen(function* () {
    yield* Queue.end(traffic.output)
    // a client that does not read is not waited for longer than for anything else
    const allWritten = Effect.as(Fiber.await(written), "written" as const)
    yield* Effect.raceFirst(allWritten, Deferred.await(forced))
    yield* Deferred.succeed(options.gone, yield* rest)
  })
  return Stdio.make({
    ...stdio,
    stdin: Stream.fromQueue(traffic.input),
    stdout: () =>
      Sink.make<string | Uint8Array>()((stream) =>
        stream.pipe(
          Stream.runForEach((chunk) => wroteTo(traffic, typeof chunk === "string" ? chunk : decoder.decode(chunk))),
          Effect.raceFirst(Deferred.await(forced)),
          Effect.andThen(end),
          Effect.asVoid
        )
      )
  })
})
