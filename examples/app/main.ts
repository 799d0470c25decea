/** The service: `node examples/app/main.ts`, with its settings in the environment. */
import { Config, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { RequestState, ResolveServer } from "effect-resolve"
import { Authentication, metadata, Tokens } from "./auth.ts"
import * as Database from "./database.ts"
import { pages } from "./payments.ts"
import { AppSettings } from "./settings.ts"
import { registrations } from "./shop.ts"

const endpoint = Layer.unwrap(
  Effect.map(Config.String("PUBLIC_URL"), (url) =>
    ResolveServer.layerHttp({
      name: "bookshop",
      version: "1.0.0",
      path: "/mcp",
      allowedHosts: [new URL(url).host],
      registrations
    })
  )
).pipe(Layer.provide(Authentication))

const state = RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "bookshop" })

const telemetry = Layer.unwrap(
  Effect.map(Config.option(Config.String("OTLP_URL")), (url) =>
    Option.isNone(url)
      ? Layer.empty
      : Otlp.layerJson({ baseUrl: url.value, resource: { serviceName: "bookshop" } }).pipe(
          Layer.provide(FetchHttpClient.layer)
        )
  )
)

/** Wants a database and somebody who checks tokens. */
export const app = Layer.mergeAll(endpoint, metadata, pages).pipe(Layer.provide([state, AppSettings.layerConfig]))

export const server = Layer.unwrap(
  Effect.gen(function* () {
    const port = yield* Config.Int("PORT").pipe(Config.withDefault(3000))
    const host = yield* Config.String("HOST").pipe(Config.withDefault("127.0.0.1"))
    return ResolveServer.serve(Layer.provide(app, [Tokens.layerConfig, Database.layerConfig]), { port, host })
  })
).pipe(Layer.provide(telemetry))

if (process.argv[1] === import.meta.filename) ResolveServer.run(server)
