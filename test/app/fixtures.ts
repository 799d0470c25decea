/** The template's program on a database of its own, with keys of its own. */
import { Config, ConfigProvider, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Peer } from "effect-resolve/testing"
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose"
import { Tokens } from "../../examples/app/auth.ts"
import * as Database from "../../examples/app/database.ts"
import { app } from "../../examples/app/main.ts"
import * as Postgres from "./postgres.ts"

const issuer = "https://login.example"
const audience = "https://bookshop.example/mcp"

const keys = Effect.promise(async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256")
  return {
    privateKey,
    jwks: createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: "ES256", kid: "1" }] })
  }
})

const settings = ConfigProvider.layer(
  ConfigProvider.fromUnknown({
    PUBLIC_URL: "https://bookshop.example",
    STATE_KEYS: "a-secret-of-at-least-thirty-two-bytes!"
  })
)

/** The app, served without a socket; `overrides` replace resolvers in it. */
export const shop = (overrides: Layer.Layer<never> = Layer.empty) =>
  Effect.gen(function* () {
    const { jwks, privateKey } = yield* keys
    const url = yield* Postgres.create
    const database = yield* Layer.build(Database.layer(Config.succeed(Redacted.make(url))))
    const server = yield* Peer.serveHttp(
      app.pipe(
        Layer.provide(Tokens.layer({ keys: jwks, issuer, audience })),
        Layer.provide(Layer.succeedContext(database)),
        Layer.provide([settings, overrides])
      )
    )
    const token = (subject: string) =>
      Effect.promise(() =>
        new SignJWT({})
          .setProtectedHeader({ alg: "ES256", kid: "1" })
          .setIssuer(issuer)
          .setAudience(audience)
          .setSubject(subject)
          .setExpirationTime(3600)
          .sign(privateKey)
      )
    return {
      server,
      token,
      sql: yield* Effect.provideContext(SqlClient.SqlClient, database),
      connect: (subject: string, options: Peer.ClientOptions) =>
        Effect.flatMap(token(subject), (token) =>
          Peer.connect(server, { ...options, headers: { authorization: `Bearer ${token}` } })
        ),
      /** Presses the button of the page, signed in as somebody. */
      pay: (order: string, subject: string) =>
        Effect.flatMap(token(subject), (token) =>
          Effect.promise(() =>
            server.fetch(`http://localhost/pay/${order}`, { method: "POST", headers: { cookie: `session=${token}` } })
          )
        )
    }
  })
