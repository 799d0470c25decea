/**
 * `Notices` by Redis pub/sub, over effect's `Redis` service: `NodeRedis.layer` of `@effect/platform-node/NodeRedis` is one,
 * with `redis` beside it. By itself, so that nothing else loads it.
 *
 * While Redis is away nothing is heard, and what is published meanwhile may be lost. The connection and the subscription
 * come back by themselves.
 *
 * @since 0.2.0
 */
import { Effect, FiberSet, Layer, Queue, Schema } from "effect"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import { Redis } from "effect/persistence/Redis"
import { Notices, type Service } from "./internal/base/notices.ts"
import * as Text from "./internal/base/sentences.ts"

/**
 * Options of {@link layer}: the `channel` of the replicas of one server (`effect-resolve:notices`).
 *
 * @category models
 * @since 0.2.0
 */
export interface Options {
  readonly channel?: string | undefined
}

const Message = Schema.fromJsonString(
  Schema.Struct({
    from: Schema.String,
    notice: Schema.Union([
      Schema.Struct({ _tag: Schema.Literals(["ToolsChanged", "PromptsChanged", "ResourcesChanged"]) }),
      Schema.Struct({ _tag: Schema.Literal("ResourceUpdated"), uri: Schema.String })
    ])
  })
)
const decode = Schema.decodeUnknownEffect(Message)

/**
 * Layer of notices that travel over Redis. It subscribes when the server starts; a Redis that is away later is waited for.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = ({ channel = "effect-resolve:notices" }: Options = {}): Layer.Layer<never, never, Redis> =>
  Layer.effect(
    Notices,
    Effect.gen(function* () {
      const redis = yield* Redis
      const fibers = yield* FiberSet.make<void>()
      const from = uuidV4Unsafe()
      const failed = (cause: unknown) => Effect.logWarning(Text.noticeLost, cause)
      const service: Service = {
        publish: (notice) =>
          redis
            .send("PUBLISH", channel, JSON.stringify({ from, notice }))
            .pipe(
              Effect.timeout("2 seconds"),
              Effect.catchCause(failed),
              (publishing) => FiberSet.run(fibers, Effect.asVoid(publishing)),
              Effect.asVoid
            ),
        listen: (tell) =>
          Effect.flatMap(redis.subscribe(channel), (messages) =>
            Queue.take(messages).pipe(
              Effect.flatMap(({ message }) =>
                // whatever else is said on the channel is not for us
                Effect.matchEffect(decode(message), {
                  onFailure: failed,
                  onSuccess: (said) => (said.from === from ? Effect.void : tell(said.notice))
                })
              ),
              Effect.forever
            )
          ).pipe(
            Effect.scoped,
            // a client that does not connect again by itself fails here
            Effect.catchCause((cause) => Effect.andThen(failed(cause), Effect.sleep("1 second"))),
            Effect.forever
          )
      }
      return service
    })
  )
