import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ResolveServer } from "effect-resolve"
import { peer } from "./fixtures.ts"
import { registrations } from "./shop.ts"

const page = "https://app.example"

const endpoint = (options: object = {}) =>
  ResolveServer.layerHttp({
    name: "Bookshop",
    version: "1.0.0",
    path: "/mcp",
    registrations,
    shutdownTimeout: 0,
    allowedOrigins: [page],
    ...options
  })

const asks = (origin: string) => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,mcp-protocol-version,mcp-param-region,x-other"
  }
})

/** Authentication in front of the endpoint, as a middleware of its routes. */
const authenticated = HttpRouter.middleware((route) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers.authorization === undefined ? Effect.succeed(HttpServerResponse.empty({ status: 401 })) : route
  )
)

describe("a web page of another origin", () => {
  it.effect(
    "that is listed gets what a browser asks for, and other headers than those of the protocol are not let in",
    () =>
      Effect.gen(function* () {
        const client = yield* peer(endpoint())
        const { headers, status } = yield* client.fetch(asks(page))
        assert.deepStrictEqual(
          [
            status,
            headers.get("access-control-allow-origin"),
            headers.get("access-control-allow-methods"),
            headers.get("access-control-allow-headers"),
            headers.get("vary")
          ],
          [
            204,
            page,
            "GET, POST, DELETE",
            "authorization, content-type, mcp-protocol-version, mcp-param-region",
            "Origin"
          ]
        )
      })
  )

  it.effect("that is listed reads its session, and why it is refused: 401, 404, 406", () =>
    Effect.gen(function* () {
      const open = yield* peer(endpoint())
      const seen = (response: { readonly status: number; readonly headers: Headers }) => [
        response.status,
        response.headers.get("access-control-allow-origin"),
        response.headers.get("access-control-expose-headers")?.includes("Mcp-Session-Id")
      ]
      const call = { jsonrpc: "2.0", id: 1, method: "ping" }
      assert.deepStrictEqual(seen(yield* open.send(call, { origin: page, "mcp-session-id": "dead" })), [
        404,
        page,
        true
      ])
      assert.deepStrictEqual(seen(yield* open.send(call, { origin: page, accept: "text/html" })), [406, page, true])
      const shut = yield* peer(Layer.provide(endpoint(), authenticated.layer))
      assert.deepStrictEqual(seen(yield* shut.send(call, { origin: page })), [401, page, true])
      assert.strictEqual((yield* shut.fetch(asks(page))).status, 204)
    })
  )

  it.effect("that is not listed gets nothing, and none does on another path or when none is listed", () =>
    Effect.gen(function* () {
      const other = HttpRouter.add("GET", "/other", HttpServerResponse.text("other"))
      const client = yield* peer(Layer.merge(endpoint(), other))
      for (const response of [
        yield* client.fetch(asks("https://evil.example")),
        yield* client.fetch({ ...asks("null") }),
        yield* (yield* peer(endpoint({ allowedOrigins: [] }))).fetch(asks(page)),
        yield* client.send({ jsonrpc: "2.0", id: 1, method: "ping" }, { origin: "https://evil.example" })
      ]) {
        assert.isAtLeast(response.status, 400)
        assert.isNull(response.headers.get("access-control-allow-origin"))
      }
    })
  )
})

const chromium = "/usr/bin/chromium"
const script = fileURLToPath(new URL("./page.ts", import.meta.url))

/** A page with the official client in it, on an origin of its own. */
const site = Effect.gen(function* () {
  const { build } = yield* Effect.promise(() => import("esbuild"))
  const built = yield* Effect.promise(() =>
    build({ entryPoints: [script], bundle: true, write: false, format: "esm", platform: "browser", logLevel: "silent" })
  )
  const code = built.outputFiles[0]!.text
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((request, response) =>
        request.url === "/page.js"
          ? response.writeHead(200, { "content-type": "text/javascript" }).end(code)
          : response
              .writeHead(200, { "content-type": "text/html" })
              .end('<!doctype html><script type="module" src="/page.js"></script>')
      )
    ),
    (server) => Effect.sync(() => server.close())
  )
  yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
})

const inChromium = Effect.gen(function* () {
  const { launch } = yield* Effect.promise(() => import("puppeteer-core"))
  const origin = yield* site
  const services = yield* Layer.build(ResolveServer.serve(endpoint({ allowedOrigins: [origin] }), { port: 0 }))
  const { address } = Context.get(services, HttpServer.HttpServer)
  const port = "port" in address ? address.port : 0
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => launch({ executablePath: chromium, args: ["--no-sandbox"] })),
    (browser) => Effect.promise(() => browser.close())
  )
  return yield* Effect.promise(async () => {
    const tab = await browser.newPage()
    await tab.goto(`${origin}/?mcp=${encodeURIComponent(`http://127.0.0.1:${port}/mcp`)}`)
    const said = await tab.waitForSelector("output", { timeout: 30_000 })
    return await said?.evaluate((element) => element.textContent)
  })
})

describe("a page in a browser", () => {
  const missing = !existsSync(chromium)
  it.live.skipIf(missing && process.env.CI === undefined)(
    `calls an asking tool with the official client${missing ? " (left out: there is no /usr/bin/chromium)" : ""}`,
    () => Effect.scoped(Effect.map(inChromium, (said) => assert.strictEqual(said, "Ordered."))),
    120_000
  )
})
