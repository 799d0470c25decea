/**
 * The everything-server of the interop matrix, built with the public API only.
 *
 * `server.ts stdio [version..]` serves one client; `server.ts http [version..]` prints `listening <url>`.
 */
import { Console, Layer } from "effect"
import { HttpServer } from "effect/http"
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
  registrations: Tools.layer,
  // the matrix has fifty calls ask at once
  maxQuestions: 64
} as const

if (transport === "http") {
  const listening = Layer.effectDiscard(
    HttpServer.addressFormattedWith((address) => Console.log(`listening ${address}/mcp`))
  )
  const app = ResolveServer.layerHttp({ ...options, path: "/mcp" })
  ResolveServer.run(listening.pipe(Layer.provide(ResolveServer.serve(app, { port: 0 }))))
} else {
  ResolveServer.run(ResolveServer.layerStdio(options))
}
