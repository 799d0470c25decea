/**
 * `Journal` on a SQL database, by effect's `SqlClient`: `PgClient.layer` of `@effect/sql-pg` is one. By itself, so that
 * nothing else loads it. It is tested on PostgreSQL; its statements are those that SQLite knows as well.
 *
 * A claim is a row of one table, inserted under a unique key. A commit that is not on disk (`synchronous_commit = off`) may
 * be forgotten, and its round run twice.
 *
 * @since 0.2.0
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Text from "./internal/base/sentences.ts"
import { read, write } from "./internal/state/claimText.ts"
import { type Found, JournalError, type Store } from "./internal/state/journal.ts"
import * as Public from "./Journal.ts"

/**
 * Options of {@link layer}: those of `Journal`, and the table.
 *
 * - `table`: its name, `effect_resolve_journal`.
 * - `migrate`: true; false when the table is made by your own migrations ({@link migration}).
 *
 * @category models
 * @since 0.2.0
 */
export interface Options extends Public.Options {
  readonly table?: string | undefined
  readonly migrate?: boolean | undefined
}

const defaultTable = "effect_resolve_journal"

/**
 * Makes the table, unless it is there: for `effect/sql`'s `Migrator`, or to be run by hand.
 *
 * @category combinators
 * @since 0.2.0
 */
export const migration = (table: string = defaultTable): Effect.Effect<void, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${sql(table)} (
        id VARCHAR(64) PRIMARY KEY,
        state VARCHAR(8) NOT NULL,
        owner VARCHAR(64) NOT NULL,
        claim TEXT NOT NULL,
        reply TEXT,
        expires_at BIGINT NOT NULL
      )`
    yield* sql`CREATE INDEX IF NOT EXISTS ${sql(`${table}_expires_at`)} ON ${sql(table)} (expires_at)`
  }).pipe(
    // replicas that start together make it together, and PostgreSQL lets one of them fail
    Effect.retry({ times: 3 })
  )

interface Row {
  readonly state: string
  readonly owner: string
  readonly reply: string | null
}

const makeStore = (sql: SqlClient, table: string): Store => {
  const own = (key: string, owner: string) => sql`id = ${key} AND owner = ${owner} AND state = 'open'`
  const look = (key: string, owner: string): Effect.Effect<Found<string> | undefined, SqlError> =>
    Effect.map(sql<Row>`SELECT state, owner, reply FROM ${sql(table)} WHERE id = ${key}`, ([row]) => {
      if (row === undefined) return undefined
      if (row.state === "kept") return { _tag: "Kept", kept: row.reply ?? "" }
      if (row.state === "spent") return { _tag: "Spent" }
      return { _tag: row.owner === owner ? "Claimed" : "Open" }
    })
  const store: Store = {
    claim: (claim) =>
      Effect.flatMap(
        sql`INSERT INTO ${sql(table)} (id, state, owner, claim, expires_at)
          VALUES (${claim.key}, 'open', ${claim.owner}, ${write(claim)}, ${claim.expiresAt})
          ON CONFLICT (id) DO NOTHING`,
        () => look(claim.key, claim.owner)
      ).pipe(
        // it was released between the two statements
        Effect.flatMap((found) => (found === undefined ? store.claim(claim) : Effect.succeed(found)))
      ),
    keep: ({ key, owner }, kept) =>
      Effect.asVoid(sql`UPDATE ${sql(table)} SET state = 'kept', reply = ${kept} WHERE ${own(key, owner)}`),
    release: ({ key, owner }) => Effect.asVoid(sql`DELETE FROM ${sql(table)} WHERE ${own(key, owner)}`),
    inDoubt: Effect.flatMap(
      sql<{ readonly id: string; readonly claim: string }>`SELECT id, claim FROM ${sql(table)} WHERE state = 'open'`,
      (rows) => Effect.forEach(rows, ({ claim, id }) => read(id, claim))
    ),
    settle: (key, decision) =>
      Effect.map(
        decision === "again"
          ? sql`DELETE FROM ${sql(table)} WHERE id = ${key} AND state = 'open' RETURNING id`
          : sql`UPDATE ${sql(table)} SET state = 'spent' WHERE id = ${key} AND state = 'open' RETURNING id`,
        (rows) => rows.length > 0
      )
  }
  return store
}

/** Rows whose state opens nowhere any more. */
const sweep = (sql: SqlClient, table: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => sql`DELETE FROM ${sql(table)} WHERE expires_at <= ${now}`).pipe(
    Effect.catchCause((cause) => Effect.logWarning(Text.journal(Text.journalFailed("forget")), cause)),
    Effect.delay("1 minute"),
    Effect.forever
  )

/**
 * Layer of a journal in one table, for any number of replicas that share the database. Each replica deletes rows whose
 * state has ended, once a minute; nobody else has to. Fails with `Journal.JournalError` when an option cannot be used, and
 * with `SqlError` when the table cannot be made.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = ({
  migrate = true,
  table = defaultTable,
  ...options
}: Options = {}): Layer.Layer<never, JournalError | SqlError, SqlClient> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (!/^\w+$/.test(table)) return yield* new JournalError({ description: Text.badTable })
      const sql = yield* SqlClient
      if (migrate) yield* migration(table)
      return Layer.merge(
        Public.layer(makeStore(sql, table), options),
        Layer.effectDiscard(Effect.forkScoped(sweep(sql, table)))
      )
    })
  )
