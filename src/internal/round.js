/**
 * One request of a call on the wire: its state is opened before anything runs (I8), the interpreter is chosen, and
 * what the engine made of it becomes a result, an interim result or a refusal.
 */
import * as McpSchema from "effect/ai/McpSchema";
import * as Cause from "effect/Cause";
import { Clock } from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { isQuestionError, MaxStaleAnswers, MissingCapability } from "../Question.js";
import { RequestState } from "../RequestState.js";
import { fromRequest, NestedRead } from "./context.js";
import { unavailable } from "./elicitation.js";
import * as BackChannel from "./interpreter/backChannel.js";
import { toService } from "./interpreter/interpreter.js";
import * as MultiRound from "./interpreter/multiRound.js";
import * as Refusal from "./refusal.js";
import * as Session from "./session.js";
/** The registration opens a round, the handler beside it fills it: effect/ai's own code runs between the two. */
export const CurrentRound = Context.Reference("effect-resolve/internal/CurrentRound", {
    defaultValue: () => undefined
});
const rejected = (binding, reason) => Effect.andThen(Effect.logWarning(`requestState rejected on ${binding.method}: ${reason}`), Effect.fail(Refusal.frozen));
const openState = (seal, binding, token) => Effect.matchEffect(seal.open(binding, token), {
    onFailure: ({ reason }) => rejected(binding, reason),
    onSuccess: ({ payload, startedAt }) => Effect.catch(Session.unpack(payload, startedAt), () => rejected(binding, "payload of another version"))
});
const open = (server, binding, seal, context, now) => {
    const request = Context.getUnsafe(context, McpSchema.McpRequestContext);
    const client = Context.getOrUndefined(context, McpSchema.McpServerClient);
    const start = (session) => ({
        session,
        mcp: fromRequest(server, request, context),
        service: Context.get(context, NestedRead)
            ? unavailable("it is read from inside another call, which cannot ask for it")
            : toService(session, client !== undefined
                ? BackChannel.make({ session, client, context })
                : MultiRound.make({
                    session,
                    declared: request.clientCapabilities,
                    digest: seal.digest,
                    maxStale: Context.get(context, MaxStaleAnswers),
                    onStale: ({ asker }) => Effect.logDebug(`Discarding the answer for resolver '${asker.key}': the question changed since it was asked`)
                })),
        started: false,
        decoded: undefined,
        ending: undefined
    });
    if (request.requestState === undefined || client !== undefined)
        return Effect.succeed(start(Session.make(now)));
    return Effect.map(openState(seal, binding, request.requestState), ({ session }) => 
    // answers without a state prove nothing: nobody knows what they answer
    start({ ...session, fresh: new Map(Object.entries(request.inputResponses ?? {})) }));
};
/** What an outcome of the engine means for this round; `undefined` leaves it to effect/ai. */
export const endingOf = (outcome) => {
    if (outcome._tag === "Suspended")
        return outcome;
    if (Exit.isSuccess(outcome.exit))
        return { _tag: "Value", value: outcome.exit.value };
    const error = Cause.findErrorOption(outcome.exit.cause);
    if (error._tag === "None" || !isQuestionError(error.value))
        return undefined;
    return error.value instanceof MissingCapability
        ? { _tag: "Refused", refusal: Refusal.missingCapability(error.value) }
        : { _tag: "Said", message: error.value.message };
};
// ---------------------------------------------------------------- the interim result
const internal = (problem, cause) => Effect.andThen(Effect.logError(problem, ...(cause === undefined ? [] : [cause])), Effect.fail(Refusal.internal));
const interim = Effect.fnUntraced(function* (binding, seal, session) {
    const pending = Array.from(session.pending).sort(([, a], [, b]) => a.index - b.index || a.order - b.order);
    // the client would retry for ever
    if (pending.length === 0)
        return yield* internal(`${binding.target}: suspended without a question`);
    for (const [, question] of pending)
        question.digest ??= yield* seal.digest(question.text);
    const requestState = yield* Effect.catch(seal.seal(binding, { startedAt: session.startedAt, payload: Session.pack(session, undefined) }), (error) => internal(`requestState could not be sealed: ${error.reason}`, error));
    if (requestState.length > seal.maxBytes) {
        return {
            _tag: "TooLarge",
            message: `what this call has been told is too large to carry on: ${requestState.length} bytes, at most ${seal.maxBytes}; most of it is the answer of '${Session.heaviest(session)}'`
        };
    }
    return new McpSchema.InputRequired({
        inputRequests: Object.fromEntries(pending.map(([key, { method, params }]) => [key, params === undefined ? { method } : { method, params }])), // made by the constructors of the three kinds
        requestState
    });
});
export const run = (options) => Effect.withFiber((fiber) => {
    const context = fiber.context;
    const seal = Context.get(context, RequestState);
    const binding = { method: options.method, target: options.target, arguments: options.arguments };
    const now = fiber.getRef(Clock).currentTimeMillisUnsafe();
    return Effect.flatMap(open(options.server, binding, seal, context, now), (round) => Effect.flatMap(Effect.exit(Effect.provideService(options.handle(round.session.args ?? options.arguments), CurrentRound, round)), (exit) => {
        switch (round.ending?._tag) {
            case "Suspended":
                return Effect.flatMap(Effect.flatMap(options.generated(round.decoded), (args) => {
                    round.session.args ??= args;
                    return interim(binding, seal, round.session);
                }), (result) => result._tag === "TooLarge" ? options.said(result.message) : Effect.succeed(result));
            case "Refused":
                return Effect.fail(round.ending.refusal);
            case "Said":
                return options.said(round.ending.message);
            default:
                return options.complete(exit, round);
        }
    }));
});
