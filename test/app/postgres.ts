/** One PostgreSQL for a file of tests, and a database in it for each test. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import * as Parts from "../replicas/parts.ts"

const scope = Scope.makeUnsafe()
let port = 0
const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
const client = Layer.suspend(() => PgClient.layer({ url: Redacted.make(urlOf("postgres")) }))

// it listens for a moment before it lets anybody in
const started = Effect.gen(function* () {
  port = (yield* Scope.provide(Parts.postgres, scope)).port
  yield* Effect.retry(Effect.scoped(Layer.build(client)), { schedule: Schedule.spaced("50 millis"), times: 200 })
})
beforeAll(() => Effect.runPromise(started))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

let databases = 0

/** The URL of a new database. */
export const create: Effect.Effect<string> = Effect.gen(function* () {
  const name = `shop${++databases}`
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE DATABASE ${sql(name)}`
  return urlOf(name)
}).pipe(Effect.provide(client), Effect.orDie)
