/** Ours as its README serves it: on `ResolveServer.layerHttp`. */
import { Protocols, ResolveServer } from "effect-resolve"
import { listen } from "./effect-http.ts"
import { registrations } from "./ours-shop.ts"

listen(
  ResolveServer.layerHttp({
    name: "Bookshop",
    version: "1.0.0",
    path: "/mcp",
    protocols: [Protocols.v2026_07_28, Protocols.v2025_11_25],
    registrations
  })
)
