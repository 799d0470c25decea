/** What the model must not make up: six values in three levels. */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Elicitation, Resolver } from "effect-resolve"
import { CurrentUser } from "./auth.ts"
import { Payments } from "./payments.ts"
import { AppSettings } from "./settings.ts"

export class NoSuchBook extends Schema.TaggedError<NoSuchBook>()("NoSuchBook", { message: Schema.String }) {}
export class NotPaid extends Schema.TaggedError<NotPaid>()("NotPaid", { message: Schema.String }) {}

// ---------------------------------------------------------------- from records

export class Customer extends Resolver.Service<Customer>()("app/Customer", {
  dependencies: [CurrentUser],
  resolve: Effect.fn(
    function* () {
      const sql = yield* SqlClient.SqlClient
      const { subject } = yield* CurrentUser
      const [row] = yield* sql<{ member: boolean; address: string | null }>`
      SELECT member, address FROM customers WHERE subject = ${subject}`
      return { subject, member: row?.member ?? false, address: row?.address ?? undefined }
    },
    Effect.catchTag("SqlError", Effect.die)
  )
}) {}

export class Book extends Resolver.Service<Book>()("app/Book", {
  parameters: { title: Schema.String },
  timeout: "5 seconds",
  resolve: Effect.fn(
    function* ({ title }) {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ title: string; price: number; copies: number }>`
      SELECT title, price, copies FROM books WHERE title ILIKE ${title}`
      if (row === undefined) return yield* new NoSuchBook({ message: `There is no book '${title}'` })
      return row
    },
    Effect.catchTag("SqlError", Effect.die)
  )
}) {}

/** One order a call, however many rounds it takes and however often the last one is sent. */
export class OrderId extends Resolver.Service<OrderId>()("app/OrderId", {
  durable: Schema.String,
  resolve: () => Effect.flatMap(SecureRandom.SecureRandom, (random) => random.uuidV4())
}) {}

// ---------------------------------------------------------------- from those, and from people

export class Quote extends Resolver.Service<Quote>()("app/Quote", {
  parameters: { copies: Schema.Int },
  dependencies: [Book, Customer],
  resolve: Effect.fn(function* ({ copies }) {
    const { price } = yield* Book
    const { member } = yield* Customer
    return Math.round(price * copies * (member ? 0.9 : 1))
  })
}) {}

const Address = Schema.Struct({
  street: Schema.NonEmptyString.annotate({ title: "Street and number" }),
  city: Schema.NonEmptyString.annotate({ title: "City" }),
  keep: Schema.Boolean.annotate({ title: "Keep this address", description: "For the next order" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false))
  )
})

export class ShippingAddress extends Resolver.Service<ShippingAddress>()("app/ShippingAddress", {
  dependencies: [Customer],
  resolve: Effect.fn(function* () {
    const { address } = yield* Customer
    if (address !== undefined) return { address, keep: false }
    const { city, keep, street } = yield* Elicitation.form({ message: "Where shall it be sent?", schema: Address })
    return { address: `${street}, ${city}`, keep }
  })
}) {}

// ---------------------------------------------------------------- consent

/** A small order is confirmed, a large one is paid on the shop's own page. */
export class Consent extends Resolver.Service<Consent>()("app/Consent", {
  dependencies: [Book, Customer, OrderId, Quote, ShippingAddress],
  resolve: Effect.fn(function* () {
    const { prepayFrom, publicUrl } = yield* AppSettings
    const { title } = yield* Book
    const total = yield* Quote
    const { address } = yield* ShippingAddress
    const euros = (total / 100).toFixed(2)
    if (total < prepayFrom) return yield* Elicitation.confirm(`Order '${title}' for ${euros} EUR, to ${address}?`)
    const payments = yield* Payments
    const order = yield* OrderId
    yield* payments.request(order, (yield* Customer).subject, total)
    yield* Elicitation.url({
      message: `Pay ${euros} EUR for '${title}' on our page.`,
      url: `${publicUrl}/pay/${order}`
    })
    // they agreed to open the page; whether they paid is for the shop to know
    if (!(yield* payments.awaitPaid(order))) return yield* new NotPaid({ message: "The order was not paid in time" })
  })
}) {}
