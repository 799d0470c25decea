/**
 * The server that the official conformance suite runs against, built with the public API only.
 * Prints `listening <url>`.
 */
import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Protocols, ResolveServer } from "effect-resolve"
import * as Content from "./content.ts"
import * as Plain from "./plain.ts"
import * as Questions from "./questions.ts"

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const origin = `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}`
    const router = HttpRouter.serve(
      ResolveServer.layerHttp({
        name: "conformance",
        version: "1.0.0",
        path: "/mcp",
        protocols: [Protocols.v2026_07_28, Protocols.v2025_11_25, Protocols.v2025_06_18],
        allowedOrigins: [origin],
        registrations: Layer.mergeAll(Content.layer, Plain.layer, Questions.layer)
      }),
      { disableLogger: true, disableListenLog: true }
    )
    return Layer.merge(router, Layer.effectDiscard(Console.log(`listening ${origin}/mcp`)))
  })
).pipe(Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))

NodeRuntime.runMain(Layer.launch(server))
