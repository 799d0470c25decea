/**
 * Tools whose results are content blocks. effect/ai's toolkits render a result as text and structured content, so these
 * stand on its own `McpServer.addTool`, beside the tools of `Resolve.toolkit`.
 */
import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"

/** One red pixel. */
export const png = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
    "base64"
  )
)
const wav = Uint8Array.from(Buffer.from("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=", "base64"))

const blocks = (name: string, content: () => McpSchema.CallToolResult["content"], description: string) =>
  Effect.flatMap(McpServer.McpServer, (server) =>
    server.addTool({
      tool: new McpSchema.Tool({ name, description, inputSchema: { type: "object", properties: {} } }),
      annotations: Context.empty(),
      handle: () => Effect.succeed(new McpSchema.CallToolResult({ content: content() }))
    })
  )

const text = (text: string) => ({ type: "text", text }) as const
const image = { type: "image", data: png, mimeType: "image/png" } as const

/** `$schema`, `$defs`, `$anchor`, composition and conditional keywords must reach the client as they are. */
const jsonSchema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
} as const

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* blocks("test_image_content", () => [image], "Returns an image.")
    yield* blocks("test_audio_content", () => [{ type: "audio", data: wav, mimeType: "audio/wav" }], "Returns a sound.")
    yield* blocks(
      "test_embedded_resource",
      () => [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content."
          }
        }
      ],
      "Returns an embedded resource."
    )
    yield* blocks(
      "test_multiple_content_types",
      () => [
        text("Multiple content types test:"),
        image,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 })
          }
        }
      ],
      "Returns text, an image and a resource."
    )
    const server = yield* McpServer.McpServer
    yield* server.addTool({
      tool: new McpSchema.Tool({
        name: "json_schema_2020_12_tool",
        description: "A tool with JSON Schema 2020-12 features.",
        inputSchema: jsonSchema2020
      }),
      annotations: Context.empty(),
      handle: () => Effect.succeed(new McpSchema.CallToolResult({ content: [text("ok")] }))
    })
  })
)
