/** 09b: who is calling over stdio. There is one client, and it was started by the person: the settings say who. */
import { Config, Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import { Resolve, ResolveServer } from "effect-resolve"
import { CurrentUser, Orders, OrdersLive } from "./09-identity.ts"
import { User } from "./tokens.ts"

/** Read once, when the server starts; a server without the setting does not start. */
export const Owner = Layer.unwrap(
  Effect.map(Config.String("BOOKSHOP_USER"), (subject) => {
    const user = new User({ issuer: "settings", subject })
    return McpServer.middleware<{ provides: CurrentUser }>()((call) => Effect.provideService(call, CurrentUser, user))
      .layer
  })
)

export const registrations = Resolve.toolkit(Orders).pipe(Layer.provide([OrdersLive, Owner]))

if (process.argv[1] === import.meta.filename) {
  ResolveServer.run(ResolveServer.layerStdio({ name: "bookshop", version: "1.0.0", registrations }))
}
