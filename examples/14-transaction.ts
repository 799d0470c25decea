/** 14: one transaction for resolvers and body: begun after everybody was asked, committed with the result. */
import { Effect, Exit, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { SqlClient } from "effect/sql"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { message: Schema.String }) {}

const copiesOf = (title: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ copies: number }>`SELECT copies FROM stock WHERE title = ${title}`
    return row?.copies ?? 0
  })

/** Read to ask by, outside any transaction: by the time somebody answers it may be otherwise. */
export class Consent extends Resolver.Service<Consent>()("bookshop/Consent", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    const copies = yield* Effect.orDie(copiesOf(title))
    yield* Elicitation.confirm(copies > 0 ? `Order '${title}'?` : `'${title}' is out of stock. Order anyway?`)
  })
}) {}

/**
 * Runs a statement in the call's transaction. It lists what asks, so no transaction is open while a person thinks. A
 * finalizer of the call's scope commits when the result is made, and rolls back when it is not.
 */
export class Transaction extends Resolver.Service<Transaction>()("bookshop/Transaction", {
  dependencies: [Consent],
  resolve: Effect.fn(function* () {
    yield* Consent
    const sql = yield* SqlClient.SqlClient
    const connection = yield* Effect.orDie(sql.reserve)
    const say = (statement: string) => Effect.orDie(connection.executeUnprepared(statement, [], undefined))
    yield* Effect.acquireRelease(say("BEGIN"), (_, exit) => say(Exit.isSuccess(exit) ? "COMMIT" : "ROLLBACK"))
    return <A, E, R>(statements: Effect.Effect<A, E, R>) =>
      Effect.provideService(statements, sql.transactionService, [connection, 0])
  })
}) {}

/** Read again where it is written, and locked: what the question said may be stale. */
export class Locked extends Resolver.Service<Locked>()("bookshop/Locked", {
  parameters: { title: Schema.String },
  dependencies: [Transaction],
  resolve: Effect.fn(function* ({ title }) {
    const sql = yield* SqlClient.SqlClient
    const within = yield* Transaction
    const [row] = yield* within(
      sql<{ copies: number }>`SELECT copies FROM stock WHERE title = ${title} FOR UPDATE`
    ).pipe(Effect.orDie)
    if (row === undefined || row.copies === 0) return yield* new SoldOut({ message: `'${title}' has sold out` })
    return row.copies
  })
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book from the shop.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  failure: SoldOut,
  dependencies: [Transaction, Locked]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      order_book: Effect.fn(function* ({ title }) {
        const within = yield* Transaction
        const left = (yield* Locked) - 1
        yield* Effect.orDie(within(sql`UPDATE stock SET copies = ${left} WHERE title = ${title}`))
        return `Ordered '${title}'; ${left} left.`
      })
    }
  })
)

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide(OrdersLive))
