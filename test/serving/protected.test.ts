import { assert, describe, it } from "@effect/vitest"
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ResolveServer } from "effect-resolve"
import { peer } from "./fixtures.ts"
import { registrations } from "./shop.ts"

const resource = {
  resource: "http://localhost/mcp",
  authorizationServers: ["https://login.example"],
  scopes: ["books:read", "books:order"]
}

const endpoint = ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations })

const checked = HttpRouter.middleware((route) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers.authorization === "Bearer good"
      ? route
      : Effect.succeed(
          headers.authorization === "Bearer poor"
            ? ResolveServer.insufficientScope(resource)
            : HttpServerResponse.empty({ status: 401 })
        )
  )
)

const server = Layer.merge(Layer.provide(endpoint, checked.layer), ResolveServer.layerProtectedResource(resource))

const message = { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} }

describe("a protected resource", () => {
  it.effect("says with each refusal where a token comes from, as the official client reads it", () =>
    Effect.gen(function* () {
      const client = yield* peer(server)
      const params = ({ headers, status }: { readonly headers: Headers; readonly status: number }) => ({
        status,
        ...extractWWWAuthenticateParams(new Response(null, { status, headers }))
      })
      const none = params(yield* client.send(message))
      assert.deepStrictEqual(
        [none.status, String(none.resourceMetadataUrl), none.scope, none.error],
        [401, "http://localhost/.well-known/oauth-protected-resource/mcp", "books:read books:order", undefined]
      )
      const poor = params(yield* client.send(message, { authorization: "Bearer poor" }))
      assert.deepStrictEqual(
        [poor.status, poor.error, poor.scope],
        [403, "insufficient_scope", "books:read books:order"]
      )
      const good = yield* client.send(message, { authorization: "Bearer good" })
      assert.isNull(good.headers.get("www-authenticate"))
    })
  )

  it.effect("has its metadata at the well-known path, for anyone", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(Layer.provideMerge(server, HttpRouter.layer))
      const request = HttpServerRequest.fromWeb(
        new Request("http://localhost/.well-known/oauth-protected-resource/mcp")
      )
      const response = yield* Context.get(context, HttpRouter.HttpRouter)
        .asHttpEffect()
        .pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request), Effect.scoped)
      const web = HttpServerResponse.toWeb(response)
      assert.deepStrictEqual(yield* Effect.promise(() => web.json()), {
        resource: "http://localhost/mcp",
        authorization_servers: ["https://login.example"],
        scopes_supported: ["books:read", "books:order"],
        bearer_methods_supported: ["header"]
      })
      assert.strictEqual(web.headers.get("access-control-allow-origin"), "*")
    })
  )
})
