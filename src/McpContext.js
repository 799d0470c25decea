import * as Context from "effect/Context";
import * as Schema from "effect/Schema";
/**
 * A resource could not be read: no resource has that URI, its handler failed, or it asked a question, which a nested
 * read cannot. The message may be shown: declare the class in the tool's `failure` to let it pass.
 *
 * @category errors
 * @since 0.1.0
 */
export class ReadResourceError extends Schema.TaggedError()("ReadResourceError", {
    uri: Schema.String,
    message: Schema.String
}) {
}
/**
 * Service that is the request at hand. effect/ai's `McpRequestContext` is the raw protocol record, with the client's
 * answers and sealed state in it; this one has what a handler needs beside its arguments, and never an answer.
 *
 * Under `Resolve.call` and `Resolve.withHandlers` there is no request: every member is None, empty or does nothing.
 * All of it is client input: none of it is an identity (DESIGN.md 5).
 *
 * @category services
 * @since 0.1.0
 */
export class McpContext extends Context.Service()("effect-resolve/McpContext") {
}
/**
 * The client's own JSON-RPC id of the request at hand, a string or a number. None under effect/ai's bare adapters.
 *
 * @category accessors
 * @since 0.1.0
 */
export const requestId = McpContext.useSync((_) => _.requestId);
/**
 * The protocol version of the request or session.
 *
 * @category accessors
 * @since 0.1.0
 */
export const protocolVersion = McpContext.useSync((_) => _.protocolVersion);
/**
 * What the client declared.
 *
 * @category accessors
 * @since 0.1.0
 */
export const clientCapabilities = McpContext.useSync((_) => _.clientCapabilities);
/**
 * The client's name and version, when it gave them.
 *
 * @category accessors
 * @since 0.1.0
 */
export const clientInfo = McpContext.useSync((_) => _.clientInfo);
/**
 * The HTTP headers of the request, lower-case names; None on stdio. Client input, never an identity.
 *
 * @category accessors
 * @since 0.1.0
 */
export const headers = McpContext.useSync((_) => _.headers);
/**
 * The HTTP session of 2025-11-25 and older.
 *
 * @category accessors
 * @since 0.1.0
 */
export const sessionId = McpContext.useSync((_) => _.sessionId);
/**
 * The request's `_meta`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const meta = McpContext.useSync((_) => _.meta);
/**
 * Tells the client how far the call has come, tied to the token of this request, before its result. Without a token it does
 * nothing (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress). Each round has its own token.
 *
 * @category accessors
 * @since 0.1.0
 */
export const reportProgress = (progress) => McpContext.use((_) => _.reportProgress(progress));
/**
 * Reads a resource of this server, through the registry behind `resources/read`. It starts at its first round and sees no
 * answer of the call at hand; one that asks fails, saying so. Unknown: `Unknown resource: <uri>`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const readResource = (uri) => McpContext.use((_) => _.readResource(uri));
/**
 * Tells clients that the list of tools changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyToolsChanged = McpContext.use((_) => _.notifyToolsChanged);
/**
 * Tells clients that the list of prompts changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyPromptsChanged = McpContext.use((_) => _.notifyPromptsChanged);
/**
 * Tells clients that the list of resources changed: sessions of 2025-11-25 and older, and every
 * `subscriptions/listen` stream of 2026-07-28 that asked for it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyResourcesChanged = McpContext.use((_) => _.notifyResourcesChanged);
/**
 * Tells subscribers of one resource that it changed. The URI is compared exactly.
 *
 * @category accessors
 * @since 0.1.0
 */
export const notifyResourceUpdated = (uri) => McpContext.use((_) => _.notifyResourceUpdated(uri));
/**
 * Tells a client of 2025-11-25 that the page of an earlier URL question is done with. The id is that of the question:
 * `Call.id` unless it was given one. Other protocols have no such message: nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const elicitComplete = (elicitationId) => McpContext.use((_) => _.elicitComplete(elicitationId));
