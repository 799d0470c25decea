/**
 * A `Stdio` for effect/ai's stdio layer that keeps to itself what is not a message, and knows what is open when stdin
 * ends (WIRE.md 8, 9).
 *
 * At the end of stdin nobody answers any more: open questions get an error in the client's place, so that their calls
 * end and release what they hold, later ones too; subscriptions end with their result; answers in flight are written.
 * Only then does effect/ai see the end.
 */
import { Deferred, Effect, Fiber, Queue, Result, Sink, Stdio, Stream } from "effect";
import { errorLine, LineSplitter, readLine } from "./lines.js";
/** -32000 is what the official SDKs report when the other side is gone. */
const goneCode = -32000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const keyOf = (id) => `${typeof id}:${id}`;
/** Answers the questions of a server whose client is gone, until no request is open. */
const finish = Effect.fnUntraced(function* (traffic) {
    while (traffic.open.size > 0) {
        const ids = Array.from(traffic.questions.values());
        traffic.questions.clear();
        for (const id of ids) {
            yield* Queue.offer(traffic.input, encoder.encode(errorLine(goneCode, "Connection closed", id)));
        }
        yield* Queue.take(traffic.sent);
    }
    yield* Queue.end(traffic.input);
});
const cancelledId = (params) => params?.requestId;
const noteInput = (traffic, message) => {
    switch (message._tag) {
        case "Request":
            traffic.open.add(keyOf(message.id));
            return;
        case "Response":
            traffic.questions.delete(keyOf(message.id));
            return;
        case "Notification":
            if (message.method === "notifications/cancelled") {
                // a cancelled request is never answered
                const id = cancelledId(message.params);
                if (typeof id === "string" || typeof id === "number")
                    traffic.open.delete(keyOf(id));
            }
    }
};
const receive = (traffic, line) => {
    if (line?.trim() === "")
        return Effect.void;
    const message = readLine(line);
    if (Result.isFailure(message))
        return Queue.offer(traffic.output, message.failure);
    noteInput(traffic, message.success);
    return Queue.offer(traffic.input, encoder.encode(`${line}\n`));
};
const send = (traffic, chunk) => {
    const message = readLine(typeof chunk === "string" ? chunk : decoder.decode(chunk));
    if (Result.isSuccess(message)) {
        if (message.success._tag === "Request")
            traffic.questions.set(keyOf(message.success.id), message.success.id);
        if (message.success._tag === "Response")
            traffic.open.delete(keyOf(message.success.id));
    }
    Queue.offerUnsafe(traffic.sent, undefined);
    return Queue.offer(traffic.output, chunk);
};
/** The `Stdio` to give to effect/ai. Its pump ends with the scope. */
export const decorate = Effect.fnUntraced(function* (stdio, options) {
    const traffic = {
        input: yield* Queue.bounded(16),
        output: yield* Queue.bounded(16),
        open: new Set(),
        questions: new Map(),
        sent: yield* Queue.sliding(1)
    };
    const written = yield* Stream.fromQueue(traffic.output).pipe(Stream.run(stdio.stdout()), Effect.tapCause((cause) => Effect.logError("stdout failed", cause)), Effect.exit, Effect.forkScoped);
    const forced = yield* Deferred.make();
    const splitter = new LineSplitter();
    yield* Deferred.await(options.ready).pipe(Effect.andThen(Stream.runForEach(stdio.stdin, (chunk) => Effect.forEach(splitter.push(chunk), (line) => receive(traffic, line), { discard: true }))), Effect.tapCause((cause) => Effect.logError("stdin failed", cause)), Effect.exit, Effect.andThen(Effect.suspend(() => receive(traffic, splitter.end()))), Effect.andThen(Deferred.succeed(options.shutdown, undefined)), Effect.andThen(finish(traffic)), Effect.forkScoped);
    yield* Deferred.await(options.shutdown).pipe(Effect.andThen(Effect.sleep(options.shutdownTimeout)), Effect.andThen(Deferred.succeed(forced, undefined)), Effect.forkScoped);
    return Stdio.make({
        ...stdio,
        stdin: Stream.fromQueue(traffic.input),
        stdout: () => Sink.make()((stream) => stream.pipe(Stream.interruptWhen(Deferred.await(forced)), Stream.runForEach((chunk) => send(traffic, chunk)), Effect.andThen(Queue.end(traffic.output)), Effect.andThen(Fiber.await(written)), Effect.andThen(Deferred.succeed(options.gone, undefined)), Effect.asVoid))
    });
});
