/**
 * Questions that ride back inside the result: the call suspends, the client answers and retries (2026-07-28).
 *
 * An answer counts only for the exact question that was shown, when it arrives and when it is restored (I3). It is
 * looked up only after a body asks, and never stands in for a computed value (I4).
 */
import * as Effect from "effect/Effect";
import { AskFailed, MissingCapability } from "../../Question.js";
import * as Asker from "../asker.js";
import { canonicalJson } from "../canonical.js";
import { missing } from "../capabilities.js";
const toAnswer = ({ kind, data }) => kind === "answer" ? data : kind === "accept" ? { action: "accept", content: data } : { action: kind };
const record = (question, digest, answer, fits) => {
    if (!fits)
        return { digest, kind: "invalid" };
    if (question.method !== "elicitation/create")
        return { digest, kind: "answer", data: answer };
    const { action, content } = answer;
    return action === "accept" ? { digest, kind: "accept", data: content ?? undefined } : { digest, kind: action };
};
const isInvalid = (exit) => exit._tag === "Failure" &&
    exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof AskFailed && reason.error.reason === "InvalidAnswer");
export const make = (options) => {
    const { session } = options;
    const suspend = ({ asker, key, count }, question, text, digest) => {
        const required = missing(question.requires, options.declared);
        if (required !== undefined) {
            return Effect.fail(new MissingCapability({ resolver: asker.key, requiredCapabilities: required }));
        }
        // what was recorded from here on is no longer what this run asks
        const outcomes = session.outcomes.get(key);
        if (outcomes !== undefined)
            outcomes.length = Math.min(outcomes.length, count);
        session.pending.set(key, {
            index: asker.index,
            order: session.pending.size,
            method: question.method,
            params: question.params,
            text,
            digest
        });
        return Asker.suspend(asker, session.parked);
    };
    const verdict = Effect.fnUntraced(function* ({ asker, key, count }, question, digest) {
        const outcomes = session.outcomes.get(key) ?? [];
        const recorded = outcomes[count];
        if (recorded !== undefined) {
            if (recorded.digest !== digest)
                return "stale";
            const exit = yield* Effect.exit(question.interpret(toAnswer(recorded), asker.key));
            // one that no longer decodes is asked again, one that never did replays as it was
            return recorded.kind !== "invalid" && isInvalid(exit) ? "ask" : exit;
        }
        if (count > outcomes.length || !session.fresh.has(key) || !session.asked.has(key))
            return "ask";
        const answer = session.fresh.get(key);
        session.fresh.delete(key);
        if (session.asked.get(key) !== digest)
            return "stale";
        const exit = yield* Effect.exit(question.interpret(answer, asker.key));
        outcomes.push(record(question, digest, answer, !isInvalid(exit)));
        session.outcomes.set(key, outcomes);
        return exit;
    });
    /** An answer to a question that has since changed: asked again, but not for ever (I13). */
    const stale = (turn, again) => Effect.suspend(() => {
        const { asker, key } = turn;
        const count = (session.stale.get(key) ?? 0) + 1;
        session.stale.set(key, count);
        if (count < options.maxStale)
            return Effect.andThen(options.onStale(turn), again);
        return Asker.abort(asker, session.parked, new AskFailed({ resolver: asker.key, reason: "InvalidAnswer", detail: changing(count) }));
    });
    return {
        supports: (capabilities) => Effect.sync(() => missing(capabilities, options.declared) === undefined),
        ask: (turn, question) => Effect.suspend(() => {
            const { asker, key } = turn;
            const text = canonicalJson({ method: question.method, params: question.params });
            // nothing can be known of it yet: no look-up, no digest
            if (!session.outcomes.has(key) && !session.fresh.has(key))
                return suspend(turn, question, text, undefined);
            return Asker.looking(asker, Effect.flatMap(options.digest(text), (digest) => Effect.map(verdict(turn, question, digest), (verdict) => ({ verdict, digest })))).pipe(Effect.flatMap(({ verdict, digest }) => {
                if (verdict === "ask")
                    return suspend(turn, question, text, digest);
                if (verdict === "stale")
                    return stale(turn, Effect.suspend(() => suspend(turn, question, text, digest)));
                return verdict;
            }));
        })
    };
};
const changing = (count) => `asked a question that changed ${count} times while it was being answered; what it shows must not depend on the time, on chance or on data that moves: durable values, Call.id and Call.startedAt stand still`;
