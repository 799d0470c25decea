/** The app service that every Effect contestant reads. */
import { Context, Effect, Layer } from "effect"
import { copies } from "./shop.ts"

export class Inventory extends Context.Service<
  Inventory,
  { readonly copies: (title: string) => Effect.Effect<number> }
>()("bench/Inventory") {
  static readonly layer = Layer.succeed(Inventory, { copies: (title) => Effect.succeed(copies(title)) })
}
