/**
 * The one place that reads what `ProtocolAdapter.installHandlers` is given: public, but typed `any`.
 *
 * effect/ai calls it once per server and adapter. What it hands over is the server's own name, its change
 * notifications and the session operations; each is looked at before it is believed, so that another effect/ai version
 * takes the extras away, never the answers.
 */
import { Context, Effect, Predicate, type PubSub, type Scope } from "effect"
import type { McpProtocol } from "effect/ai"

/** What a server says about itself in `_meta` of every 2026-07-28 result. */
export type ServerInfo = { readonly [field: string]: unknown }

/** The server that a handler runs in: adapters are shared by servers, so this comes with the handlers. */
export const CurrentServerInfo = Context.Reference<ServerInfo | undefined>("effect-resolve/internal/ServerInfo", {
  defaultValue: () => undefined
})

const infoFields = ["name", "version", "title", "description", "websiteUrl", "icons"] as const

const readServerInfo = (target: unknown): ServerInfo | undefined => {
  if (!Predicate.hasProperty(target, "context") || !Predicate.hasProperty(target.context, "serverInfo")) {
    return undefined
  }
  const info = target.context.serverInfo
  if (!Predicate.isReadonlyObject(info) || typeof info.name !== "string") return undefined
  return Object.fromEntries(infoFields.flatMap((field) => (info[field] === undefined ? [] : [[field, info[field]]])))
}

/** An adapter whose handlers and middleware know the server they belong to. */
export const withServerInfo = <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
  ...adapter,
  installHandlers: (core, lifecycle, target) =>
    Effect.provideService(adapter.installHandlers(core, lifecycle, target), CurrentServerInfo, readServerInfo(target))
})

/** One change of a list or a resource, as effect/ai publishes it. */
export interface Change {
  readonly notification:
    | { readonly _tag: "ToolsChanged" | "PromptsChanged" | "ResourcesChanged" }
    | { readonly _tag: "ResourceUpdated"; readonly uri: string }
  readonly listChangeRevision?: number | undefined
}

type Changes = Effect.Effect<PubSub.Subscription<Change>, never, Scope.Scope>

/** What a server is told of its own changes, or undefined where effect/ai no longer tells. */
export const readChanges = (
  target: unknown
): { readonly changes: Changes; readonly revision: () => number } | undefined => {
  if (!Predicate.hasProperty(target, "context") || !Predicate.isReadonlyObject(target.context)) return undefined
  const { getListChangeRevision, subscribeServerNotifications } = target.context
  return Effect.isEffect(subscribeServerNotifications)
    ? {
        changes: subscribeServerNotifications as Changes,
        revision: typeof getListChangeRevision === "function" ? () => Number(getListChangeRevision()) : () => 0
      }
    : undefined
}

type Headers = { readonly [name: string]: string | undefined }
type Subscription = (uri: string, clientId: number, headers: Headers) => Effect.Effect<void, unknown>

/** The session operations of an older protocol. */
export interface Lifecycle {
  readonly initialize: (...parameters: ReadonlyArray<unknown>) => Effect.Effect<unknown>
  readonly subscribe: Subscription
  readonly unsubscribe: Subscription
}

export const isLifecycle = (lifecycle: unknown): lifecycle is Lifecycle =>
  Predicate.isReadonlyObject(lifecycle) &&
  [lifecycle.initialize, lifecycle.subscribe, lifecycle.unsubscribe].every((f) => typeof f === "function")
