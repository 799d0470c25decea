/** What happened on the server, told to the test by tools of its own: each test uses a key of its own. */
import { Context, Effect, Layer, Stream, SubscriptionRef } from "effect"

type Events = ReadonlyMap<string, ReadonlyArray<string>>

export class Ledger extends Context.Service<
  Ledger,
  {
    readonly add: (key: string, event: string) => Effect.Effect<void>
    readonly read: (key: string) => Effect.Effect<ReadonlyArray<string>>
    /** Waits until the event has happened. */
    readonly seen: (key: string, event: string) => Effect.Effect<void>
  }
>()("interop/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.map(SubscriptionRef.make<Events>(new Map()), (events) => ({
      add: (key, event) =>
        SubscriptionRef.update(events, (all) => new Map(all).set(key, [...(all.get(key) ?? []), event])),
      read: (key) => Effect.map(SubscriptionRef.get(events), (all) => all.get(key) ?? []),
      seen: (key, event) =>
        SubscriptionRef.changes(events).pipe(
          Stream.filter((all) => all.get(key)?.includes(event) === true),
          Stream.take(1),
          Stream.runDrain
        )
    }))
  )
}
