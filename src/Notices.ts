/**
 * What the replicas of a server tell each other: a change that `McpContext.notify*` or `Resolve.register` announces on one
 * replica is heard by the clients of every other one, on `resources/subscribe`, the GET stream and `subscriptions/listen`
 * alike.
 *
 * Optional; there is none by default. `NoticesRedis.layer` uses Redis; {@link layer} takes any other way. Provide it to
 * `ResolveServer.layerHttp`.
 *
 * A notice is told **at most once**. One that is published while a replica is cut off may never reach it: a client that
 * must not miss a change asks for the list or the resource again, as it does after a reconnection. Only the notice
 * travels. Which tools are on stays each replica's own: a program that switches one on
 * everywhere keeps the switch where all replicas look, and each follows it.
 *
 * @since 0.2.0
 */
import { Layer } from "effect"
import { Notices, type Service } from "./internal/base/notices.ts"

export { type Notice, Notices, type Service } from "./internal/base/notices.ts"

/**
 * Layer of a way of yours for notices to travel.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Notices, service)
