/** A stdio server as a process, for what only a process shows. `fail` makes its registrations fail. */
import { Data, Effect } from "effect"
import { ResolveServer } from "effect-resolve"
import { addTool, registrations, text } from "./fixtures.ts"

class BadGraph extends Data.TaggedError("BadGraph")<{ readonly message: string }> {}

const shop = registrations(
  Effect.gen(function* () {
    if (process.argv.includes("fail")) return yield* new BadGraph({ message: "tool 'a': cycle: x -> y -> x" })
    yield* Effect.logInfo("this goes to stderr")
    yield* addTool("echo", () => Effect.as(Effect.logWarning("so does this"), text("echo")))
    yield* addTool("slow", () => Effect.as(Effect.sleep("300 millis"), text("slow")))
    yield* addTool("never", () => Effect.onExit(Effect.never, () => Effect.logInfo("released")))
    // a handle that nobody closes
    yield* Effect.sync(() => setInterval(() => {}, 1_000))
  })
)

ResolveServer.run(
  ResolveServer.layerStdio({
    name: "Bookshop",
    version: "1.0.0",
    registrations: shop,
    shutdownTimeout: "1 second"
  })
)
