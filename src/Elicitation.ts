/**
 * Questions to the person at the client: a form, a yes or no, or a page to open.
 *
 * `Elicitation.form` is a service call. On 2026-07-28 it suspends the call and the client retries with the answer; on
 * older protocols it sends the client a request and waits; in process it goes to a layer of yours.
 *
 * An accepted answer is what somebody at the client sent. It is never proof of who they are, and never a secret: ask
 * for passwords, keys and payment by `url` only
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Elicitation } from "./internal/base/keys.ts"
import { type Cancelled, Declined, type ElicitationError } from "./internal/base/questionErrors.ts"
import type { Question } from "./internal/base/questions.ts"
import { ask } from "./internal/question/ask.ts"
import * as Question_ from "./internal/question/elicitation.ts"
import type { CheckForm } from "./internal/question/formTypes.ts"

export { Elicitation } from "./internal/base/keys.ts"
export { Cancelled, Declined, ElicitationError } from "./internal/base/questionErrors.ts"
export type { FormRequest, UrlRequest } from "./internal/question/elicitation.ts"

/**
 * What a person answers: `content` only with `accept`, and only for forms.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer =
  | { readonly action: "accept"; readonly content?: { readonly [field: string]: unknown } | undefined }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

/**
 * Asks by a form, and gives the answer decoded with the schema: stricter checks, brands, dates and defaults hold.
 *
 * The schema is a struct or class of strings, `Schema.Finite` or `Schema.Int`, booleans, choices
 * (`Schema.Literals`) and lists of choices, each optional or not; anything else is a compile error, or fails when it
 * is rendered. Every protocol version is sent exactly the keywords it knows. Control and bidirectional characters are
 * removed from the message, line breaks stay.
 *
 * Give each further question of one body a `label`. Do not put `Effect.timeout` around a question; `timeout` limits
 * it on the back channel of older protocols (`Question.Timeout` otherwise), and nothing else does.
 *
 * Fails with `Declined`, `Cancelled`, `Question.MissingCapability` or `Question.AskFailed`.
 *
 * **Example** (A body that asks)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Elicitation, Resolve } from "effect-resolve"
 *
 * const Shop = Toolkit.make(
 *   Resolve.tool("wrap", { success: Schema.String, dependencies: [Elicitation.Elicitation] })
 * )
 *
 * export const ShopLive = Shop.toLayer({
 *   wrap: Effect.fn(function* () {
 *     const { paper } = yield* Elicitation.form({
 *       message: "Which paper?",
 *       schema: Schema.Struct({ paper: Schema.Literals(["plain", "gold"]) }),
 *       label: "paper"
 *     })
 *     if (paper === "gold") yield* Elicitation.confirm("Gold costs extra. Go on?", { label: "extra" })
 *     return `Wrapped in ${paper}.`
 *   })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const form = <S extends Schema.Codec<any, any>>(options: {
  readonly message: string
  readonly schema: S & CheckForm<S["Encoded"], S["Type"]>
  readonly label?: string | undefined
  readonly timeout?: Duration.Input | undefined
}): Effect.Effect<S["Type"], ElicitationError, Elicitation> =>
  ask(Elicitation, (resolver) => Question_.form(options, resolver))

const Confirm = Schema.Struct({ confirm: Schema.Boolean })

/**
 * Asks for a yes: a form of one boolean, `confirm`. An answer of `false` is `Declined`, as pressing "decline" is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const confirm = (
  message: string,
  options?: { readonly label?: string | undefined; readonly timeout?: Duration.Input | undefined }
): Effect.Effect<void, ElicitationError, Elicitation> =>
  ask(Elicitation, (resolver) =>
    Effect.map(
      Question_.form({ message, schema: Confirm, ...options }, resolver),
      (question): Question<void, Declined | Cancelled> => ({
        ...question,
        interpret: (answer, resolver) =>
          Effect.flatMap(question.interpret(answer, resolver), (answer) =>
            answer.confirm ? Effect.void : Effect.fail(new Declined({ resolver }))
          )
      })
    )
  )

/**
 * Asks the person to open a page, for what must not pass through the client: sign-in, payment, secrets.
 *
 * Success means that they *agreed* to open it, no more: whether they finished is yours to find out, by an id of your
 * own. `Call.id` is one that every round of the call knows. Never put sealed state, secrets or pre-authenticated
 * access into the URL, and make sure that whoever opens it is the person you meant
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation). On 2025-11-25 the request carries
 * `Call.id` as its `elicitationId`; tell such a client of the end with `McpContext.elicitComplete`. Protocols before
 * 2025-11-25 cannot be asked: `Question.MissingCapability`.
 *
 * Fails as `form` does.
 *
 * **Example** (Paying on a page of the shop)
 *
 * ```ts
 * import { Context, Effect } from "effect"
 * import { Call, Elicitation, Resolver } from "effect-resolve"
 *
 * class Payments extends Context.Service<Payments, {
 *   readonly awaitPaid: (id: string) => Effect.Effect<void>
 * }>()("Payments") {}
 *
 * export class Paid extends Resolver.Service<Paid>()("shop/Paid", {
 *   resolve: Effect.fn(function* () {
 *     const id = yield* Call.id
 *     yield* Elicitation.url({ message: "Pay on our page.", url: `https://shop.example/pay/${id}` })
 *     // they agreed to open it; whether they paid is for the shop to know
 *     yield* (yield* Payments).awaitPaid(id)
 *   })
 * }) {}
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const url = (options: {
  readonly message: string
  readonly url: string | URL
  /** The `elicitationId` of 2025-11-25: `Call.id` unless given. Give each URL question of one call its own. */
  readonly id?: string | undefined
  readonly label?: string | undefined
  readonly timeout?: Duration.Input | undefined
}): Effect.Effect<void, ElicitationError, Elicitation> =>
  ask(Elicitation, (resolver) => Question_.url(options, resolver))

/**
 * Tells whether the client can be asked by a form, as it declared. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const supported: Effect.Effect<boolean, never, Elicitation> = Elicitation.use((service) =>
  service.supports({ elicitation: { form: {} } })
)

/**
 * Tells whether the client can be asked to open a page, as it declared. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const urlSupported: Effect.Effect<boolean, never, Elicitation> = Elicitation.use((service) =>
  service.supports({ elicitation: { url: {} } })
)

/**
 * Implements `Elicitation` with a function of yours, for programs without a client: a prompt on the terminal, a
 * queue, a test's script. `supported` and `urlSupported` are then true.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  answer: (request: Question_.FormRequest | Question_.UrlRequest) => Effect.Effect<Answer, never, R>
): Layer.Layer<Elicitation, never, R> =>
  Layer.effect(
    Elicitation,
    Effect.map(Effect.context<R>(), (context) => ({
      supports: () => Effect.succeed(true),
      ask: (question) =>
        Effect.withFiber((fiber) => {
          const resolver = Question_.askerOf(fiber.context)
          return Effect.flatMap(
            Effect.provideContext(answer(Question_.request(question, resolver)), context),
            (given) => question.interpret(given, resolver)
          )
        })
    }))
  )

/**
 * For programs without anyone to ask: every question fails with `AskFailed`, reason `Unavailable`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerUnavailable: Layer.Layer<Elicitation> = Layer.succeed(Elicitation, Question_.unavailable())
