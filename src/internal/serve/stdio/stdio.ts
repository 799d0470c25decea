/**
 * A `Stdio` for effect/ai's stdio layer that keeps to itself what is not a message, and knows what is open when stdin
 * ends (WIRE.md 8, 9).
 *
 * At the end of stdin nobody answers any more: open questions get an error in the client's place, so that their calls
 * end and release what they hold, later ones too; subscriptions end with their result; answers in flight are written.
 * Only then does effect/ai see the end.
 */
import { type Cause, Deferred, type Duration, Effect, Fiber, Queue, Result, Sink, Stdio, Stream } from "effect"
import * as Text from "../../base/sentences.ts"
import { errorLine, LineSplitter, type Message, readLine } from "./lines.ts"

/** -32000 is what the official SDKs report when the other side is gone. */
const goneCode = -32000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

type Key = string
const keyOf = (id: string | number): Key => `${typeof id}:${id}`

interface Traffic {
  readonly input: Queue.Queue<Uint8Array, Cause.Done>
  readonly output: Queue.Queue<string | Uint8Array, Cause.Done>
  /** Requests of the client without an answer. */
  readonly open: Set<Key>
  /** Requests of the server without an answer. */
  readonly questions: Map<Key, string | number>
  /** Holds one value after something was sent. */
  readonly sent: Queue.Queue<void>
}

/** Answers the questions of a server whose client is gone, until no request is open. */
const finish = Effect.fnUntraced(function* (traffic: Traffic) {
  while (traffic.open.size > 0) {
    const ids = Array.from(traffic.questions.values())
    traffic.questions.clear()
    for (const id of ids) {
      yield* Queue.offer(traffic.input, encoder.encode(errorLine(goneCode, Text.connectionClosed, id)))
    }
    yield* Queue.take(traffic.sent)
  }
  yield* Queue.end(traffic.input)
})

const cancelledId = (params: unknown): unknown => (params as { readonly requestId?: unknown } | null)?.requestId

const noteInput = (traffic: Traffic, message: Message): void => {
  switch (message._tag) {
    case "Request":
      traffic.open.add(keyOf(message.id))
      return
    case "Response":
      traffic.questions.delete(keyOf(message.id))
      return
    case "Notification":
      if (message.method === "notifications/cancelled") {
        // a cancelled request is never answered
        const id = cancelledId(message.params)
        if (typeof id === "string" || typeof id === "number") traffic.open.delete(keyOf(id))
      }
  }
}

const receive = (traffic: Traffic, input: string | undefined): Effect.Effect<unknown> => {
  if (input?.trim() === "") return Effect.void
  const read = readLine(input)
  if (Result.isFailure(read)) return Queue.offer(traffic.output, read.failure)
  const { line, message } = read.success
  if (message._tag === "Request" && traffic.open.has(keyOf(message.id))) {
    // effect/rpc would drop it and stop reading; an answer under that id would be taken for the other's
    return Queue.offer(traffic.output, errorLine(-32600, Text.idInUse, null))
  }
  noteInput(traffic, message)
  return Queue.offer(traffic.input, encoder.encode(`${line}\n`))
}

const send = (traffic: Traffic, chunk: string | Uint8Array): Effect.Effect<unknown> => {
  const read = readLine(typeof chunk === "string" ? chunk : decoder.decode(chunk))
  if (Result.isSuccess(read)) {
    const { message } = read.success
    if (message._tag === "Request") traffic.questions.set(keyOf(message.id), message.id)
    if (message._tag === "Response") traffic.open.delete(keyOf(message.id))
  }
  Queue.offerUnsafe(traffic.sent, undefined)
  return Queue.offer(traffic.output, chunk)
}

/** Options of {@link decorate}. */
export interface Options {
  /** Completed when the registrations are built: nothing is read before. */
  readonly ready: Deferred.Deferred<void>
  /** Completed when stdin has ended. */
  readonly shutdown: Deferred.Deferred<void>
  /** Completed when the last answer is written. */
  readonly gone: Deferred.Deferred<void>
  readonly shutdownTimeout: Duration.Input
}

/** The `Stdio` to give to effect/ai. Its pump ends with the scope. */
export const decorate = Effect.fnUntraced(function* (stdio: Stdio.Stdio, options: Options) {
  const traffic: Traffic = {
    input: yield* Queue.bounded<Uint8Array, Cause.Done>(16),
    output: yield* Queue.bounded<string | Uint8Array, Cause.Done>(16),
    open: new Set(),
    questions: new Map(),
    sent: yield* Queue.sliding<void>(1)
  }
  const written = yield* Stream.fromQueue(traffic.output).pipe(
    Stream.run(stdio.stdout()),
    Effect.tapCause((cause) => Effect.logError(Text.stdoutFailed, cause)),
    Effect.exit,
    Effect.forkScoped
  )
  const forced = yield* Deferred.make<void>()
  const splitter = new LineSplitter()
  yield* Deferred.await(options.ready).pipe(
    Effect.andThen(
      Stream.runForEach(stdio.stdin, (chunk) =>
        Effect.forEach(splitter.push(chunk), (line) => receive(traffic, line), { discard: true })
      )
    ),
    Effect.tapCause((cause) => Effect.logError(Text.stdinFailed, cause)),
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
  return Stdio.make({
    ...stdio,
    stdin: Stream.fromQueue(traffic.input),
    stdout: () =>
      Sink.make<string | Uint8Array>()((stream) =>
        stream.pipe(
          Stream.interruptWhen(Deferred.await(forced)),
          Stream.runForEach((chunk) => send(traffic, chunk)),
          Effect.andThen(Queue.end(traffic.output)),
          Effect.andThen(Fiber.await(written)),
          Effect.andThen(Deferred.succeed(options.gone, undefined)),
          Effect.asVoid
        )
      )
  })
})
