/**
 * One replica of the bookshop, told by its environment which: `PORT`, `REPLICA`, `RELEASE`, `STATE_KEYS`, `REDIS_URL`.
 */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Config, Effect, Layer } from "effect"
import { RequestState, ResolveServer } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"
import * as NoticesRedis from "effect-resolve/NoticesRedis"
import * as Orders from "../10-durable.ts"
import * as Gifts from "./gifts.ts"

const redis = NodeRedis.layerConfig({ url: Config.String("REDIS_URL") })

// keys and audience are the same in every replica; what was answered, and who has heard of a change, is in Redis
const shared = Layer.mergeAll(
  RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "bookshop" }),
  JournalRedis.layer(),
  NoticesRedis.layer()
)

const endpoint = Effect.gen(function* () {
  return ResolveServer.layerHttp({
    name: "bookshop",
    version: yield* Config.String("RELEASE"),
    path: "/mcp",
    replica: yield* Config.String("REPLICA"),
    registrations: Layer.merge(Orders.registrations, Gifts.registrations)
  })
})

const server = Effect.gen(function* () {
  const port = yield* Config.Port("PORT")
  return ResolveServer.serve(Layer.unwrap(endpoint).pipe(Layer.provide(shared), Layer.provide(redis)), { port })
})

ResolveServer.run(Layer.unwrap(server))
