/** What all the examples share: the shop's inventory, an app service that is built once at start-up. */
import { Context, Effect, Layer, Schema } from "effect"

export class Stock extends Schema.Class<Stock>("Stock")({ title: Schema.String, copies: Schema.Int }) {}

export class Inventory extends Context.Service<
  Inventory,
  { readonly copies: (title: string) => Effect.Effect<number> }
>()("bookshop/Inventory") {
  static readonly layer = Layer.succeed(Inventory, {
    copies: (title) => Effect.succeed(new Map([["Dune", 7]]).get(title) ?? 0)
  })
}
