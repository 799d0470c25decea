/**
 * What the peer's server is made of unless a test says otherwise: the one place that knows.
 */
import { McpProtocol, McpServer } from "effect/ai"

export const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

export type Protocols = typeof protocols

export const layerHttp = McpServer.layerHttp

export const layerStdio = McpServer.layerStdio
