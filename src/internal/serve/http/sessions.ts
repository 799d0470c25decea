/**
 * Adapters that belong to one HTTP endpoint: its changes go to the GET streams of its sessions and to nothing else, and
 * resources can be subscribed to over HTTP.
 */
import { Effect, Predicate, PubSub, Scope } from "effect"
import type { McpProtocol } from "effect/ai"
import * as McpSchema from "effect/ai/McpSchema"
import * as Text from "../../base/sentences.ts"
import { CurrentListening, type Listening } from "../adapter/middleware.ts"
import { isLifecycle, type Lifecycle, readChanges } from "../adapter/seam.ts"
import { type Hub, publish } from "./hub.ts"
import { hear } from "./replicas.ts"

/** More URIs than a client can mean: what a session holds is bounded. */
const maxSubscriptions = 1_000

const withSubscribe = (initialized: unknown): unknown => {
  if (!Predicate.hasProperty(initialized, "capabilities") || !Predicate.isReadonlyObject(initialized.capabilities)) {
    return initialized
  }
  const { resources } = initialized.capabilities
  return Predicate.isReadonlyObject(resources)
    ? {
        ...initialized,
        capabilities: { ...initialized.capabilities, resources: { ...resources, subscribe: true } }
      }
    : initialized
}

const lifecycleOf = (hub: Hub, lifecycle: Lifecycle): Lifecycle => {
  const session = (headers: { readonly [name: string]: string | undefined }) =>
    hub.sessions.get(headers["mcp-session-id"] ?? "")
  return {
    ...lifecycle,
    initialize: (...parameters) => Effect.map(lifecycle.initialize(...parameters), withSubscribe),
    subscribe: (uri, _clientId, headers) =>
      Effect.suspend(() => {
        const subscriptions = session(headers)?.subscriptions
        if (subscriptions !== undefined && subscriptions.size >= maxSubscriptions && !subscriptions.has(uri)) {
          return Effect.fail({
            code: McpSchema.INVALID_PARAMS_ERROR_CODE,
            message: Text.tooManySubscriptions(maxSubscriptions)
          })
        }
        subscriptions?.add(uri)
        return Effect.void
      }),
    unsubscribe: (uri, _clientId, headers) => Effect.sync(() => void session(headers)?.subscriptions.delete(uri))
  }
}

const changeTags = ["ToolsChanged", "PromptsChanged", "ResourcesChanged", "ResourceUpdated"] as const
const isChange = (notification: unknown) => changeTags.some((tag) => Predicate.isTagged(notification, tag))

/** An adapter whose listen streams are counted, and end with their result when the server shuts down. */
export const withListening =
  (listening: Listening) =>
  <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
    ...adapter,
    installHandlers: (core, lifecycle, target) =>
      Effect.provideService(adapter.installHandlers(core, lifecycle, target), CurrentListening, listening)
  })

/** The endpoint's own copy of an adapter. `scope` is the endpoint's. */
export const attach =
  (hub: Hub, scope: Scope.Scope) =>
  <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
    ...adapter,
    // on a POST's stream they would be further copies, and belong to no request
    projectNotification: (notification) =>
      adapter.runtime._tag === "Stateful" && isChange(notification)
        ? Effect.succeed(undefined)
        : adapter.projectNotification(notification),
    installHandlers: Effect.fnUntraced(function* (core, lifecycle, target) {
      yield* follow(hub, scope, target)
      const sessions = isLifecycle(lifecycle) ? lifecycleOf(hub, lifecycle) : lifecycle
      yield* withListening(hub.listening)(adapter).installHandlers(core, sessions, target)
    })
  })

const follow = Effect.fnUntraced(function* (hub: Hub, scope: Scope.Scope, target: unknown) {
  const source = readChanges(target)
  // each adapter of the endpoint is told of the same changes
  if (source === undefined || hub.followed) return
  hub.followed = true
  hub.revision = source.revision
  yield* hear(scope)
  const changes = yield* Scope.provide(source.changes, scope)
  yield* PubSub.take(changes).pipe(
    Effect.map((change) => publish(hub, change)),
    Effect.forever,
    Effect.forkIn(scope)
  )
})
