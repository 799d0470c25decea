/** A tool that is switched on and off in every replica at once: the switch is a key in Redis, and each replica follows it. */
import { Effect, Layer, Queue, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Redis } from "effect/persistence/Redis"
import { Resolve } from "effect-resolve"

const Gifts = Toolkit.make(Resolve.tool("wrap_gift", { success: Schema.String }))
const Switch = Toolkit.make(
  Resolve.tool("switch_gifts", { parameters: Schema.Struct({ on: Schema.Boolean }), success: Schema.String })
)

const key = "bookshop:gifts"

const SwitchLive = Switch.toLayer(
  Effect.gen(function* () {
    const redis = yield* Redis
    const gifts = yield* Resolve.register(Gifts)
    const follow = Effect.flatMap(redis.send<string | null>("GET", key), (is) =>
      is === "on" ? gifts.add : gifts.remove
    )
    const news = yield* redis.subscribe(key)
    yield* follow
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(news), follow)))
    return {
      switch_gifts: Effect.fn(function* ({ on }) {
        const is = on ? "on" : "off"
        yield* Effect.orDie(redis.send("SET", key, is))
        yield* Effect.orDie(redis.send("PUBLISH", key, is))
        return `Gifts are ${is}.`
      })
    }
  })
)

export const registrations = Resolve.toolkit(Switch).pipe(
  Layer.provide(SwitchLive),
  Layer.provide(Gifts.toLayer({ wrap_gift: () => Effect.succeed("Wrapped.") }))
)
