/** 09: who is calling. A token is checked in front of the endpoint; resolvers list `CurrentUser`, the model never sees it. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer, Toolkit } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Elicitation, RequestState, Resolve, Resolver } from "effect-resolve"
import { Tokens, type User } from "./tokens.ts"

export class CurrentUser extends Context.Service<CurrentUser, User>()("bookshop/CurrentUser") {}

const Verified = Context.Reference<User | undefined>("bookshop/Verified", { defaultValue: () => undefined })

const unauthorized = (error: string) =>
  HttpServerResponse.empty({ status: 401, headers: { "www-authenticate": `Bearer realm="bookshop"${error}` } })

/**
 * In front of the endpoint, so that no request passes unchecked, whatever it is for. The principal binds a call's state, and
 * a session of an older client, to the person: not the token, which is refreshed in the meantime.
 */
export const Authentication = HttpRouter.middleware(
  Effect.map(
    Tokens,
    (verify) => (endpoint) =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? "") ?? []
        if (token === undefined) return unauthorized("")
        const user = yield* Effect.option(verify(token))
        if (Option.isNone(user)) return unauthorized(`, error="invalid_token"`)
        const { issuer, subject } = user.value
        return yield* endpoint.pipe(
          Effect.provideService(Verified, user.value),
          Effect.provideService(RequestState.Principal, Option.some(JSON.stringify([issuer, subject])))
        )
      })
  ),
  { global: true }
)

/** Around each call: the user, for whatever lists them. */
export const Identity = McpServer.middleware<{ provides: CurrentUser }>()((call) =>
  Effect.gen(function* () {
    const user = yield* Verified
    if (user === undefined) return yield* new McpSchema.InvalidRequest({ message: "Not authenticated" })
    return yield* Effect.provideService(call, CurrentUser, user)
  })
)

export class ConfirmOrder extends Resolver.Service<ConfirmOrder>()("bookshop/ConfirmOrder", {
  parameters: { title: Schema.String },
  dependencies: [CurrentUser],
  resolve: Effect.fn(function* ({ title }) {
    yield* Elicitation.confirm(`Order '${title}' on the account of ${(yield* CurrentUser).subject}?`)
  })
}) {}

export const OrderBook = Resolve.tool("order_book", {
  description: "Order a book on your account.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [CurrentUser, ConfirmOrder]
})

export const Orders = Toolkit.make(OrderBook)

export const OrdersLive = Orders.toLayer({
  order_book: Effect.fn(function* ({ title }) {
    yield* ConfirmOrder
    return `Ordered '${title}' for ${(yield* CurrentUser).subject}.`
  })
})

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Identity.layer]))
