/**
 * The request at hand, as this library knows it: injected by type into tools, resolvers, prompts, resources and
 * resource templates, invisible to the model.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { McpContext, type Progress, type ReadResourceError, type ResourceContents } from "./internal/base/keys.ts"

export { McpContext, type Progress, ReadResourceError, type ResourceContents } from "./internal/base/keys.ts"

/**
 * The client's own JSON-RPC id of the request at hand, a string or a number. None under effect/ai's bare adapters.
 *
 * @category accessors
 * @since 0.1.0
 */
export const requestId: Effect.Effect<McpContext["Service"]["requestId"], never, McpContext> = McpContext.useSync(
  (_) => _.requestId
)

/**
 * The protocol version of the request or session.
 *
 * @category accessors
 * @since 0.1.0
 */
export const protocolVersion: Effect.Effect<McpContext["Service"]["protocolVersion"], never, McpContext> =
  McpContext.useSync((_) => _.protocolVersion)

/**
 * What the client declared.
 *
 * @category accessors
 * @since 0.1.0
 */
export const clientCapabilities: Effect.Effect<McpContext["Service"]["clientCapabilities"], never, McpContext> =
  McpContext.useSync((_) => _.clientCapabilities)

/**
 * The client's name and version, when it gave them.
 *
 * @category accessors
 * @since 0.1.0
 */
export const clientInfo: Effect.Effect<McpContext["Service"]["clientInfo"], never, McpContext> = McpContext.useSync(
  (_) => _.clientInfo
)

/**
 * The HTTP headers of the request, lower-case names; None on stdio. Client input, never an identity.
 *
 * @category accessors
 * @since 0.1.0
 */
export const headers: Effect.Effect<McpContext["Service"]["headers"], never, McpContext> = McpContext.useSync(
  (_) => _.headers
)

/**
 * The HTTP session of 2025-11-25 and older.
 *
 * @category accessors
 * @since 0.1.0
 */
export const sessionId: Effect.Effect<McpContext["Service"]["sessionId"], never, McpContext> = McpContext.useSync(
  (_) => _.sessionId
)

/**
 * The request's `_meta`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const meta: Effect.Effect<McpContext["Service"]["meta"], never, McpContext> = McpContext.useSync((_) => _.meta)

/**
 * Tells the client how far the call has come, tied to the token of this request, before its result. Without a token it does
 * nothing (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress). Each round has its own token.
 *
 * @category accessors
 * @since 0.1.0
 */
export const reportProgress: (progress: Progress) => Effect.Effect<void, never, McpContext> = (progress) =>
  McpContext.use((_) => _.reportProgress(progress))

/**
 * Reads a resource of this server, through the registry behind `resources/read`. It starts at its first round and sees no
 * answer of the call at hand; one that asks fails, saying so. Unknown: `Unknown resource: <uri>`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const readResource: (
  uri: string
) => Effect.Effect<ReadonlyArray<ResourceContents>, ReadResourceError, McpContext> = (uri) =>
  McpContext.use((_) => _.readResource(uri))

/**
 * Tells clients that the list of tools changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyToolsChanged: Effect.Effect<void, never, McpContext> = McpContext.use((_) => _.notifyToolsChanged)

/**
 * Tells clients that the list of prompts changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyPromptsChanged: Effect.Effect<void, never, McpContext> = McpContext.use(
  (_) => _.notifyPromptsChanged
)

/**
 * Tells clients that the list of resources changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyResourcesChanged: Effect.Effect<void, never, McpContext> = McpContext.use(
  (_) => _.notifyResourcesChanged
)

/**
 * Tells subscribers of one resource that it changed. The URI is compared exactly.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyResourceUpdated: (uri: string) => Effect.Effect<void, never, McpContext> = (uri) =>
  McpContext.use((_) => _.notifyResourceUpdated(uri))

/**
 * Tells a client of 2025-11-25 that the page of an earlier URL question is done with. The id is that of the question:
 * `Call.id` unless it was given one. Other protocols have no such message: nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const elicitComplete: (elicitationId: string) => Effect.Effect<void, never, McpContext> = (elicitationId) =>
  McpContext.use((_) => _.elicitComplete(elicitationId))
