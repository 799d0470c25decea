/** What a client sees: two tools, a prompt and a resource template. */
import { Effect, Layer, Result, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Resolve } from "effect-resolve"
import { Identity } from "./auth.ts"
import { Payments } from "./payments.ts"
import { Book, Consent, Customer, NoSuchBook, NotPaid, OrderId, Quote, ShippingAddress } from "./resolvers.ts"

/** What was read before somebody said yes is not so any more. */
export class Changed extends Schema.TaggedError<Changed>()("Changed", { message: Schema.String }) {}

export const Placed = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  copies: Schema.Int,
  total: Schema.Int.annotate({ description: "In cents" }),
  address: Schema.String
})

export const Shop = Toolkit.make(
  Resolve.tool("order_book", {
    description: "Order copies of a book on the account of whoever is signed in.",
    parameters: Schema.Struct({
      title: Schema.String,
      copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
    }),
    success: Placed,
    failure: Schema.Union([NoSuchBook, NotPaid, Changed]),
    dependencies: [Book, Customer, OrderId, Quote, ShippingAddress, Consent]
  }),
  Resolve.tool("list_orders", {
    description: "List what whoever is signed in has ordered.",
    success: Schema.Array(Placed),
    dependencies: [Customer]
  })
)

export const ShopLive = Shop.toLayer(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const stored = (id: string) =>
      sql<typeof Placed.Type>`SELECT id, title, copies, total, address FROM orders WHERE id = ${id}`
    return {
      order_book: Effect.fn(
        function* ({ copies }) {
          yield* Consent
          const [{ price, title }, { subject }, id, total] = [
            yield* Book,
            yield* Customer,
            yield* OrderId,
            yield* Quote
          ]
          const { address, keep } = yield* ShippingAddress
          const order = { id, subject, title, copies, total, address }
          const place = Effect.gen(function* () {
            const added = yield* sql`INSERT INTO orders ${sql.insert(order)} ON CONFLICT (id) DO NOTHING RETURNING id`
            // the id is the idempotency key: a round that is sent twice finds the order that the first one placed
            if (added.length === 0) return
            // a person took their time: what the resolvers read is asked for again where it is written
            const taken = yield* sql`
            UPDATE books SET copies = copies - ${copies}
            WHERE title = ${title} AND price = ${price} AND copies >= ${copies} RETURNING title`
            if (taken.length === 0)
              return yield* new Changed({ message: `'${title}' has sold out, or its price has changed` })
            if (!keep) return
            yield* sql`
            INSERT INTO customers ${sql.insert({ subject, member: false, address })}
            ON CONFLICT (subject) DO UPDATE SET address = excluded.address`
          })
          yield* sql.withTransaction(place)
          return (yield* stored(id))[0]!
        },
        Effect.catchTag("SqlError", Effect.die)
      ),
      list_orders: Effect.fn(
        function* () {
          const { subject } = yield* Customer
          return yield* sql<typeof Placed.Type>`
          SELECT id, title, copies, total, address FROM orders WHERE subject = ${subject} ORDER BY placed_at, id`
        },
        Effect.catchTag("SqlError", Effect.die)
      )
    }
  })
)

export const GiftNote = Resolve.prompt({
  name: "gift_note",
  description: "Write a note to go with a book.",
  parameters: { title: Schema.String, to: Schema.String },
  dependencies: [Book.result],
  content: Effect.fn(function* ({ title, to }) {
    const book = yield* Book.result
    if (Result.isFailure(book)) return yield* new McpSchema.InvalidParams({ message: `There is no book '${title}'` })
    return `Write a short, warm note to ${to}, who is given '${book.success.title}'.`
  })
})

export const Stock = Resolve.resourceTemplate`book://${McpSchema.param("title", Schema.String)}`({
  name: "book",
  description: "Price and stock of a book.",
  mimeType: "application/json",
  dependencies: [Book],
  content: () => Effect.map(Book, (book) => JSON.stringify(book))
})

/** Everything that is served, short of the database, the settings and who checks tokens. */
export const registrations = Layer.mergeAll(Resolve.toolkit(Shop), GiftNote, Stock).pipe(
  Layer.provide([ShopLive, Identity, Payments.layer, SecureRandom.layerWebCrypto])
)
