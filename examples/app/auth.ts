/** Who is calling: a token that is checked in front of the endpoint, and the user that resolvers list. */
import { Config, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RequestState } from "effect-resolve"
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from "jose"
import { AppSettings } from "./settings.ts"

export class User extends Schema.Class<User>("User")({ issuer: Schema.String, subject: Schema.String }) {}

export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {}

export class Tokens extends Context.Service<
  Tokens,
  { readonly issuer: string; readonly verify: (token: string) => Effect.Effect<User, InvalidToken> }
>()("app/Tokens") {
  static readonly layer = (options: {
    readonly keys: JWTVerifyGetKey
    readonly issuer: string
    readonly audience: string
  }) =>
    Layer.succeed(Tokens, {
      issuer: options.issuer,
      verify: Effect.fn(function* (token) {
        const { audience, issuer, keys } = options
        const currentDate = DateTime.toDate(yield* DateTime.now)
        const claims = { issuer, audience, currentDate, algorithms: ["ES256"], requiredClaims: ["sub", "exp"] }
        const { payload } = yield* Effect.tryPromise({
          try: () => jwtVerify(token, keys, claims),
          catch: () => new InvalidToken()
        })
        return new User({ issuer, subject: payload.sub ?? "" })
      })
    })

  static readonly layerConfig = Layer.unwrap(
    Effect.gen(function* () {
      const issuer = yield* Config.String("TOKEN_ISSUER")
      const audience = yield* Config.String("TOKEN_AUDIENCE")
      const keys = createRemoteJWKSet(new URL(yield* Config.String("TOKEN_KEYS_URL")))
      return Tokens.layer({ issuer, audience, keys })
    })
  )
}

/** What resolvers list. */
export class CurrentUser extends Context.Service<CurrentUser, User>()("app/CurrentUser") {}

const Verified = Context.Reference<User | undefined>("app/Verified", { defaultValue: () => undefined })

const metadataPath = "/.well-known/oauth-protected-resource/mcp"

/** Says who gives out tokens. A client that has none reads it, sends the person there, and comes back with one. */
export const metadata = Layer.unwrap(
  Effect.gen(function* () {
    const { issuer } = yield* Tokens
    const { publicUrl } = yield* AppSettings
    const body = { resource: `${publicUrl}/mcp`, authorization_servers: [issuer], bearer_methods_supported: ["header"] }
    return HttpRouter.add("GET", metadataPath, Effect.succeed(HttpServerResponse.jsonUnsafe(body)))
  })
)

/** In front of the MCP endpoint: whatever a request is for, it has a token that is good. */
export const Authentication = HttpRouter.middleware(
  Effect.gen(function* () {
    const { verify } = yield* Tokens
    const { publicUrl } = yield* AppSettings
    const challenge = `Bearer resource_metadata="${publicUrl}${metadataPath}"`
    const unauthorized = (error: string) =>
      HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": `${challenge}${error}` } })
    return (endpoint) =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? []
        if (token === undefined) return unauthorized("")
        const user = yield* Effect.option(verify(token))
        if (Option.isNone(user)) return unauthorized(`, error="invalid_token"`)
        const { issuer, subject } = user.value
        return yield* endpoint.pipe(
          Effect.provideService(Verified, user.value),
          // a call's state, and a session of an older client, are this person's alone
          Effect.provideService(RequestState.Principal, Option.some(JSON.stringify([issuer, subject])))
        )
      })
  })
).layer

/** Around each call: the user, for whatever lists them. */
export const Identity = McpServer.middleware<{ provides: CurrentUser }>()((call) =>
  Effect.gen(function* () {
    const user = yield* Verified
    if (user === undefined) return yield* new McpSchema.InvalidRequest({ message: "Not authenticated" })
    return yield* Effect.provideService(call, CurrentUser, user)
  })
).layer
