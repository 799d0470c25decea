/**
 * What the two interpreters, and the one for calls in process, have in common: whose question it is, which one of its
 * body, and that it is put while its body runs.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { AskFailed } from "../../Question.js";
import { nobody } from "../ask.js";
import { CurrentAsker } from "../asker.js";
/** `#` sets a label off from a key, `>` a nested call from its caller; in a key of the user's they stand for themselves. */
export const escape = (text) => text.replace(/[%#>]/g, encodeURIComponent);
const unavailable = (resolver, detail) => Effect.fail(new AskFailed({ resolver, reason: "Unavailable", detail }));
const engineServices = new WeakSet();
/** A call made inside a call finds the engine's own service there and joins it; any other one is the user's. */
export const isEngineService = (service) => engineServices.has(service);
export const toService = (session, interpreter) => {
    const service = {
        supports: interpreter.supports,
        ask: (question) => Effect.withFiber((fiber) => {
            const asker = Context.get(fiber.context, CurrentAsker);
            if (asker === undefined || asker.ended || session.ended) {
                return unavailable(asker?.key ?? nobody, "it asked a question after it had ended");
            }
            const key = question.label === undefined ? asker.wireKey : `${asker.wireKey}#${escape(question.label)}`;
            const turns = asker.turns.get(key);
            if (turns !== undefined && turns.state !== "failed") {
                return unavailable(asker.key, question.label === undefined
                    ? "it asked two questions without a label; give each further question of one body a `label`"
                    : `it asked two questions with the label '${question.label}'; give each its own`);
            }
            const current = turns ?? { count: 0, state: "open" };
            asker.turns.set(key, current);
            current.state = "open";
            const turn = { asker, key, count: current.count++ };
            return Effect.onExit(interpreter.ask(turn, question), (exit) => {
                current.state = Exit.isSuccess(exit) ? "answered" : "failed";
                return Effect.void;
            });
        })
    };
    engineServices.add(service);
    return service;
};
