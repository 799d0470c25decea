/** (a1) over stdio: how much of the start-up time is effect/ai's own. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { descriptions, hoursText } from "./shop.ts"

const Bookshop = Toolkit.make(
  Tool.make("shop_hours", {
    description: descriptions.shop_hours,
    parameters: Schema.Struct({ title: Schema.String }),
    success: Schema.String
  })
)
McpServer.layerStdio({
  name: "Bookshop",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations: McpServer.toolkit(Bookshop).pipe(
    Layer.provide(Bookshop.toLayer({ shop_hours: ({ title }) => Effect.succeed(hoursText(title)) }))
  )
}).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.launch,
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
