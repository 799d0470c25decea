/** Builds `McpContext` for a request, and the empty one for calls in process. */
import type * as McpSchemaTypes from "effect/ai/McpSchema"
import * as McpSchema from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { McpContext, ReadResourceError } from "../McpContext.ts"
import { CurrentRequestId } from "./wire.ts"

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
  readResource: (uri) => Effect.fail(new ReadResourceError({ uri, message: `Unknown resource: ${uri}` })),
  notifyToolsChanged: Effect.void,
  notifyPromptsChanged: Effect.void,
  notifyResourcesChanged: Effect.void,
  notifyResourceUpdated: nothing,
  elicitComplete: nothing
})

type Request = McpSchemaTypes.McpRequestContext["Service"]

const progressToken = (meta: { readonly [key: string]: unknown } | undefined): string | number | undefined => {
  const token = meta?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

// effect/ai reads a resource for a client of a session; a request of 2026-07-28 has none, and needs none of it here
const clientFor = (request: Request): McpSchemaTypes.McpServerClient["Service"] =>
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
    getClient: Effect.die(new Error("A resource read from inside a call cannot ask"))
  }) as McpSchemaTypes.McpServerClient["Service"] // its version type admits sessions only, though nothing narrows by it

const readResource = (server: McpServer["Service"], request: Request) => (uri: string) =>
  server.findResource(uri).pipe(
    Effect.provideService(McpSchema.McpServerClient, clientFor(request)),
    Effect.provideService(NestedRead, true),
    Effect.map((result) => result.contents),
    Effect.mapError((error) => {
      const unknown = error.message === `Resource '${uri}' not found`
      return new ReadResourceError({ uri, message: unknown ? `Unknown resource: ${uri}` : error.message })
    })
  )

/** `context` is that of the request's fiber: notifications find their request by it. */
export const fromRequest = (
  server: McpServer["Service"],
  request: Request,
  context: Context.Context<never>
): McpContext["Service"] => {
  const http = Context.getOption(context, HttpServerRequest.HttpServerRequest)
  const headers = Option.map(http, (request): { readonly [name: string]: string | undefined } => request.headers)
  const inRequest = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideContext(effect, context)
  return McpContext.of({
    requestId: Context.get(context, CurrentRequestId),
    protocolVersion: request.protocolVersion,
    clientCapabilities: request.clientCapabilities,
    clientInfo: Option.fromUndefinedOr(request.clientInfo),
    headers,
    sessionId: Option.flatMap(headers, (headers) => Option.fromUndefinedOr(headers["mcp-session-id"])),
    meta: request.requestMetadata ?? {},
    reportProgress: ({ progress, total, message }) => {
      const token = progressToken(request.requestMetadata)
      return token === undefined
        ? Effect.void
        : inRequest(
            server.notifications["notifications/progress"]({
              progressToken: token,
              progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message })
            })
          )
    },
    readResource: readResource(server, request),
    notifyToolsChanged: inRequest(server.notifications["notifications/tools/list_changed"]({})),
    notifyPromptsChanged: inRequest(server.notifications["notifications/prompts/list_changed"]({})),
    notifyResourcesChanged: inRequest(server.notifications["notifications/resources/list_changed"]({})),
    notifyResourceUpdated: (uri) => inRequest(server.notifications["notifications/resources/updated"]({ uri })),
    elicitComplete: (elicitationId) => server.notifyElicitationComplete({ clientId: request.clientId, elicitationId })
  })
}
