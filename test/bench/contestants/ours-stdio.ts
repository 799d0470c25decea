/** Ours over stdio, for the start-up time. */
import { NodeRuntime, NodeStdio } from "@effect/platform-node"
import { Layer } from "effect"
import { Protocols, ResolveServer } from "effect-resolve"
import { registrations } from "./ours-shop.ts"

ResolveServer.layerStdio({
  name: "Bookshop",
  version: "1.0.0",
  protocols: [Protocols.v2026_07_28, Protocols.v2025_11_25],
  registrations
}).pipe(Layer.provide(NodeStdio.layer), Layer.launch, NodeRuntime.runMain)
