/** The suite's tools, prompts and resources that ask nothing. */
import { Effect, Layer, Ref, Schema } from "effect"
import { McpSchema, McpServer, Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"
import { png } from "./content.ts"

class Intended extends Schema.TaggedError<Intended>()("Intended", {}) {
  override get message(): string {
    return "This tool intentionally returns an error for testing"
  }
}

const success = Schema.String
const Plain = Toolkit.make(
  Resolve.tool("test_simple_text", { description: "Returns text.", success }),
  Resolve.tool("test_error_handling", { description: "Always fails.", success, failure: Intended }),
  Resolve.tool("test_tool_with_progress", { description: "Reports progress.", success }),
  Resolve.tool("test_tool_with_logging", { description: "Sends three log messages.", success }),
  Resolve.tool("test_logging_tool", { description: "Sends one log message.", success }),
  Resolve.tool("test_trigger_tool_change", { description: "Adds or retires a tool.", success }),
  Resolve.tool("test_trigger_prompt_change", { description: "Tells clients that prompts changed.", success }),
  Resolve.tool("test_argument_in_header", {
    description: "Has an argument that clients send in a header, too.",
    parameters: Schema.Struct({ region: Schema.String.annotate({ "x-mcp-header": "Region" }) }),
    success
  })
)
/** Comes and goes while the server runs. */
const Extra = Toolkit.make(Resolve.tool("test_extra", { description: "Comes and goes.", success }))

const ExtraLive = Extra.toLayer({ test_extra: () => Effect.succeed("extra") })

const PlainLive = Plain.toLayer(
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const there = yield* Ref.make(false)
    const extra = yield* Resolve.register(Extra).pipe(
      Effect.provide(Extra.toLayer({ test_extra: () => Effect.succeed("extra") }))
    )
    // logging stays effect/ai's: there are no helpers for it on McpContext
    const log = (data: string) => server.notifications["notifications/message"]({ level: "info", data })
    const pause = Effect.sleep("50 millis")
    return {
      test_simple_text: () => Effect.succeed("This is a simple text response for testing."),
      test_error_handling: () => Effect.fail(new Intended()),
      test_tool_with_progress: Effect.fn(function* () {
        yield* McpContext.reportProgress({ progress: 0, total: 100 })
        yield* pause
        yield* McpContext.reportProgress({ progress: 50, total: 100 })
        yield* pause
        yield* McpContext.reportProgress({ progress: 100, total: 100 })
        return "done"
      }),
      test_tool_with_logging: Effect.fn(function* () {
        yield* log("Tool execution started")
        yield* pause
        yield* log("Tool processing data")
        yield* pause
        yield* log("Tool execution completed")
        return "logged"
      }, Effect.orDie),
      test_logging_tool: () => log("Logged only when the request asks for it").pipe(Effect.orDie, Effect.as("logged")),
      test_trigger_tool_change: Effect.fn(function* () {
        const was = yield* Ref.getAndUpdate(there, (is) => !is)
        yield* was ? extra.remove : Effect.orDie(extra.add)
        return "changed"
      }),
      test_argument_in_header: ({ region }) => Effect.succeed(region),
      test_trigger_prompt_change: () => Effect.as(McpContext.notifyPromptsChanged, "changed")
    }
  })
)

const message = (content: (typeof McpSchema.PromptMessage.Type)["content"]) =>
  McpSchema.PromptMessage.make({ role: "user", content })

const Prompts = Layer.mergeAll(
  Resolve.prompt({
    name: "test_simple_prompt",
    description: "A prompt without arguments.",
    content: () => Effect.succeed("This is a simple prompt for testing.")
  }),
  Resolve.prompt({
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    parameters: {
      arg1: Schema.String.annotate({ description: "First test argument" }),
      arg2: Schema.String.annotate({ description: "Second test argument" })
    },
    completion: {
      arg1: (value) => Effect.succeed(["paris", "park", "party"].filter((word) => word.startsWith(value)))
    },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  }),
  Resolve.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource in it.",
    parameters: { resourceUri: Schema.String.annotate({ description: "URI of the resource to embed" }) },
    content: ({ resourceUri }) =>
      Effect.succeed([
        message({
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." }
        }),
        message({ type: "text", text: "Please process the embedded resource above." })
      ])
  }),
  Resolve.prompt({
    name: "test_prompt_with_image",
    description: "A prompt with an image in it.",
    content: () =>
      Effect.succeed([
        message({ type: "image", data: png, mimeType: "image/png" }),
        message({ type: "text", text: "Please analyze the image above." })
      ])
  })
)

const contents = (piece: typeof McpSchema.TextResourceContents.Type | typeof McpSchema.BlobResourceContents.Type) =>
  McpSchema.ReadResourceResult.make({ contents: [piece] })

const Resources = Layer.mergeAll(
  Resolve.resource({
    uri: "test://static-text",
    name: "static text",
    description: "A text.",
    mimeType: "text/plain",
    content: Effect.succeed(
      contents({
        uri: "test://static-text",
        mimeType: "text/plain",
        text: "This is the content of the static text resource."
      })
    )
  }),
  Resolve.resource({
    uri: "test://static-binary",
    name: "static binary",
    description: "An image.",
    mimeType: "image/png",
    content: Effect.succeed(contents({ uri: "test://static-binary", mimeType: "image/png", blob: png }))
  }),
  Resolve.resource({
    uri: "test://watched-resource",
    name: "watched resource",
    description: "A text that changes.",
    mimeType: "text/plain",
    content: Effect.succeed("This text changes.")
  }),
  Resolve.resourceTemplate`test://template/${McpSchema.param("id", Schema.String)}/data`({
    name: "template",
    description: "Data by id.",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed(
        contents({
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
        })
      )
  })
)

export const layer = Layer.mergeAll(
  Resolve.toolkit(Plain).pipe(Layer.provide(PlainLive), Layer.provide(ExtraLive)),
  Prompts,
  Resources
)
