/** The official clients are asked all four kinds at once, and carry a tool loop of their own model. */
import { assert, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Effect, Layer, Schema } from "effect"
import { AiError, LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { Elicitation, Roots, Sampling } from "effect-resolve"
import { Peer } from "effect-resolve/testing"
import { resolver, tool } from "./rules/kit.ts"

const form = resolver("a/Form", {}, () =>
  Elicitation.form({ message: "Order?", schema: Schema.Struct({ ok: Schema.Boolean }) })
)
const page = resolver("b/Page", {}, () => Elicitation.url({ message: "Pay.", url: "https://pay.example/1" }))
const model = resolver("c/Model", {}, () => Sampling.createMessage({ prompt: "A title?", maxTokens: 5 }))
const folders = resolver("d/Folders", {}, () => Roots.list)
const four = tool("four", { dependencies: [form, page, model, folders] }, () =>
  Effect.map(
    Effect.all([form.get, model.get, folders.get]),
    ([order, title, roots]: any) => `${order.ok} ${title.content.text} ${roots[0].name}`
  )
)

const Tools = Toolkit.make(
  Tool.make("rain", { parameters: Schema.Struct({ city: Schema.String }), success: Schema.Boolean })
)
const ToolsLive = Tools.toLayer({ rain: ({ city }) => Effect.succeed(city === "Bergen") })
const advice = resolver("e/Advice", { dependencies: [Sampling.languageModel] }, () =>
  Effect.gen(function* () {
    const prompt = Prompt.make("Do I need an umbrella in Bergen?")
    const first = yield* LanguageModel.generateText({ prompt, toolkit: Tools })
    const second = yield* LanguageModel.generateText({
      prompt: Prompt.concat(prompt, Prompt.fromResponseParts(first.content as any)),
      toolkit: Tools
    })
    return second.text
  }).pipe(Effect.provide(ToolsLive))
)
const loop = tool("loop", { dependencies: [advice], failure: AiError.AiError }, () => advice.get)

const registrations = Layer.mergeAll(four, loop)

const elicited = (params: any) =>
  params.mode === "url" ? { action: "accept" } : { action: "accept", content: { ok: true } }
const sampled = ({ messages, tools }: any) => {
  const { content } = messages.at(-1)
  if (tools === undefined) return { role: "assistant", model: "m", content: { type: "text", text: "Dune" } }
  const result = [content].flat().find(({ type }: any) => type === "tool_result")
  return {
    role: "assistant",
    model: "m",
    stopReason: result === undefined ? "toolUse" : "endTurn",
    content: [
      result === undefined
        ? { type: "tool_use", id: "1", name: "rain", input: { city: "Bergen" } }
        : { type: "text", text: `It says ${result.content[0].text}.` }
    ]
  }
}
const listed = { roots: [{ uri: "file:///shop", name: "shop" }] }

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
const info = { name: "official", version: "1.0.0" }

type Connect = (server: Peer.Server & { readonly transport: "http" }) => Promise<{
  readonly callTool: (params: { name: string; arguments: {} }) => Promise<any>
  readonly close: () => Promise<void>
}>

const v2 =
  (protocol: "2026-07-28" | "2025-11-25"): Connect =>
  async ({ fetch, url }) => {
    const client = new ClientV2(info, {
      capabilities,
      ...(protocol === "2026-07-28" ? { versionNegotiation: { mode: { pin: protocol } } } : {})
    })
    client.setRequestHandler("elicitation/create", async ({ params }) => elicited(params) as any)
    client.setRequestHandler("sampling/createMessage", async ({ params }) => sampled(params) as any)
    client.setRequestHandler("roots/list", async () => listed)
    await client.connect(new HttpV2(new URL(url), { fetch }))
    return client
  }

const v1: Connect = async ({ fetch, url }) => {
  const client = new ClientV1(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => elicited(params) as any)
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => sampled(params) as any)
  client.setRequestHandler(ListRootsRequestSchema, async () => listed)
  // its optional members are not typed for exactOptionalPropertyTypes
  await client.connect(new HttpV1(new URL(url), { fetch }) as unknown as Parameters<typeof client.connect>[0])
  return client
}

const clients = [
  ["the official v2 client on 2026-07-28", v2("2026-07-28")],
  ["the official v2 client on 2025-11-25", v2("2025-11-25")],
  ["the official v1 client on 2025-11-25", v1]
] as const

for (const [name, connect] of clients) {
  it.effect(`${name} answers all four kinds in one call, and a tool loop of its own model`, () =>
    Effect.gen(function* () {
      const server = yield* Peer.serve({ registrations })
      const client = yield* Effect.acquireRelease(
        Effect.promise(() => connect(server)),
        (client) => Effect.promise(() => client.close())
      )
      const call = (name: string) => Effect.promise(() => client.callTool({ name, arguments: {} }))
      assert.strictEqual((yield* call("four")).content[0].text, "true Dune shop")
      assert.strictEqual((yield* call("loop")).content[0].text, "It says true.")
    })
  )
}
