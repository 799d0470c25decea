/**
 * The everything-server of the interop matrix, built with the public API only.
 *
 * `server.ts stdio [version..]` serves one client; `server.ts http [version..]` prints `listening <url>`.
 */
import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime, NodeStdio } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Protocols, ResolveServer } from "effect-resolve"
import * as Tools from "./tools.ts"

const all = {
  "2026-07-28": Protocols.v2026_07_28,
  "2025-11-25": Protocols.v2025_11_25,
  "2025-06-18": Protocols.v2025_06_18,
  "2025-03-26": Protocols.v2025_03_26,
  "2024-11-05": Protocols.v2024_11_05
} as const

const [transport, ...versions] = process.argv.slice(2)
const [first, ...rest] = (versions.length > 0 ? versions : Object.keys(all)).map(
  (version) => all[version as keyof typeof all]
)
const options = {
  name: "everything",
  version: "1.0.0",
  protocols: [first!, ...rest],
  registrations: Tools.layer
} as const

const http = Layer.unwrap(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    const router = HttpRouter.serve(ResolveServer.layerHttp({ ...options, path: "/mcp" }), {
      disableLogger: true,
      disableListenLog: true
    })
    return Layer.merge(router, Layer.effectDiscard(Console.log(`listening http://127.0.0.1:${port}/mcp`)))
  })
).pipe(Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))

const stdio = ResolveServer.layerStdio(options).pipe(Layer.provide(NodeStdio.layer))

NodeRuntime.runMain(Layer.launch<never, unknown, never>(transport === "http" ? http : stdio))
