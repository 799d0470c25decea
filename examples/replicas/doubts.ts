/** What an operator does about rounds in doubt: `REDIS_URL=.. npx tsx examples/replicas/doubts.ts [key again|spent]`. */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Config, Console, Effect, Layer } from "effect"
import { Journal } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"

const journal = JournalRedis.layer().pipe(Layer.provide(NodeRedis.layerConfig({ url: Config.String("REDIS_URL") })))

/** Lists them, or settles one: `again` if it did nothing, `spent` if it did its work. */
export const doubts = (key?: string, decision?: string) =>
  Effect.gen(function* () {
    if (key !== undefined && (decision === "again" || decision === "spent")) {
      return yield* Console.log((yield* Journal.settle(key, decision)) ? "settled" : "not in doubt")
    }
    for (const { call, method, since, target, key } of yield* Journal.inDoubt()) {
      yield* Console.log(`${key}  ${method} ${target}, call ${call}, since ${new Date(since).toISOString()}`)
    }
  })

if (process.argv[1] === import.meta.filename) {
  Effect.runPromise(Effect.provide(doubts(...process.argv.slice(2)), journal))
}
