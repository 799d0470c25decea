/** The tables, and the client that every request shares. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, type Redacted } from "effect"
import { Migrator, SqlClient } from "effect/sql"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE books (title text PRIMARY KEY, price integer NOT NULL, copies integer NOT NULL CHECK (copies >= 0))`
  yield* sql`CREATE TABLE customers (subject text PRIMARY KEY, member boolean NOT NULL, address text)`
  yield* sql`CREATE TABLE payments (order_id uuid PRIMARY KEY, subject text NOT NULL, amount integer NOT NULL, paid boolean NOT NULL DEFAULT false)`
  yield* sql`CREATE TABLE orders (
    id uuid PRIMARY KEY, subject text NOT NULL, title text NOT NULL REFERENCES books, copies integer NOT NULL,
    total integer NOT NULL, address text NOT NULL, placed_at timestamptz NOT NULL DEFAULT now()
  )`
})

const stock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO books ${sql.insert([
    { title: "Dune", price: 1200, copies: 7 },
    { title: "Emma", price: 900, copies: 1 },
    { title: "Codex Seraphinianus", price: 12500, copies: 2 }
  ])}`
})

const migrations = Layer.effectDiscard(
  Migrator.make({})({ loader: Migrator.fromRecord({ "0001_tables": tables, "0002_stock": stock }) })
)

/** Migrated before anything is served. */
export const layer = (url: Config.Config<Redacted.Redacted>) =>
  migrations.pipe(Layer.provideMerge(PgClient.layerConfig({ url })), Layer.provide(NodeServices.layer))

export const layerConfig = layer(Config.Redacted("DATABASE_URL"))
