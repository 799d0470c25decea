/**
 * What the peer's server is made of: the one place that knows.
 */
import { Duration, type Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import * as OurProtocols from "../../Protocols.ts"
import * as ResolveServer from "../../ResolveServer.ts"

export type Protocols = typeof OurProtocols.all

const theirProtocols: Protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
]

/** Whose layers serve: ours with all they add, or effect/ai's own. */
export type Serving = "effect-resolve" | "effect/ai"

export const protocols = (serving: Serving): Protocols => (serving === "effect/ai" ? theirProtocols : OurProtocols.all)

// effect/ai answers DELETE only if told to; ResolveServer always does
export const layerHttp = (serving: Serving, options: Parameters<typeof McpServer.layerHttp<any, any, any, any>>[0]) =>
  serving === "effect/ai"
    ? McpServer.layerHttp<any, any, any, any>({ ...options, allowSessionTermination: true })
    : // comments on streams are housekeeping, which a test's clock must not be taken to wait for
      ResolveServer.layerHttp<any, any, any, any>({ ...options, keepAlive: Duration.infinity })

export const layerStdio = (
  serving: Serving,
  options: Parameters<typeof McpServer.layerStdio<any, any, any, any>>[0]
): Layer.Layer<any, any, any> =>
  serving === "effect/ai"
    ? McpServer.layerStdio<any, any, any, any>(options)
    : ResolveServer.layerStdio<any, any, any, any>(options)
