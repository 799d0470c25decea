/**
 * The request at hand, as this library knows it: injected by type into tools, resolvers, prompts, resources and
 * resource templates, invisible to the model.
 *
 * @since 0.1.0
 */
import type * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * How far a call has come: `progress` rises with each report; `total` and `message` are sent only when given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * One piece of a resource: text, or bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type ResourceContents = McpSchema.TextResourceContents | McpSchema.BlobResourceContents

/**
 * A resource could not be read: no resource has that URI, its handler failed, or it asked a question, which a nested
 * read cannot. The message may be shown: declare the class in the tool's `failure` to let it pass.
 *
 * @category errors
 * @since 0.1.0
 */
export class ReadResourceError extends Schema.TaggedError<ReadResourceError>()("ReadResourceError", {
  uri: Schema.String,
  message: Schema.String
}) {}

/**
 * Service that is the request at hand. effect/ai's `McpRequestContext` is the raw protocol record, with the client's
 * answers and sealed state in it; this one has what a handler needs beside its arguments, and never an answer.
 *
 * Under `Resolve.call` and `Resolve.withHandlers` there is no request: every member is None, empty or does nothing. A
 * call made inside a request's call has that request. All of it is client input: none of it is an identity (DESIGN.md 5).
 *
 * A middleware runs before it is made: there the headers are those of effect/http's `HttpServerRequest`, and the rest is
 * in `McpRequestContext`.
 *
 * @category services
 * @since 0.1.0
 */
export class McpContext extends Context.Service<
  McpContext,
  {
    /** The client's own JSON-RPC id, in its own type. None under effect/ai's bare adapters: see `Protocols`. */
    readonly requestId: Option.Option<string | number>
    /** The protocol version of the request or session, such as `2026-07-28`. Empty when there is no request. */
    readonly protocolVersion: string
    /** What the client declared: on the request (2026-07-28) or when the session began. */
    readonly clientCapabilities: typeof McpSchema.ClientCapabilities.Type
    /** The client's own name and version. Never a reason to behave differently. */
    readonly clientInfo: Option.Option<typeof McpSchema.Implementation.Type>
    /** The HTTP headers of the request. None on stdio. */
    readonly headers: Option.Option<{ readonly [name: string]: string | undefined }>
    /** The session of 2025-11-25 and older, over HTTP. */
    readonly sessionId: Option.Option<string>
    /** The request's `_meta`. */
    readonly meta: { readonly [key: string]: unknown }
    /** See `reportProgress`. */
    readonly reportProgress: (progress: Progress) => Effect.Effect<void>
    /** See `readResource`. */
    readonly readResource: (uri: string) => Effect.Effect<ReadonlyArray<ResourceContents>, ReadResourceError>
    /** See `notifyToolsChanged`. */
    readonly notifyToolsChanged: Effect.Effect<void>
    /** See `notifyPromptsChanged`. */
    readonly notifyPromptsChanged: Effect.Effect<void>
    /** See `notifyResourcesChanged`. */
    readonly notifyResourcesChanged: Effect.Effect<void>
    /** See `notifyResourceUpdated`. */
    readonly notifyResourceUpdated: (uri: string) => Effect.Effect<void>
    /** See `elicitComplete`. */
    readonly elicitComplete: (elicitationId: string) => Effect.Effect<void>
  }
>()("effect-resolve/McpContext") {}

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
