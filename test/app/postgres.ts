/**
 * A database for each test: in a PostgreSQL that is started for the file, or, where none is installed, in a PGlite behind a
 * socket. Programs reach both by the same client.
 */

import { PgClient } from "@effect/sql-pg"
import { PGlite } from "@electric-sql/pglite"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { Effect, Exit, Layer, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import * as Parts from "../replicas/parts.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const real = !Parts.isMissing("postgres")
const urlOf = (port: number, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`

let port = 0
const client = Layer.suspend(() => PgClient.layer({ url: Redacted.make(urlOf(port, "postgres")) }))

// it listens for a moment before it lets anybody in
const start = Effect.gen(function* () {
  port = (yield* Scope.provide(Parts.postgres, scope)).port
  const answers = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(Effect.provide(client))
  yield* Effect.retry(answers, { schedule: Schedule.spaced("50 millis"), times: 200 })
})
if (real) beforeAll(() => Effect.runPromise(start))

let databases = 0
const inPostgres = Effect.gen(function* () {
  const name = `shop${++databases}`
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE DATABASE ${sql(name)}`
  return urlOf(port, name)
}).pipe(Effect.provide(client), Effect.orDie)

// slow to make, so it is made once for the file and emptied for each test: they run one after the other
const pglite = Effect.runSync(
  Effect.cached(
    Effect.promise(async () => {
      const db = await PGlite.create()
      const port = await Parts.freePort()
      const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port, maxConnections: 20 })
      await server.start()
      await Effect.runPromise(
        Scope.addFinalizer(
          scope,
          Effect.promise(() => server.stop().then(() => db.close()))
        )
      )
      return { db, port }
    })
  )
)
const inPglite = Effect.flatMap(pglite, ({ db, port }) =>
  Effect.as(
    Effect.promise(() => db.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public")),
    urlOf(port, "postgres")
  )
)

/** The URL of a new database. */
export const create: Effect.Effect<string> = real ? inPostgres : inPglite
