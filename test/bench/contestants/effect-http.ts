/** How a plain `effect/ai` server is put on a port. */
import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import { ready } from "../lib/child.ts"

/** Puts a router layer on a port of its own and tells the harness which. */
export const listen = <A, E>(app: Layer.Layer<A, E, HttpRouter.HttpRouter>): void => {
  const tell = Layer.effectDiscard(
    HttpServer.HttpServer.useSync(({ address }) => ready("port" in address ? address.port : 0))
  )
  const server = tell.pipe(
    Layer.provide(HttpRouter.serve(app, { disableLogger: true, disableListenLog: true })),
    Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  NodeRuntime.runMain(Layer.launch(server))
}

/** effect/ai's own HTTP endpoint, both eras, for these registrations. */
export const serveEffect = <A, E>(registrations: Layer.Layer<A, E, McpServer.McpServer>): void =>
  listen(
    McpServer.layerHttp({
      name: "Bookshop",
      version: "1.0.0",
      path: "/mcp",
      protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
      registrations
    })
  )
