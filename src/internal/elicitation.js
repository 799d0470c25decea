/** Forms and URLs as questions: rendered, projected per protocol version, and their answers read (DESIGN.md 9). */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { Call } from "../Call.js";
import { AskFailed } from "../Question.js";
import { nobody, printable } from "./ask.js";
import { CurrentAsker } from "./asker.js";
import * as Form from "./form.js";
const invalid = (resolver, detail, cause) => new AskFailed({ resolver, reason: "InvalidAnswer", detail, ...(cause === undefined ? {} : { cause }) });
/** The sentence for an answer that belongs to no question of this kind. */
export const wrongKind = (resolver, cause) => invalid(resolver, "received a response of the wrong kind", cause);
const unshowable = (resolver) => (error) => new AskFailed({
    resolver,
    reason: "Unavailable",
    detail: `its question cannot be shown: ${error.field === undefined ? "" : `field '${error.field}' `}${error.problem}`
});
/** Reads the three actions, and hands an accepted content on. Anything beside them is an answer of another kind. */
const outcome = (answer, resolver, refusals, accepted) => {
    if (typeof answer !== "object" || answer === null || !Object.hasOwn(answer, "action")) {
        return Effect.fail(wrongKind(resolver));
    }
    const { action, content } = answer;
    switch (action) {
        case "accept":
            return accepted(content ?? undefined);
        case "decline":
            return Effect.fail(refusals.declined(resolver));
        case "cancel":
            return Effect.fail(refusals.cancelled(resolver));
        default:
            return Effect.fail(wrongKind(resolver));
    }
};
export const form = (options, resolver, refusals) => Effect.map(Effect.mapError(Effect.fromResult(Form.render(options.schema)), unshowable(resolver)), (rendered) => {
    const message = printable(options.message);
    return {
        method: "elicitation/create",
        params: { mode: "form", message, requestedSchema: rendered.requestedSchema },
        label: options.label,
        timeout: options.timeout,
        requires: { elicitation: { form: {} } },
        project: (version, resolver) => Effect.map(Effect.mapError(Effect.fromResult(Form.project(rendered, version)), unshowable(resolver)), (requestedSchema) => version < "2025-11-25" ? { message, requestedSchema } : { mode: "form", message, requestedSchema }),
        interpret: (answer, resolver) => outcome(answer, resolver, refusals, (content) => content === undefined && !rendered.allOptional
            ? Effect.fail(invalid(resolver, "received an accepted elicitation with no content"))
            : Effect.mapError(Form.decode(options.schema, content ?? {}), (cause) => invalid(resolver, "received an accepted elicitation whose content does not match the requested schema", cause)))
    };
});
export const url = (options, resolver, refusals) => Effect.suspend(() => {
    const address = String(options.url);
    if (!URL.canParse(address)) {
        return Effect.fail(new AskFailed({ resolver, reason: "Unavailable", detail: "its question has no valid URL to open" }));
    }
    const params = { mode: "url", message: printable(options.message), url: address };
    return Effect.succeed({
        method: "elicitation/create",
        params,
        label: options.label,
        timeout: options.timeout,
        requires: { elicitation: { url: {} } },
        project: (version) => version >= "2026-07-28"
            ? Effect.succeed(params)
            : Effect.map(Effect.serviceOption(Call), (call) => ({
                ...params,
                elicitationId: options.id ?? Option.match(call, { onNone: () => address, onSome: (call) => call.id })
            })),
        interpret: (answer, resolver) => outcome(answer, resolver, refusals, () => Effect.void)
    });
});
export const request = (question) => {
    // the two constructors above are the only makers of such params
    const params = question.params;
    return { ...params, label: question.label };
};
export const askerOf = (context) => Context.get(context, CurrentAsker)?.key ?? nobody;
/** For programs without anyone to ask. */
export const unavailable = (detail = "there is nobody to ask") => ({
    supports: () => Effect.succeed(false),
    ask: () => Effect.withFiber((fiber) => Effect.fail(new AskFailed({
        resolver: askerOf(fiber.context),
        reason: "Unavailable",
        detail
    })))
});
