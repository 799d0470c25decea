/** 14: one transaction for resolvers and body, on PostgreSQL. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { registrations } from "../../examples/14-transaction.ts"
import * as Postgres from "./postgres.ts"

const database = Effect.gen(function* () {
  const url = Redacted.make(yield* Postgres.create)
  const context = yield* Layer.build(PgClient.layer({ url }))
  const sql = yield* Effect.provideContext(SqlClient.SqlClient, context)
  yield* sql`CREATE TABLE stock (title text PRIMARY KEY, copies integer NOT NULL)`
  yield* sql`INSERT INTO stock ${sql.insert({ title: "Dune", copies: 1 })}`
  return { sql, registrations: Layer.provide(registrations, Layer.succeedContext(context)) }
})

const yes = Answer.accept({ confirm: true })

describe("14", () => {
  eras("14: what was read is read again under a lock, and the order is written with it", (era) =>
    Effect.gen(function* () {
      const { registrations, sql } = yield* database
      const peer = yield* Peer.make({ ...era, registrations, answers: { "bookshop/Consent": [yes, yes] } })
      assert.strictEqual((yield* peer.callTool("order_book", { title: "Dune" })).text, "Ordered 'Dune'; 0 left.")
      assert.deepStrictEqual(yield* sql`SELECT copies FROM stock`, [{ copies: 0 }])
      const again = yield* peer.callTool("order_book", { title: "Dune" })
      assert.include(again.text, "'Dune' has sold out")
    })
  )

  eras("14: what sold out while somebody was thinking is seen, and nothing is written", (era) =>
    Effect.gen(function* () {
      const { registrations, sql } = yield* database
      const sellOut = Effect.orDie(sql`UPDATE stock SET copies = 0`)
      const answers = { "bookshop/Consent": () => Effect.as(sellOut, yes) }
      const peer = yield* Peer.make({ ...era, registrations, answers })
      const { isError, text } = yield* peer.callTool("order_book", { title: "Dune" })
      assert.deepStrictEqual([isError, text.includes("sold out")], [true, true])
      // the connection is back in the pool, with no transaction left open on it
      assert.deepStrictEqual(yield* sql`SELECT copies FROM stock`, [{ copies: 0 }])
      const open = yield* sql`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'`
      assert.deepStrictEqual(open, [])
    })
  )
})
