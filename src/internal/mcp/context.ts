/** Builds `McpContext` for a request, and the empty one for calls in process. */
import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { McpContext, ReadResourceError } from "../base/keys.ts"
import type { Notice } from "../base/notices.ts"
import * as Text from "../base/sentences.ts"
import { CurrentRequestId } from "../base/wire.ts"
import { announce } from "./notices.ts"

/** Set around a resource that is read from inside a call: it is another call, and has nobody to ask. */
export const NestedRead = Context.Reference<boolean>("effect-resolve/internal/NestedRead", {
  defaultValue: () => false
})

const nothing = () => Effect.void

export const inProcess: McpContext["Service"] = McpContext.of({
  requestId: Option.none(),
  protocolVersion: "",
  clientCapabilities: McpSchema.ClientCapabilities.make({}),
  clientInfo: Option.none(),
  headers: Option.none(),
  sessionId: Option.none(),
  meta: {},
  reportProgress: nothing,
  readResource: (uri) => Effect.fail(new ReadResourceError({ uri, message: Text.unknownResource(uri) })),
  notifyToolsChanged: Effect.void,
  notifyPromptsChanged: Effect.void,
  notifyResourcesChanged: Effect.void,
  notifyResourceUpdated: nothing,
  elicitComplete: nothing
})

type Request = McpSchema.McpRequestContext["Service"]
type Shape = McpContext["Service"]

const progressToken = (meta: { readonly [key: string]: unknown } | undefined): string | number | undefined => {
  const token = meta?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

// effect/ai reads a resource for a client of a session; a request of 2026-07-28 has none, and needs none of it here
const clientFor = (request: Request): McpSchema.McpServerClient["Service"] =>
  ({
    clientId: request.clientId,
    protocolVersion: request.protocolVersion,
    clientCapabilities: request.clientCapabilities,
    clientInfo: request.clientInfo ?? { name: "", version: "" },
    initializePayload: {
      protocolVersion: request.protocolVersion,
      capabilities: request.clientCapabilities,
      clientInfo: request.clientInfo ?? { name: "", version: "" }
    },
    requestMetadata: request.requestMetadata,
    getClient: Effect.die(new Error(Text.readCannotAsk))
  }) as McpSchema.McpServerClient["Service"] // its version type admits sessions only, though nothing narrows by it

/**
 * One request. Everything is looked up when it is asked for: most calls never ask (one object per call, no more).
 *
 * `context` is that of the request's fiber: notifications find their request by it. `ended` tells when the call is over.
 */
class RequestContext implements Shape {
  readonly #server: McpServer["Service"]
  readonly #request: Request
  readonly #context: Context.Context<never>
  readonly #call: { readonly ended: boolean }

  constructor(
    server: McpServer["Service"],
    request: Request,
    context: Context.Context<never>,
    call: { readonly ended: boolean }
  ) {
    this.#server = server
    this.#request = request
    this.#context = context
    this.#call = call
  }

  get requestId() {
    return Context.get(this.#context, CurrentRequestId)
  }

  get protocolVersion() {
    return this.#request.protocolVersion
  }

  get clientCapabilities() {
    return this.#request.clientCapabilities
  }

  get clientInfo() {
    return Option.fromUndefinedOr(this.#request.clientInfo)
  }

  get headers(): Shape["headers"] {
    return Option.map(
      Context.getOption(this.#context, HttpServerRequest.HttpServerRequest),
      (request): { readonly [name: string]: string | undefined } => request.headers
    )
  }

  get sessionId() {
    return Option.flatMap(this.headers, (headers) => Option.fromUndefinedOr(headers["mcp-session-id"]))
  }

  get meta() {
    return this.#request.requestMetadata ?? {}
  }

  // functions are made when they are asked for, so that they can be handed on without this object
  get reportProgress(): Shape["reportProgress"] {
    return ({ progress, total, message }) =>
      Effect.suspend(() => {
        const token = progressToken(this.#request.requestMetadata)
        // a token is for a request that is open, and for no longer
        if (token === undefined || this.#call.ended) return Effect.void
        const { notifications } = this.#server
        return this.#inRequest(
          notifications["notifications/progress"]({
            progressToken: token,
            progress,
            ...(total === undefined ? {} : { total }),
            ...(message === undefined ? {} : { message })
          })
        )
      })
  }

  get readResource(): Shape["readResource"] {
    return (uri) =>
      this.#server.findResource(uri).pipe(
        Effect.provideService(McpSchema.McpServerClient, clientFor(this.#request)),
        Effect.provideService(NestedRead, true),
        // the request's own context: the read is another call, and finds nothing of this one there
        (read) => this.#inRequest(read),
        Effect.map((result) => result.contents),
        Effect.mapError((error) => {
          const unknown = error.message === Text.notFound(uri)
          return new ReadResourceError({ uri, message: unknown ? Text.unknownResource(uri) : error.message })
        })
      )
  }

  get notifyToolsChanged(): Shape["notifyToolsChanged"] {
    return this.#announce({ _tag: "ToolsChanged" })
  }

  get notifyPromptsChanged(): Shape["notifyPromptsChanged"] {
    return this.#announce({ _tag: "PromptsChanged" })
  }

  get notifyResourcesChanged(): Shape["notifyResourcesChanged"] {
    return this.#announce({ _tag: "ResourcesChanged" })
  }

  get notifyResourceUpdated(): Shape["notifyResourceUpdated"] {
    return (uri) => this.#announce({ _tag: "ResourceUpdated", uri })
  }

  get elicitComplete(): Shape["elicitComplete"] {
    return (elicitationId) =>
      this.#server.notifyElicitationComplete({ clientId: this.#request.clientId, elicitationId })
  }

  #announce(notice: Notice): Effect.Effect<void> {
    return this.#inRequest(announce(this.#server, this.#context, notice))
  }

  #inRequest<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.updateContext(effect, () => this.#context)
  }
}

export const fromRequest = (
  server: McpServer["Service"],
  request: Request,
  context: Context.Context<never>,
  call: { readonly ended: boolean }
): Shape => new RequestContext(server, request, context, call)
