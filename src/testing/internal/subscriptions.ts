/**
 * Listening for changes: a stream of its own on 2026-07-28, unsolicited notifications on older versions.
 */
import { Effect, Fiber, type Scope } from "effect"
import { JsonRpcError } from "../PeerError.ts"
import type { Notification } from "./mailbox.ts"
import * as Text from "./messages.ts"
import type { Rounds } from "./rounds.ts"
import type { JsonRpcId, Session } from "./session.ts"

/**
 * What a client wants to hear about, as in `subscriptions/listen` of 2026-07-28.
 *
 * @category models
 * @since 0.1.0
 */
export interface Filter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: ReadonlyArray<string>
}

/**
 * An open subscription.
 *
 * **Details**
 *
 * - `id`: the JSON-RPC id of the listen request; undefined on versions without one.
 * - `acknowledged`: what the server agreed to send; on old versions what was asked for.
 * - `next`: the next notification of this subscription, waiting for it if need be.
 * - `close`: ends the subscription from the client's side, as closing the scope does.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscription {
  readonly id: JsonRpcId | undefined
  readonly acknowledged: Filter
  readonly next: Effect.Effect<Notification>
  readonly close: Effect.Effect<void>
}

const subscriptionId = "io.modelcontextprotocol/subscriptionId"
const acknowledgement = "notifications/subscriptions/acknowledged"

const isChange = (method: string) => method.endsWith("/list_changed") || method === "notifications/resources/updated"

const listen = Effect.fnUntraced(function* (session: Session, rounds: Rounds, filter: Filter, id: JsonRpcId) {
  const mine = (notification: Notification) => notification.params?._meta?.[subscriptionId] === id
  const fiber = yield* Effect.forkScoped(rounds.result("subscriptions/listen", { notifications: filter }, { id }), {
    startImmediately: true
  })
  const first = yield* Effect.raceFirst(
    session.mailbox.take(mine),
    Effect.flatMap(Fiber.join(fiber), (result) =>
      Effect.fail(
        new JsonRpcError({
          method: "subscriptions/listen",
          code: 0,
          message: Text.notAcknowledged(result),
          data: undefined,
          httpStatus: undefined,
          origin: "peer"
        })
      )
    )
  )
  if (first.method !== acknowledgement) {
    return yield* Effect.die(new Error(Text.strangeBeginning(first.method)))
  }
  const subscription: Subscription = {
    id,
    acknowledged: first.params.notifications,
    next: session.mailbox.take(mine),
    close: Fiber.interrupt(fiber)
  }
  return subscription
})

const legacy = Effect.fnUntraced(function* (session: Session, rounds: Rounds, filter: Filter) {
  const uris = filter.resourceSubscriptions ?? []
  yield* Effect.forEach(uris, (uri) => rounds.result("resources/subscribe", { uri }), { discard: true })
  const close = Effect.forEach(uris, (uri) => Effect.ignore(rounds.result("resources/unsubscribe", { uri })), {
    discard: true
  })
  const next = session.mailbox.take(
    ({ method, params }) =>
      isChange(method) && (method !== "notifications/resources/updated" || uris.includes(params?.uri))
  )
  const subscription: Subscription = { id: undefined, acknowledged: filter, next, close }
  return subscription
})

export const make = (session: Session, rounds: Rounds) => {
  let count = 0
  return (filter: Filter): Effect.Effect<Subscription, JsonRpcError, Scope.Scope> =>
    session.profile.stateless ? listen(session, rounds, filter, `listen-${++count}`) : legacy(session, rounds, filter)
}
