/**
 * The one place that reads what `ProtocolAdapter.installHandlers` is given: public, but typed `any` (WIRE.md, "Answer").
 *
 * effect/ai calls it once per server and adapter. What it hands over is the server's own name, its change
 * notifications and the session operations; each is looked at before it is believed, so that another effect/ai version
 * takes the extras away, never the answers.
 */
import { Context, Effect, Predicate } from "effect";
/** The server that a handler runs in: adapters are shared by servers, so this comes with the handlers. */
export const CurrentServerInfo = Context.Reference("effect-resolve/internal/ServerInfo", {
    defaultValue: () => undefined
});
const infoFields = ["name", "version", "title", "description", "websiteUrl", "icons"];
const readServerInfo = (target) => {
    if (!Predicate.hasProperty(target, "context") || !Predicate.hasProperty(target.context, "serverInfo")) {
        return undefined;
    }
    const info = target.context.serverInfo;
    if (!Predicate.isReadonlyObject(info) || typeof info.name !== "string")
        return undefined;
    return Object.fromEntries(infoFields.flatMap((field) => (info[field] === undefined ? [] : [[field, info[field]]])));
};
/** An adapter whose handlers and middleware know the server they belong to. */
export const withServerInfo = (adapter) => ({
    ...adapter,
    installHandlers: (core, lifecycle, target) => Effect.provideService(adapter.installHandlers(core, lifecycle, target), CurrentServerInfo, readServerInfo(target))
});
/** What a server is told of its own changes, or undefined where effect/ai no longer tells. */
export const readChanges = (target) => {
    if (!Predicate.hasProperty(target, "context") || !Predicate.isReadonlyObject(target.context))
        return undefined;
    const { getListChangeRevision, subscribeServerNotifications } = target.context;
    return Effect.isEffect(subscribeServerNotifications)
        ? {
            changes: subscribeServerNotifications,
            revision: typeof getListChangeRevision === "function" ? () => Number(getListChangeRevision()) : () => 0
        }
        : undefined;
};
export const isLifecycle = (lifecycle) => Predicate.isReadonlyObject(lifecycle) &&
    [lifecycle.initialize, lifecycle.subscribe, lifecycle.unsubscribe].every((f) => typeof f === "function");
