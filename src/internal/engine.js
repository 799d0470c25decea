/**
 * Runs a tool, prompt or resource with its resolvers, whoever called it: a request from the wire, a program in
 * process, or another call (FINDINGS b10).
 */
import { CallToolResult } from "effect/ai/McpSchema";
import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as ErrorReporter from "effect/ErrorReporter";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { Call } from "../Call.js";
import { Elicitation } from "../Elicitation.js";
import { McpContext } from "../McpContext.js";
import { Roots } from "../Roots.js";
import { Sampling } from "../Sampling.js";
import * as Asker from "./asker.js";
import * as Run from "./run.js";
/** The session of the call whose body runs: a call made there joins it. */
export const CurrentSession = Context.Reference("effect-resolve/internal/CurrentSession", {
    defaultValue: () => undefined
});
export const questionServices = [Elicitation, Sampling, Roots];
/** The three services by which a body of this call asks, all by one implementation. */
export const offer = (service) => (context) => questionServices.reduce((context, key) => Context.add(context, key, service), context);
// what users see of a session, and no more
const identity = (session) => ({
    get id() {
        return session.id;
    },
    startedAt: session.startedAt
});
const report = (cause) => Effect.andThen(Effect.logError(cause), ErrorReporter.report(cause));
const exitOf = (outcome) => outcome._tag === "Suspended"
    ? Exit.failCause(Asker.suspendedCause)
    : Exit.isSuccess(outcome.exit) &&
        outcome.exit.value instanceof CallToolResult &&
        outcome.exit.value.isError === true
        ? Exit.fail(outcome.exit.value)
        : outcome.exit;
export const execute = (invocation) => Effect.suspend(() => {
    const { plan, session, asks, prefix, parent } = invocation;
    const scope = Scope.makeUnsafe();
    const base = Context.add(Context.add(Context.add(Context.add(invocation.context, Scope.Scope, scope), Call, identity(session)), McpContext, invocation.mcp), CurrentSession, session);
    const asking = invocation.questions(base);
    const call = {
        plan,
        overrides: invocation.overrides,
        args: invocation.args,
        session,
        context: asking,
        prefix,
        parent,
        cells: []
    };
    return Effect.onExit(Run.run(call, {
        key: plan.owner.name,
        asks,
        context: asks ? asking : base,
        run: invocation.body
    }), (exit) => {
        const ended = Exit.isSuccess(exit) ? exitOf(exit.value) : exit;
        if (parent === undefined) {
            session.ended = true;
            Asker.release(session.parked);
        }
        return Effect.catchCause(Scope.close(scope, ended), report);
    });
});
/** A resolver or body that was interrupted by its own doing, which must not pass for a cancelled request. */
export const settled = (plan, exit) => Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? Exit.die(new Error(`${plan.owner.kind} '${plan.owner.name}' or one of its resolvers was interrupted`, {
        cause: exit.cause
    }))
    : exit;
