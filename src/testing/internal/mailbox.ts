/**
 * Notifications as they come: all of them as a list, and one after another for a test that waits for them.
 */
import { Effect } from "effect"

/**
 * A notification of the server's, as it stands on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notification {
  readonly method: string
  readonly params: any
}

export interface Mailbox {
  readonly all: Array<Notification>
  readonly deliver: (notification: Notification) => void
  /** The oldest not taken yet that fits, waiting for one if need be. */
  readonly take: (fits: (notification: Notification) => boolean) => Effect.Effect<Notification>
}

export const make = (): Mailbox => {
  const all: Array<Notification> = []
  const fresh: Array<Notification> = []
  const waiters = new Set<() => boolean>()
  return {
    all,
    deliver: (notification) => {
      all.push(notification)
      fresh.push(notification)
      for (const waiter of waiters) if (waiter()) return
    },
    take: (fits) =>
      Effect.callback((resume) => {
        const attempt = () => {
          const index = fresh.findIndex(fits)
          if (index === -1) return false
          waiters.delete(attempt)
          resume(Effect.succeed(fresh.splice(index, 1)[0]!))
          return true
        }
        if (!attempt()) waiters.add(attempt)
        return Effect.sync(() => waiters.delete(attempt))
      })
  }
}
