/**
 * The server that the official conformance suite runs against, built with the public API only.
 * Prints `listening <url>`.
 */
import { Console, Layer } from "effect"
import { HttpServer } from "effect/http"
import { Protocols, ResolveServer } from "effect-resolve"
import * as Content from "./content.ts"
import * as Plain from "./plain.ts"
import * as Questions from "./questions.ts"

const app = ResolveServer.layerHttp({
  name: "conformance",
  version: "1.0.0",
  path: "/mcp",
  protocols: [Protocols.v2026_07_28, Protocols.v2025_11_25, Protocols.v2025_06_18],
  registrations: Layer.mergeAll(Content.layer, Plain.layer, Questions.layer)
})
const listening = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address) => Console.log(`listening ${address}/mcp`))
)

ResolveServer.run(listening.pipe(Layer.provide(ResolveServer.serve(app, { port: 0 }))))
