import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { CurrentUser, User } from "./auth.ts"
import { Payments } from "./payments.ts"
import { Book, Customer } from "./resolvers.ts"
import { AppSettings } from "./settings.ts"
import { Shop, ShopLive } from "./shop.ts"

const asked: Array<string> = []
const declining = Elicitation.layer(({ message }) => {
  asked.push(message)
  return Effect.succeed({ action: "decline" })
})

const outside = Layer.mergeAll(
  // nothing is read and nothing is written: a statement would be a defect
  Layer.succeed(SqlClient.SqlClient, {} as SqlClient.SqlClient),
  Layer.mock(Payments, {}),
  Layer.succeed(AppSettings, { publicUrl: "https://bookshop.example", prepayFrom: 10_000 }),
  Layer.succeed(CurrentUser, new User({ issuer: "https://login.example", subject: "ann" })),
  SecureRandom.layerWebCrypto
)

it.effect("members pay a tenth less, and a decline writes nothing", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Resolve.call(Shop, "order_book", { title: "Dune", copies: 2 }))
    assert.deepInclude(error, { _tag: "Declined", resolver: "app/Consent" })
    assert.deepStrictEqual(asked, ["Order 'Dune' for 18.00 EUR, to Mill Lane 3, Bath?"])
  }).pipe(
    Effect.provide([
      ShopLive.pipe(Layer.provideMerge(outside)),
      declining,
      Resolver.override(Book, { title: "Dune", price: 1000, copies: 7 }),
      Resolver.override(Customer, { subject: "ann", member: true, address: "Mill Lane 3, Bath" })
    ])
  )
)
