/** Tools whose results are content blocks, and one whose parameters are raw JSON Schema. */
import { Effect, Layer } from "effect"
import { McpSchema, Tool, Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

/** One red pixel. */
export const png = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
    "base64"
  )
)
const wav = Uint8Array.from(Buffer.from("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=", "base64"))

// what a body returns as a result of its own passes through
const blocks = <const Name extends string>(name: Name, description: string) =>
  Resolve.tool(name, { description, success: McpSchema.CallToolResult })

const content = (...content: McpSchema.CallToolResult["content"]) =>
  Effect.succeed(new McpSchema.CallToolResult({ content }))

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

const Contents = Toolkit.make(
  blocks("test_image_content", "Returns an image."),
  blocks("test_audio_content", "Returns a sound."),
  blocks("test_embedded_resource", "Returns an embedded resource."),
  blocks("test_multiple_content_types", "Returns text, an image and a resource."),
  Tool.dynamic("json_schema_2020_12_tool", {
    description: "A tool with JSON Schema 2020-12 features.",
    parameters: jsonSchema2020,
    success: McpSchema.CallToolResult
  })
)

const ContentsLive = Contents.toLayer({
  test_image_content: () => content(image),
  test_audio_content: () => content({ type: "audio", data: wav, mimeType: "audio/wav" }),
  test_embedded_resource: () =>
    content({
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content."
      }
    }),
  test_multiple_content_types: () =>
    content(text("Multiple content types test:"), image, {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 })
      }
    }),
  json_schema_2020_12_tool: () => content(text("ok"))
})

export const layer = Resolve.toolkit(Contents).pipe(Layer.provide(ContentsLive))
