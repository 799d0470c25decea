/** 11: a form with every kind of field, each with a title and a check. */
import { Effect, Layer, Option, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"

export const Wrapping = Schema.Struct({
  recipient: Schema.NonEmptyString.annotate({ title: "For whom?", description: "As it stands on the card" }),
  email: Schema.String.annotate({ title: "E-mail", format: "email" }),
  paper: Schema.Literals(["plain", "gold"]).annotate({ title: "Paper" }),
  extras: Schema.Array(Schema.Literals(["ribbon", "bookmark"])).annotate({ title: "Extras" }),
  copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })).annotate({ title: "Copies" }),
  receipt: Schema.Boolean.annotate({ title: "Enclose the receipt" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false))
  ),
  note: Schema.OptionFromOptionalKey(Schema.String.annotate({ title: "Note" }))
})

export class AskWrapping extends Resolver.Service<AskWrapping>()("bookshop/AskWrapping", {
  resolve: () =>
    Elicitation.form({ message: "How shall it be wrapped?", schema: Wrapping }).pipe(
      // an answer that does not fit is asked for again, twice at most
      Effect.retry({ times: 2, while: (error) => error._tag === "AskFailed" })
    )
}) {}

export const WrapGift = Resolve.tool("wrap_gift", {
  description: "Wrap a book as a gift.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [AskWrapping]
})

export const Gifts = Toolkit.make(WrapGift)

export const GiftsLive = Gifts.toLayer({
  wrap_gift: Effect.fn(function* ({ title }) {
    const { copies, extras, note, paper, recipient } = yield* AskWrapping
    const card = Option.match(note, { onNone: () => "", onSome: (text) => ` It says: ${text}` })
    return `${copies} x '${title}' for ${recipient}, in ${[paper, ...extras].join(", ")}.${card}`
  })
})

export const registrations = Resolve.toolkit(Gifts).pipe(Layer.provide(GiftsLive))
