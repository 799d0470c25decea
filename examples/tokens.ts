/** What 09 checks tokens with: signature, issuer, audience and expiry of a JSON Web Token, by `jose`. */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose"

export class User extends Schema.Class<User>("User")({ issuer: Schema.String, subject: Schema.String }) {}

class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {}

export class Tokens extends Context.Service<Tokens, (token: string) => Effect.Effect<User, InvalidToken>>()(
  "bookshop/Tokens"
) {
  static readonly layer = (keys: JSONWebKeySet, issuer: string, audience: string) => {
    const keySet = createLocalJWKSet(keys)
    return Layer.succeed(
      Tokens,
      Effect.fn(function* (token) {
        const currentDate = DateTime.toDate(yield* DateTime.now)
        const options = { issuer, audience, currentDate, algorithms: ["ES256"], requiredClaims: ["sub", "exp"] }
        const { payload } = yield* Effect.tryPromise({
          try: () => jwtVerify(token, keySet, options),
          catch: () => new InvalidToken()
        })
        return new User({ issuer, subject: payload.sub ?? "" })
      })
    )
  }
}
