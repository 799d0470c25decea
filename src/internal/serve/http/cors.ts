/**
 * What a browser asks before it lets a page of another origin call: answered for the pages that an endpoint lists, on its
 * own path, and for nobody else. It stands in front of authentication, since a pre-flight carries no token, and adds its
 * headers to whatever is answered, refusals of others included: without them a page sees no status.
 */
import { Context, Effect } from "effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

type Response = HttpServerResponse.HttpServerResponse

/** The pages that may call an endpoint. */
export interface Pages {
  readonly path: string
  readonly origins: ReadonlyArray<string>
}

/** Where endpoints say which pages may call, when their server asks itself, in front of everything. */
export const CurrentPages = Context.Reference<Array<Pages> | undefined>("effect-resolve/internal/Pages", {
  defaultValue: () => undefined
})

const headersAllowed = ["authorization", "content-type", "accept", "last-event-id"]

const isAllowed = (header: string) => headersAllowed.includes(header) || header.startsWith("mcp-")

/** A router may stand under a prefix, which its routes do not know. */
const isAt = (url: string, path: string): boolean => {
  const pathname = url.split(/[?#]/, 1)[0]!.replace(/\/+$/, "")
  return pathname.endsWith(path.replace(/\/+$/, ""))
}

const withOrigin = (response: Response, origin: string): Response => {
  const { vary } = response.headers
  return HttpServerResponse.setHeaders(response, {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After",
    vary: vary === undefined ? "Origin" : `${vary}, Origin`
  })
}

const preflight = (asked: string): Response =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": asked
        .split(",")
        .map((header) => header.trim().toLowerCase())
        .filter(isAllowed)
        .join(", "),
      "access-control-max-age": "7200"
    }
  })

/** Around everything: what is no page of these goes by untouched. */
export const letIn =
  (pages: ReadonlyArray<Pages>) =>
  <E, R>(app: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const { origin } = request.headers
      if (origin === undefined) return app
      if (!pages.some(({ origins, path }) => isAt(request.url, path) && origins.includes(origin))) return app
      HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
        Effect.succeed(withOrigin(response, origin))
      )
      return request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined
        ? Effect.succeed(preflight(request.headers["access-control-request-headers"] ?? ""))
        : app
    })

/** Lets the pages of an endpoint in: by its server where that asks, else as a middleware of its router. */
export const register = Effect.fnUntraced(function* (router: HttpRouter.HttpRouter, pages: Pages) {
  if (pages.origins.length === 0) return
  const server = yield* CurrentPages
  if (server === undefined) yield* router.addGlobalMiddleware(letIn([pages]))
  else server.push(pages)
})
