/** Our side of every comparison over a wire: the same tools, with resolvers. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { Inventory } from "./inventory.ts"
import {
  backorderedText,
  confirmDescription,
  type Delivery,
  delivery,
  descriptions,
  hoursText,
  notPlaced,
  orderedText,
  orderText,
  question
} from "./shop.ts"

class CheckStock extends Resolver.Service<CheckStock>()("bench/CheckStock", {
  parameters: { title: Schema.String },
  resolve: Effect.fnUntraced(function* ({ title }) {
    const inventory = yield* Inventory
    return { title, copies: yield* inventory.copies(title) }
  })
}) {}

class EstimateDelivery extends Resolver.Service<EstimateDelivery>()("bench/EstimateDelivery", {
  dependencies: [CheckStock],
  resolve: () => Effect.map(CheckStock, (stock): { readonly when: Delivery } => ({ when: delivery(stock.copies) }))
}) {}

const Confirmation = Schema.Struct({ confirm: Schema.Boolean.annotate({ description: confirmDescription }) })

class ConfirmBackorder extends Resolver.Service<ConfirmBackorder>()("bench/ConfirmBackorder", {
  parameters: { title: Schema.String },
  dependencies: [CheckStock],
  resolve: Effect.fnUntraced(function* ({ title }) {
    const stock = yield* CheckStock
    if (stock.copies > 0) return { confirm: true }
    return yield* Elicitation.form({ message: question(title), schema: Confirmation })
  })
}) {}

const Amount = Schema.Struct({ amount: Schema.Finite })

// a chain of 21: the state after k rounds carries k answers
const askPart = (i: number) => Elicitation.form({ message: `How many of part ${i}?`, schema: Amount })
class Part extends Resolver.Service<Part>()("bench/q0", { resolve: () => askPart(0) }) {}
const makePart = (i: number, previous: typeof Part): typeof Part =>
  class extends Resolver.Service<any>()(`bench/q${i}`, {
    dependencies: [previous],
    resolve: () => askPart(i)
  }) {} as any // made in a loop: all but the key is as in the first
const lastPart = Array.from({ length: 20 }).reduce<typeof Part>((previous, _, i) => makePart(i + 1, previous), Part)

const title = { parameters: Schema.Struct({ title: Schema.String }), success: Schema.String }

const OrderBook = Resolve.tool("order_book", {
  ...title,
  description: descriptions.order_book,
  dependencies: [CheckStock, EstimateDelivery]
})
const ShopHours = Resolve.tool("shop_hours", { ...title, description: descriptions.shop_hours })
const ConfirmOrder = Resolve.tool("confirm_order", {
  ...title,
  description: descriptions.confirm_order,
  dependencies: [CheckStock, ConfirmBackorder]
})
const ManyQuestions = Resolve.tool("many_questions", {
  ...title,
  description: descriptions.many_questions,
  dependencies: [lastPart]
})

const Bookshop = Toolkit.make(OrderBook, ShopHours, ConfirmOrder, ManyQuestions)

const BookshopLive = Bookshop.toLayer({
  order_book: Effect.fnUntraced(function* ({ title }) {
    const stock = yield* CheckStock
    const { when } = yield* EstimateDelivery
    return orderText(title, stock.copies, when)
  }),
  shop_hours: ({ title }) => Effect.succeed(hoursText(title)),
  confirm_order: Effect.fnUntraced(function* ({ title }) {
    const stock = yield* CheckStock
    if (stock.copies > 0) return orderedText(title)
    const { confirm } = yield* ConfirmBackorder
    return confirm ? backorderedText(title) : notPlaced
  }),
  many_questions: () => Effect.succeed("21")
})

export const registrations = Resolve.toolkit(Bookshop).pipe(Layer.provide(BookshopLive), Layer.provide(Inventory.layer))
