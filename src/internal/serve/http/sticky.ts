/**
 * The name of a replica in the ids of its sessions, for a balancer to route by: `r1.` and the id that effect/ai has made.
 * Behind this only the latter is known.
 */
import { Effect } from "effect"
import type { HttpRouter } from "effect/http"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

type Request = HttpServerRequest.HttpServerRequest
type Headers = Request["headers"]

const sessionHeader = "mcp-session-id"

export const isName = (replica: string): boolean => /^[A-Za-z0-9_-]{1,32}$/.test(replica)

/** An id of another replica, or of none, is one that nobody has given here. */
const received = (prefix: string, request: Request): Request => {
  const id = request.headers[sessionHeader]
  if (id === undefined) return request
  const own = id.startsWith(prefix) ? id.slice(prefix.length) : `?${id}`
  return request.modify({ headers: { ...request.headers, [sessionHeader]: own } as Headers })
}

const sent = (prefix: string, response: HttpServerResponse.HttpServerResponse) => {
  const id = response.headers[sessionHeader]
  return id === undefined || id.startsWith(prefix)
    ? response
    : HttpServerResponse.setHeader(response, sessionHeader, prefix + id)
}

/** A router whose routes know sessions by their ids without the name. */
export const named = (router: HttpRouter.HttpRouter, replica: string): HttpRouter.HttpRouter => {
  const prefix = `${replica}.`
  return {
    ...router,
    add: (method, path, handler, options) => {
      if (typeof handler !== "function") return router.add(method, path, handler, options)
      return router.add(
        method,
        path,
        (request) => {
          const known = received(prefix, request)
          return Effect.tap(
            Effect.provideService(handler(known), HttpServerRequest.HttpServerRequest, known),
            Effect.withFiber((fiber) => {
              // after all who set the header, or note what it is
              HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
                Effect.succeed(sent(prefix, response))
              )
              return Effect.void
            })
          )
        },
        options
      )
    }
  }
}
