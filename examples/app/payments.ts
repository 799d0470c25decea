/** The shop's own page to pay on. Cards never pass through the client: the question is only whether to open the page. */
import { Context, Effect, Layer, Schedule } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { Tokens } from "./auth.ts"

export class Payments extends Context.Service<
  Payments,
  {
    /** Notes what is to be paid, and by whom; the same order again changes nothing. */
    readonly request: (order: string, subject: string, amount: number) => Effect.Effect<void>
    /** Whether it was paid, after waiting for as long as a person may need. */
    readonly awaitPaid: (order: string) => Effect.Effect<boolean>
  }
>()("app/Payments") {
  static readonly layer = Layer.effect(
    Payments,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      request: (order, subject, amount) =>
        sql`INSERT INTO payments ${sql.insert({ order_id: order, subject, amount })} ON CONFLICT (order_id) DO NOTHING`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      awaitPaid: (order) =>
        sql<{ paid: boolean }>`SELECT paid FROM payments WHERE order_id = ${order}`.pipe(
          Effect.map((rows) => rows[0]?.paid === true),
          Effect.repeat({ until: (paid) => paid, schedule: Schedule.spaced("1 second"), times: 120 }),
          Effect.orDie
        )
    }))
  )
}

const form = HttpServerResponse.html(`<form method="post"><button>Pay</button></form>`)

/** Showing the page changes nothing: links are fetched ahead by all kinds of programs. */
export const pages = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { verify } = yield* Tokens
    const pay = Effect.gen(function* () {
      const { order = "" } = yield* HttpRouter.params
      const { cookies } = yield* HttpServerRequest.HttpServerRequest
      const { subject } = yield* verify(cookies.session ?? "")
      // whoever opens the page must be the person who was asked: a link can be passed on
      const paid = yield* sql`
        UPDATE payments SET paid = true WHERE order_id = ${order} AND subject = ${subject} RETURNING order_id`
      return paid.length === 0 ? HttpServerResponse.empty({ status: 404 }) : HttpServerResponse.text("Paid. Thank you!")
    }).pipe(
      Effect.catchTag("InvalidToken", () => Effect.succeed(HttpServerResponse.empty({ status: 401 }))),
      Effect.orDie
    )
    return Layer.mergeAll(
      HttpRouter.add("GET", "/pay/:order", Effect.succeed(form)),
      HttpRouter.add("POST", "/pay/:order", pay)
    )
  })
)
