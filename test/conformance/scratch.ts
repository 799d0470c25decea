import { createServer } from "node:http"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Schema } from "effect"
import { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import * as Content from "./content.ts"

const registrations = Layer.mergeAll(
  Content.layer,
  McpServer.prompt({
    name: "test_simple_prompt",
    description: "x",
    content: () => Effect.succeed("This is a simple prompt for testing.")
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "x",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: { arg1: () => Effect.succeed(["paris"]) },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  }),
  McpServer.resource({
    uri: "test://static-text",
    name: "Static Text",
    description: "x",
    mimeType: "text/plain",
    content: Effect.succeed("This is the content of the static text resource.")
  }),
  McpServer.resource({
    uri: "test://static-binary",
    name: "Static Binary",
    description: "x",
    mimeType: "image/png",
    content: Effect.succeed(Content.png)
  }),
  McpServer.resource`test://template/${McpSchema.param("id", Schema.String)}/data`({
    name: "T",
    description: "x",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed(
        McpSchema.ReadResourceResult.make({
          contents: [
            {
              uri,
              mimeType: "application/json",
              text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
            }
          ]
        })
      )
  })
)

const server = Layer.unwrap(
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const origin = `http://127.0.0.1:${address._tag === "InetAddressV4" ? address.port : 0}`
    console.log(`listening ${origin}/mcp`)
    return HttpRouter.serve(
      McpServer.layerHttp({
        name: "c",
        version: "1",
        path: "/mcp",
        protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18],
        registrations,
        allowedOrigins: [origin]
      }),
      { disableLogger: true, disableListenLog: true }
    )
  })
).pipe(Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })))

NodeRuntime.runMain(Layer.launch(server))
