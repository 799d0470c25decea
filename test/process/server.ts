/**
 * A process that serves one example with effect/ai's own layers and adapters: `server.ts <example> <stdio | http>`.
 * `cyclic` is a graph that cannot run; `cyclic-ours` is the same under `ResolveServer`. Over HTTP it prints its URL.
 */
import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime, NodeStdio } from "@effect/platform-node"
import { Console, Context, Effect, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer, Toolkit } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import { Resolve, Resolver, ResolveServer } from "effect-resolve"
import * as ReserveBook from "../../examples/01-reserve-book.ts"
import * as OrderBook from "../../examples/02-order-book.ts"
import * as AskFirst from "../../examples/03-ask-first.ts"
import * as BranchOnRefusal from "../../examples/03b-branch-on-refusal.ts"

/** Three resolvers that wait for each other: only values can, a class that needs itself does not compile. */
const cyclic = () => {
  const node = (key: string, dependencies: () => ReadonlyArray<any>): any =>
    Resolver.make(Context.Service<any, string>(key), { key, dependencies, resolve: () => Effect.succeed(key) } as any)
  const a = node("shop/a", () => [b])
  const b = node("shop/b", () => [c])
  const c = node("shop/c", () => [a])
  const toolkit: any = Toolkit.make(Resolve.tool("order_book", { success: Schema.String, dependencies: [a] }) as any)
  return Resolve.toolkit(toolkit).pipe(
    Layer.provide(toolkit.toLayer({ order_book: () => Effect.succeed("never") }))
  ) as typeof ReserveBook.registrations
}

const [example, transport] = process.argv.slice(2)
const registrations =
  {
    "01": ReserveBook.registrations,
    "02": OrderBook.registrations,
    "03": AskFirst.registrations,
    "03b": BranchOnRefusal.registrations
  }[example!] ?? cyclic()

const options = {
  name: "Bookshop",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations
} as const

// stdout is the protocol's: everything else goes to stderr
const stderr = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
const run = <E>(served: Layer.Layer<never, E>) =>
  NodeRuntime.runMain(Layer.launch(served).pipe(Effect.tapCause(Effect.logError), Effect.provide(stderr)), {
    disableErrorReporting: true
  })

if (example === "cyclic-ours") {
  ResolveServer.run(ResolveServer.layerStdio({ name: "Bookshop", version: "1.0.0", registrations }))
} else if (transport === "http") {
  const app = McpServer.layerHttp({ ...options, path: "/mcp" })
  const listening = Layer.effectDiscard(HttpServer.addressFormattedWith((url) => Console.log(`listening ${url}/mcp`)))
  const node = NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })
  // served before it says so: what comes earlier has no answer
  run(listening.pipe(Layer.provide(HttpRouter.serve(app)), Layer.provide(node)))
} else {
  run(McpServer.layerStdio(options).pipe(Layer.provide(NodeStdio.layer)))
}
