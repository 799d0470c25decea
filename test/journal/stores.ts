/** Every store of a journal, each with what it needs. */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Journal } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"
import * as JournalSql from "effect-resolve/JournalSql"
import * as Parts from "../replicas/parts.ts"

export const redisAt = (port: number) => NodeRedis.layer({ socket: { host: "127.0.0.1", port } })

export const sqlAt = (port: number) =>
  PgClient.layer({ host: "127.0.0.1", port, username: "postgres", database: "postgres" })

export const stores = [
  {
    name: "memory",
    needs: [] as ReadonlyArray<Parts.Name>,
    layer: (options: Journal.Options): Layer.Layer<never, unknown> => Journal.layerMemory(options)
  },
  {
    name: "Redis",
    needs: ["redis"],
    layer: (options: Journal.Options): Layer.Layer<never, unknown> =>
      Layer.unwrap(
        Effect.map(Parts.redis, ({ port }) => JournalRedis.layer(options).pipe(Layer.provide(redisAt(port))))
      )
  },
  {
    name: "PostgreSQL",
    needs: ["postgres"],
    layer: (options: Journal.Options): Layer.Layer<never, unknown> =>
      Layer.unwrap(Effect.map(Parts.postgres, ({ port }) => JournalSql.layer(options).pipe(Layer.provide(sqlAt(port)))))
  }
] satisfies ReadonlyArray<{
  readonly name: string
  readonly needs: ReadonlyArray<Parts.Name>
  readonly layer: unknown
}>
