/** An HTTP server as a process with short limits: prints its port on stdout. See `shutdown.test.ts` and `resume.test.ts`. */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { ResolveServer } from "effect-resolve"
import { addTool, registrations, text } from "./fixtures.ts"
import { registrations as shop } from "./shop.ts"

const plain = registrations(
  Effect.andThen(
    addTool("minute", () => Effect.onExit(Effect.sleep("60 seconds"), () => Effect.logInfo("released")) as any),
    addTool("slow", () => Effect.as(Effect.sleep("1 second"), text("slow")))
  )
)

const endpoint = ResolveServer.layerHttp({
  name: "Bookshop",
  version: "1.0.0",
  path: "/mcp",
  registrations: Layer.merge(plain, shop),
  keepAlive: "50 millis",
  shutdownTimeout: "2 seconds"
})

const port = Layer.effectDiscard(
  HttpServer.HttpServer.use(({ address }) =>
    Effect.sync(() => process.stdout.write(`${"port" in address ? address.port : 0}\n`))
  )
)

ResolveServer.run(
  port.pipe(Layer.provideMerge(ResolveServer.serve(endpoint, { port: 0, shutdownTimeout: "2 seconds" })))
)
