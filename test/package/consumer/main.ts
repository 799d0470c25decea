/** Runs the graph in process and answers its question: needs no test runner, no server and no client. */
import { Console, Effect } from "effect"
import { Elicitation, Resolve } from "effect-resolve"
import { Inventory, Shop, ShopLive } from "./shop.js"

const accept = Elicitation.layer(() => Effect.succeed({ action: "accept", content: { confirm: true } }))

const main = Effect.gen(function* () {
  for (const title of ["Dune", "Emma"]) yield* Console.log(yield* Resolve.call(Shop, "order_book", { title }))
}).pipe(Effect.provide([ShopLive, Inventory.layer, accept]))

Effect.runPromise(main)
