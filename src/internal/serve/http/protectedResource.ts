/**
 * What a client needs to find out where its token comes from: the metadata of a protected resource, and the challenge
 * that points at it.
 */
import { Context, Effect } from "effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

type Response = HttpServerResponse.HttpServerResponse

export interface Resource {
  readonly resource: string
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string> | undefined
}

const wellKnown = "/.well-known/oauth-protected-resource"

const pathOf = (resource: string): string => new URL(resource).pathname.replace(/\/+$/, "")

/** Where the metadata stands: the path of the resource follows the well-known one. */
const metadataPath = ({ resource }: Resource): HttpRouter.PathInput => `${wellKnown}${pathOf(resource)}` as "/"

export const challengeOf = (resource: Resource, error?: string): string => {
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${new URL(resource.resource).origin}${metadataPath(resource)}"`,
    ...(resource.scopes === undefined || resource.scopes.length === 0 ? [] : [`scope="${resource.scopes.join(" ")}"`])
  ]
  return `Bearer ${parts.join(", ")}`
}

const metadata = ({ authorizationServers, resource, scopes }: Resource): Response =>
  HttpServerResponse.jsonUnsafe(
    {
      resource,
      authorization_servers: authorizationServers,
      ...(scopes === undefined ? {} : { scopes_supported: scopes }),
      bearer_methods_supported: ["header"]
    },
    // public, and read by pages before they have a token
    { headers: { "access-control-allow-origin": "*" } }
  )

/** Whatever answers 401 on the path of the resource says where a token comes from, unless it says so itself. */
const challenged =
  (resource: Resource) =>
  <E, R>(app: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.withFiber((fiber) => {
      const { url } = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      if (url.split(/[?#]/, 1)[0]!.replace(/\/+$/, "") === pathOf(resource.resource)) {
        HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
          Effect.succeed(
            response.status === 401 && response.headers["www-authenticate"] === undefined
              ? HttpServerResponse.setHeader(response, "www-authenticate", challengeOf(resource))
              : response
          )
        )
      }
      return app
    })

export const addResource = Effect.fnUntraced(function* (router: HttpRouter.HttpRouter, resource: Resource) {
  yield* router.addGlobalMiddleware(challenged(resource))
  yield* router.add("GET", metadataPath(resource), metadata(resource))
})
