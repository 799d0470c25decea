/** A stdio server as a process, with tools that are long, large or asking: see `hostile.test.ts`. */
import { Effect, Layer } from "effect"
import { ResolveServer } from "effect-resolve"
import { addTool, registrations, text } from "./fixtures.ts"
import { registrations as shop } from "./shop.ts"

const plain = registrations(
  Effect.gen(function* () {
    yield* addTool("echo", () => Effect.succeed(text("echo")))
    yield* addTool("large", () => Effect.succeed(text("x".repeat(1_000_000))))
    yield* addTool("minute", () => Effect.onExit(Effect.sleep("60 seconds"), () => Effect.logInfo("released")) as any)
    yield* addTool("count", () =>
      Effect.as(
        Effect.sync(() => process.stderr.write("counted\n")),
        text("counted")
      )
    )
  })
)

ResolveServer.run(
  ResolveServer.layerStdio({
    name: "Bookshop",
    version: "1.0.0",
    registrations: Layer.merge(plain, shop),
    shutdownTimeout: "1 second"
  }),
  { shutdownTimeout: "2 seconds" }
)
