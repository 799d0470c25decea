/** A registration that can be retired: effect/ai has no removal, but hides what is not enabled (WIRE.md 7). */
import { EnabledWhen } from "effect/ai/McpSchema";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
const lists = {
    tools: "notifications/tools/list_changed",
    prompts: "notifications/prompts/list_changed",
    resources: "notifications/resources/list_changed"
};
export const make = (server, list) => {
    let live = true;
    const own = new Set();
    const present = () => [...server.tools, ...server.prompts, ...server.resources, ...server.resourceTemplates].some(({ annotations }) => own.has(annotations));
    return {
        annotate: (annotations) => {
            const enabled = Context.getOrUndefined(annotations, EnabledWhen);
            const annotated = Context.add(annotations, EnabledWhen, (client) => live && (enabled === undefined || enabled(client)));
            own.add(annotated);
            return annotated;
        },
        retire: Effect.suspend(() => {
            if (!live)
                return Effect.void;
            live = false;
            return present() ? server.notifications[lists[list]]({}) : Effect.void;
        })
    };
};
