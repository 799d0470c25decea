/** Entries end with their state: none is left after it. */
import { NodeRedis } from "@effect/platform-node/NodeRedis"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Journal } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"
import * as JournalSql from "effect-resolve/JournalSql"
import * as Parts from "../replicas/parts.ts"
import { redisAt, sqlAt } from "./stores.ts"

const claimOf = (key: string, lifetime: number) =>
  Effect.map(
    Clock.currentTimeMillis,
    (since): Journal.Claim => ({
      ...{ key, owner: "a", call: "c", method: "tools/call", target: "t", since },
      expiresAt: since + lifetime
    })
  )

const store = Effect.map(Journal.Journal, (journal) => (journal ?? assert.fail("no journal")).store as Journal.Store)

/** One entry that stays open and one that is kept. */
const fill = (lifetime: number) =>
  Effect.gen(function* () {
    const { claim, keep } = yield* store
    const [open, kept] = [yield* claimOf("open", lifetime), yield* claimOf("kept", lifetime)]
    yield* Effect.forEach([open, kept], claim)
    yield* keep(kept, "reply")
  })

const untilNone = <E, R>(count: Effect.Effect<number, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(count, (n) => (n === 0 ? Effect.void : untilNone(count)))

describe("the entries of a journal end with their states", () => {
  it.effect("in memory", () =>
    Effect.gen(function* () {
      yield* fill(60_000)
      assert.strictEqual((yield* Journal.inDoubt({ olderThan: 0 })).length, 1)
      yield* TestClock.adjust("2 minutes")
      const { claim } = yield* store
      for (const key of ["open", "kept"]) {
        assert.deepStrictEqual(yield* claim(yield* claimOf(key, 60_000)), { _tag: "Claimed" })
      }
    }).pipe(Effect.provide(Journal.layerMemory()))
  )

  it.live.skipIf(Parts.isMissing("redis"))("on Redis, by themselves", () =>
    Effect.gen(function* () {
      const { port } = yield* Parts.redis
      const count = Effect.flatMap(NodeRedis, ({ use }) => use((client) => client.dbSize()))
      yield* Effect.gen(function* () {
        yield* fill(2_000)
        assert.strictEqual(yield* count, 2)
        yield* untilNone(count)
      }).pipe(Effect.provide(Layer.provideMerge(JournalRedis.layer(), redisAt(port))))
    })
  )

  it.effect.skipIf(Parts.isMissing("postgres"))("on PostgreSQL, within a minute, deleted by any replica", () =>
    Effect.gen(function* () {
      const { port } = yield* Parts.postgres
      const count = Effect.map(
        Effect.flatMap(SqlClient, (sql) => sql<{ n: number }>`SELECT COUNT(*)::int AS n FROM effect_resolve_journal`),
        ([row]) => row?.n ?? 0
      )
      yield* Effect.gen(function* () {
        yield* fill(60_000)
        assert.strictEqual(yield* count, 2)
        yield* TestClock.adjust("61 seconds")
        yield* untilNone(count)
      }).pipe(Effect.provide(Layer.provideMerge(JournalSql.layer(), sqlAt(port))))
    })
  )
})
