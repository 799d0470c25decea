/** One replica of a bookshop over HTTP, with its keys from the environment: prints its port, dies when it is killed. */
import { Config, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { RequestState, ResolveServer } from "effect-resolve"
import { registrations } from "../../examples/03-ask-first.ts"

const state = RequestState.layerConfig({ keys: Config.Redacted("KEYS"), audience: "bookshop" })

const announce = Layer.effectDiscard(
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    process.stdout.write(`${"port" in address ? address.port : 0}\n`)
  })
)

ResolveServer.run(
  ResolveServer.serve(
    Layer.merge(
      ResolveServer.layerHttp({
        name: "bookshop",
        version: "1.0.0",
        path: "/mcp",
        registrations: registrations.pipe(Layer.provide(state))
      }),
      announce
    ),
    { port: 0 }
  )
)
