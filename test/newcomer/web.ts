/** The desk over HTTP, for anybody with a token; the state between rounds is sealed with shared keys. */
import { Config, Context, Effect, Layer, Option } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestState, ResolveServer } from "effect-resolve"
import { Calendar } from "./calendar.ts"
import * as Desk from "./desk.ts"
import { Patient } from "./resolvers.ts"

const Verified = Context.Reference<string | undefined>("clinic/Verified", { defaultValue: () => undefined })

/** Tokens are names here: what checks yours stands in the guide's page on identity. */
const Authentication = HttpRouter.middleware(
  (endpoint) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? []
      if (token === undefined) {
        return HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": `Bearer realm="clinic"` } })
      }
      return yield* endpoint.pipe(
        Effect.provideService(Verified, token),
        Effect.provideService(RequestState.Principal, Option.some(token))
      )
    }),
  { global: true }
)

const Identity = McpServer.middleware<{ provides: Patient }>()((call) =>
  Effect.gen(function* () {
    const name = yield* Verified
    if (name === undefined) return yield* new McpSchema.InvalidRequest({ message: "Not authenticated" })
    return yield* Effect.provideService(call, Patient, { name })
  })
)

const registrations = Desk.registrations.pipe(Layer.provide([Identity.layer, Calendar.layer]))

export const endpoint = ResolveServer.layerHttp({ name: "clinic", version: "1.0.0", path: "/mcp", registrations }).pipe(
  Layer.provide(Authentication)
)

const state = RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "clinic" })

if (process.argv[1] === import.meta.filename) {
  ResolveServer.run(ResolveServer.serve(Layer.provide(endpoint, state), { port: 3000 }))
}
