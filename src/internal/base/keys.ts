/** The services of a call: the keys by which bodies find it, the request at hand, and whoever answers questions. */
import type * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Service } from "./questions.ts"

/**
 * Service that identifies the call at hand. It is there in every resolver and every body, and needs no Layer.
 *
 * A call on 2026-07-28 may take several requests; all of them see one `id` and one `startedAt`, which ride in the
 * sealed state. That makes them fit for idempotency keys, for a question's text and for a correlation id in a URL.
 * The very first request sent twice is two calls: it carries nothing by which the server could know it again.
 *
 * @category services
 * @since 0.1.0
 */
export class Call extends Context.Service<
  Call,
  {
    /** A random UUID, unguessable. */
    readonly id: string
    /** Milliseconds since the epoch, on the server's clock, when the first round began. */
    readonly startedAt: number
  }
>()("effect-resolve/Call") {}

/**
 * Service that puts forms and URLs to the person at the client. Resolvers use it freely; a tool's body uses it when
 * the tool lists it in `dependencies`. The engine implements it for calls from the wire; `Resolve.call` and
 * `Resolve.withHandlers` require yours: `Elicitation.layer` or `Elicitation.layerUnavailable`.
 *
 * @category services
 * @since 0.1.0
 */
export class Elicitation extends Context.Service<Elicitation, Service>()("effect-resolve/Elicitation") {}

/**
 * Service that puts requests to the client's model. Resolvers use it freely; a tool's body uses it when the tool lists
 * it in `dependencies`. The engine implements it for calls from the wire; `Resolve.call` and `Resolve.withHandlers`
 * require yours: `Sampling.layer` or `Sampling.layerUnavailable`.
 *
 * @category services
 * @since 0.1.0
 */
export class Sampling extends Context.Service<Sampling, Service>()("effect-resolve/Sampling") {}

/**
 * Service that asks the client for its roots. Resolvers use it freely; a tool's body uses it when the tool lists it in
 * `dependencies`. The engine implements it for calls from the wire; `Resolve.call` and `Resolve.withHandlers` require
 * yours: `Roots.layer` or `Roots.layerUnavailable`.
 *
 * @category services
 * @since 0.1.0
 */
export class Roots extends Context.Service<Roots, Service>()("effect-resolve/Roots") {}

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
 * call made inside a request's call has that request. All of it is client input: none of it is an identity.
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
