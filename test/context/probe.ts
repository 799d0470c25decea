/** One Effect that tells all of `McpContext`, given by a tool, a resolver, a prompt, a resource and a template. */
import { Effect, Layer, Option, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { McpContext, Resolve, Resolver } from "effect-resolve"
import type { Peer } from "effect-resolve/testing"

export interface Facts {
  readonly requestId: string | number | null
  readonly protocolVersion: string
  readonly clientCapabilities: any
  readonly clientInfo: { readonly name: string; readonly version: string } | null
  readonly headers: { readonly [name: string]: string } | null
  readonly sessionId: string | null
  readonly meta: { readonly [key: string]: unknown }
}

const orNull = Option.getOrNull

export const facts = Effect.map(McpContext.McpContext, (mcp): string =>
  JSON.stringify({
    requestId: orNull(mcp.requestId),
    protocolVersion: mcp.protocolVersion,
    clientCapabilities: mcp.clientCapabilities,
    clientInfo: orNull(mcp.clientInfo),
    headers: orNull(mcp.headers),
    sessionId: orNull(mcp.sessionId),
    meta: mcp.meta
  })
)

class Facts_ extends Resolver.Service<Facts_>()("probe/Facts", { resolve: () => facts }) {}

const Probes = Toolkit.make(
  Resolve.tool("in_body", { success: Schema.String }),
  Resolve.tool("in_resolver", { success: Schema.String, dependencies: [Facts_] })
)

const ProbesLive = Probes.toLayer({ in_body: () => facts, in_resolver: () => Facts_ })

export const registrations = Layer.mergeAll(
  Resolve.toolkit(Probes).pipe(Layer.provide(ProbesLive)),
  Resolve.prompt({ name: "in_prompt", content: () => facts }),
  Resolve.resource({ uri: "probe://resource", name: "in_resource", content: facts }),
  Resolve.resourceTemplate`probe://template/${McpSchema.param("x", Schema.String)}`({
    name: "in_template",
    content: () => facts
  })
)

const read = (text: string): Facts => JSON.parse(text)

type Options = Peer.RequestOptions

/** The five places, each as one request that gives what it saw. */
export const places: ReadonlyArray<
  readonly [string, (peer: Peer.Peer, options?: Options) => Effect.Effect<Facts, Peer.JsonRpcError>]
> = [
  ["a tool", (peer, options) => Effect.map(peer.callTool("in_body", {}, options), ({ text }) => read(text))],
  ["a resolver", (peer, options) => Effect.map(peer.callTool("in_resolver", {}, options), ({ text }) => read(text))],
  [
    "a prompt",
    (peer, options) => Effect.map(peer.getPrompt("in_prompt", undefined, options), ({ text }) => read(text))
  ],
  [
    "a resource",
    (peer, options) => Effect.map(peer.readResource("probe://resource", options), ({ text }) => read(text))
  ],
  [
    "a template",
    (peer, options) => Effect.map(peer.readResource("probe://template/1", options), ({ text }) => read(text))
  ]
]
