/**
 * One replica of a bookshop, as a process. It is told what to be by its environment: `PORT`, `STORE` (`redis:<port>`,
 * `postgres:<port>`), `KEYS`, `LEDGER` (a file to which each effect adds a line), `AHEAD` (milliseconds of its clock),
 * `WAIT_LIMIT` (milliseconds), `REPLICA` (its name in session ids),
 * `NOTICES` (anything: it hears what other replicas tell).
 */
import { appendFileSync } from "node:fs"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { PgClient } from "@effect/sql-pg"
import { Clock, Config, type Duration, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, type Journal, McpContext, RequestState, Resolve, Resolver, ResolveServer } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"
import * as JournalSql from "effect-resolve/JournalSql"
import * as NoticesRedis from "effect-resolve/NoticesRedis"

const env = (name: string, otherwise = "") => process.env[name] ?? otherwise

/** An effect that cannot be taken back. */
const enter = (line: string) => Effect.sync(() => appendFileSync(env("LEDGER"), `${line}\n`))

const parameters = { title: Schema.String }

class Consent extends Resolver.Service<Consent>()("shop/Consent", {
  parameters,
  resolve: ({ title }) =>
    Elicitation.form({ message: `Order '${title}'?`, schema: Schema.Struct({ ok: Schema.Boolean }) })
}) {}

class Seat extends Resolver.Service<Seat>()("shop/Seat", {
  parameters,
  dependencies: [Consent],
  durable: Schema.String,
  resolve: Effect.fn(function* ({ title }) {
    yield* Consent
    yield* enter(`seat ${title}`)
    return crypto.randomUUID() as string
  })
}) {}

class Confirm extends Resolver.Service<Confirm>()("shop/Confirm", {
  dependencies: [Seat],
  resolve: Effect.fn(function* () {
    const seat = yield* Seat
    return yield* Elicitation.form({ message: `Seat ${seat}?`, schema: Schema.Struct({ ok: Schema.Boolean }) })
  })
}) {}

const Shop = Toolkit.make(
  Resolve.tool("order", { parameters: Schema.Struct(parameters), success: Schema.String, dependencies: [Consent] }),
  Resolve.tool("seat", {
    parameters: Schema.Struct(parameters),
    success: Schema.String,
    dependencies: [Seat, Confirm]
  }),
  Resolve.tool("announce", { success: Schema.String })
)

const ShopLive = Shop.toLayer({
  order: Effect.fn(function* ({ title }) {
    if (title.startsWith("hang before")) yield* Effect.andThen(enter(`reached ${title}`), Effect.never)
    if (title.startsWith("slow")) yield* Effect.andThen(enter(`reached ${title}`), Effect.sleep("3 seconds"))
    yield* enter(`order ${title}`)
    if (title.startsWith("hang after")) yield* Effect.never
    return `order ${crypto.randomUUID()}`
  }),
  seat: Effect.fn(function* ({ title }) {
    yield* enter(`seated ${title}`)
    return yield* Seat
  }),
  announce: Effect.fn(function* () {
    const context = yield* McpContext.McpContext
    yield* context.notifyToolsChanged
    yield* context.notifyResourceUpdated("shop://stock")
    return env("REPLICA", "r?")
  })
})

const options: Journal.Options = { waitLimit: Number(env("WAIT_LIMIT", "30000")) }
const [store, storePort] = env("STORE").split(":")
const host = "127.0.0.1"

const redis = Layer.orDie(NodeRedis.layer({ socket: { host, port: Number(storePort) } }))
const journal =
  store === "redis"
    ? JournalRedis.layer(options).pipe(Layer.provide(redis))
    : store === "postgres"
      ? JournalSql.layer(options).pipe(
          Layer.provide(PgClient.layer({ host, port: Number(storePort), username: "postgres", database: "postgres" }))
        )
      : Layer.empty

const notices = env("NOTICES") === "" ? Layer.empty : NoticesRedis.layer().pipe(Layer.provide(redis))

const ahead = Number(env("AHEAD", "0"))
const clock = Layer.effect(
  Clock.Clock,
  Effect.map(
    Clock.Clock,
    (real): Clock.Clock =>
      Object.assign(Object.create(real), {
        sleep: (duration: Duration.Duration) => real.sleep(duration),
        currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + ahead),
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + ahead
      })
  )
)

const endpoint = ResolveServer.layerHttp({
  name: "Bookshop",
  version: "1.0.0",
  path: "/mcp",
  replica: process.env.REPLICA,
  registrations: Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
}).pipe(
  Layer.provide([journal, notices, RequestState.layerConfig({ keys: Config.Redacted("KEYS"), audience: "Bookshop" })])
)

ResolveServer.run(
  ResolveServer.serve(endpoint, { port: Number(env("PORT")) }).pipe(Layer.provide(ahead === 0 ? Layer.empty : clock))
)
