import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { RequestState, ResolveServer } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { Authentication, registrations } from "../../examples/09-identity.ts"
import { Tokens } from "../../examples/tokens.ts"
import { asked, completed } from "../rules/kit.ts"

const issuer = "https://login.example"
const audience = "https://bookshop.example/mcp"

const keys = Effect.promise(async () => {
  const [own, foreign] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")])
  return { own, foreign, jwks: { keys: [{ ...(await exportJWK(own.publicKey)), alg: "ES256", kid: "1" }] } }
})

interface Claims {
  readonly sub?: string
  readonly iss?: string
  readonly aud?: string
  /** Seconds since the epoch. */
  readonly exp?: number
  readonly key?: "own" | "foreign"
}

const shop = Effect.gen(function* () {
  const { jwks, ...pairs } = yield* keys
  let count = 0
  const bearer = ({ sub = "ann", iss = issuer, aud = audience, exp = 300, key = "own" }: Claims) =>
    Effect.promise(async () => {
      const jwt = new SignJWT({ jti: `${++count}` }).setProtectedHeader({ alg: "ES256", kid: "1" })
      const claims = jwt.setIssuer(iss).setAudience(aud).setSubject(sub)
      return `Bearer ${await (exp === Infinity ? claims : claims.setExpirationTime(exp)).sign(pairs[key].privateKey)}`
    })
  const app = ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations }).pipe(
    Layer.provide(Authentication),
    Layer.provide(Tokens.layer(jwks, issuer, audience))
  )
  return { app, bearer }
})

const order = { name: "order_book", arguments: { title: "Dune" } }
const yes = { "bookshop/ConfirmOrder": Answer.accept({ confirm: true }) }

describe("09: identity", () => {
  const bad: ReadonlyArray<readonly [string, Claims]> = [
    ["of another issuer", { iss: "https://evil.example" }],
    ["for another audience", { aud: "https://other.example" }],
    ["signed by another key", { key: "foreign" }],
    ["that has expired", { exp: -1 }],
    ["that never expires", { exp: Infinity }]
  ]
  for (const [how, claims] of bad) {
    it.effect(`09: a token ${how} is answered with 401 and WWW-Authenticate, whatever the request is for`, () =>
      Effect.gen(function* () {
        const { app, bearer } = yield* shop
        const server = yield* Peer.serveHttp(app)
        const peer = yield* Peer.connect(server, { headers: { authorization: yield* bearer({}) } })
        const authorization = yield* bearer(claims)
        for (const method of ["POST", "GET", "DELETE"]) {
          const reply = yield* peer.http({
            method,
            headers: { authorization },
            ...(method === "POST" ? { body: "{}" } : {})
          })
          assert.strictEqual(reply.status, 401)
          assert.strictEqual(reply.headers["www-authenticate"], `Bearer realm="bookshop", error="invalid_token"`)
          assert.strictEqual(reply.body, "")
        }
      })
    )
  }

  it.effect("09: without a token, or with one that is none, the answer is 401 and WWW-Authenticate", () =>
    Effect.gen(function* () {
      const { app, bearer } = yield* shop
      const server = yield* Peer.serveHttp(app)
      const peer = yield* Peer.connect(server, { headers: { authorization: yield* bearer({}) } })
      const without = yield* peer.http({ body: "{}", headers: { authorization: undefined } })
      assert.strictEqual(without.status, 401)
      assert.strictEqual(without.headers["www-authenticate"], `Bearer realm="bookshop"`)
      const basic = yield* peer.http({ body: "{}", headers: { authorization: "Basic YW5uOg==" } })
      assert.strictEqual(basic.status, 401)
      const none = yield* peer.http({ body: "{}", headers: { authorization: "Bearer a.b.c" } })
      assert.strictEqual(none.headers["www-authenticate"], `Bearer realm="bookshop", error="invalid_token"`)
    })
  )

  it.effect("09: a listen stream is refused before its acknowledgement", () =>
    Effect.gen(function* () {
      const { app, bearer } = yield* shop
      const server = yield* Peer.serveHttp(app)
      const headers = { authorization: yield* bearer({ exp: 60 }) }
      const peer = yield* Peer.connect(server, { headers })
      yield* peer.subscribe({ toolsListChanged: true })
      yield* TestClock.adjust("2 minutes")
      const listen = {
        jsonrpc: "2.0",
        id: "late",
        method: "subscriptions/listen",
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        }
      }
      const refused = yield* peer.http({
        body: JSON.stringify(listen),
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" }
      })
      assert.strictEqual(refused.status, 401)
      assert.deepStrictEqual(refused.messages, [])
    })
  )

  eras("09: a resolver and the tool see who calls, and each caller is their own", (era) =>
    Effect.gen(function* () {
      const { app, bearer } = yield* shop
      const server = yield* Peer.serveHttp(app)
      for (const sub of ["ann", "bob"]) {
        const headers = { authorization: yield* bearer({ sub }) }
        const peer = yield* Peer.connect(server, { ...era, headers, answers: yes })
        assert.strictEqual((yield* peer.callTool("order_book", order.arguments)).text, `Ordered 'Dune' for ${sub}.`)
        assert.strictEqual(peer.questions[0]?.message, `Order 'Dune' on the account of ${sub}?`)
        const [tool] = yield* peer.listTools
        assert.deepStrictEqual(Object.keys(tool.inputSchema.properties), ["title"])
      }
    })
  )

  it.effect("09: B cannot redeem A's state; A can, with a token refreshed in the meantime", () =>
    Effect.gen(function* () {
      const { app, bearer } = yield* shop
      const server = yield* Peer.serveHttp(app)
      const peer = yield* Peer.connect(server, { headers: { authorization: yield* bearer({ exp: 60 }) } })
      const first = asked(yield* peer.once("tools/call", order))
      const retry = (authorization: string) => peer.retry(first, { inputResponses: yes, headers: { authorization } })
      const refused = yield* Effect.flip(retry(yield* bearer({ sub: "bob" })))
      assert.deepInclude(refused, {
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "invalid_request_state" }
      })
      // the first token has run out, which ends a request but not the call
      yield* TestClock.adjust("2 minutes")
      const reply = yield* peer.http({ body: "{}" })
      assert.strictEqual(reply.status, 401)
      const done = completed(yield* retry(yield* bearer({ exp: 600 })))
      assert.strictEqual(done.content[0].text, "Ordered 'Dune' for ann.")
    })
  )

  eras.of("2025-11-25", "2025-06-18")("09: B has no part in A's session, and cannot answer A's question", (era) =>
    Effect.gen(function* () {
      const { app, bearer } = yield* shop
      const server = yield* Peer.serveHttp(app)
      const connect = (sub: string, answers: Peer.ClientOptions["answers"]) =>
        Effect.flatMap(bearer({ sub, exp: 60 }), (authorization) =>
          Peer.connect(server, { ...era, headers: { authorization }, answers })
        )
      const ann = yield* connect("ann", { "bookshop/ConfirmOrder": Answer.never })
      const bob = yield* connect("bob", {})
      const call = yield* Effect.forkChild(ann.callTool("order_book", order.arguments))
      yield* ann.settle
      const question = ann.transcript.find(({ message }) => message.method === "elicitation/create")!
      const accept = JSON.stringify({
        jsonrpc: "2.0",
        id: question.message.id,
        result: { action: "accept", content: { confirm: true } }
      })
      const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" })
      const headers = { "mcp-session-id": ann.sessionId }
      for (const init of [{ body: accept }, { body: list }, { method: "GET" }, { method: "DELETE" }]) {
        const reply = yield* bob.http({ ...init, headers })
        assert.deepStrictEqual([reply.status, reply.messages[0]?.error?.message], [404, "Session not found"])
      }
      yield* ann.settle
      assert.isUndefined(call.pollUnsafe())

      // the session is ann's, whatever token she holds by now
      yield* TestClock.adjust("2 minutes")
      const authorization = yield* bearer({ exp: 600 })
      assert.strictEqual((yield* ann.http({ body: accept, headers: { authorization } })).status, 202)
      assert.strictEqual((yield* Fiber.join(call)).text, "Ordered 'Dune' for ann.")
    })
  )

  it.effect("a session opened for what is no principal is nobody's", () =>
    Effect.gen(function* () {
      const nonsense = HttpRouter.middleware(
        Effect.provideService(RequestState.Principal, Option.some(7 as unknown as string)),
        { global: true }
      )
      const plain = ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp" })
      const server = yield* Peer.serveHttp(Layer.provide(plain, nonsense))
      const peer = yield* Peer.connect(server, { protocol: "2025-11-25" })
      assert.isDefined(peer.sessionId)
      const reply = yield* peer.http({ body: JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }) })
      assert.deepStrictEqual([reply.status, reply.messages[0]?.error?.message], [404, "Session not found"])
    })
  )

  it.effect("09: on stdio, where nobody is known, the call is refused", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ registrations, transport: "stdio" })
      const refused = yield* Effect.flip(peer.callTool("order_book", order.arguments))
      assert.strictEqual(refused.message, "Not authenticated")
      assert.deepStrictEqual(peer.questions, [])
    })
  )
})

describe("09: identity, over a socket", () => {
  for (const mode of ["2026-07-28", "2025-11-25"] as const) {
    it.live(`09: the official client is refused without a token, and refreshes it between two rounds [${mode}]`, () =>
      Effect.gen(function* () {
        const { app, bearer } = yield* shop
        const scope = yield* Scope.fork(yield* Effect.scope)
        const services = yield* Layer.buildWithScope(ResolveServer.serve(app, { port: 0 }), scope)
        const { address } = Context.get(services, HttpServer.HttpServer)
        if (!("port" in address)) return assert.fail("not a port")
        const url = new URL(`http://127.0.0.1:${address.port}/mcp`)

        const soon = Math.floor((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) / 1000) + 600
        let authorization: string | undefined
        const statuses: Array<number> = []
        const connect = async () => {
          const client = new Client(
            { name: "official", version: "1.0.0" },
            {
              capabilities: { elicitation: { form: {} } },
              versionNegotiation: { mode: mode === "2026-07-28" ? { pin: mode } : "legacy" }
            }
          )
          const transport = new StreamableHTTPClientTransport(url, {
            fetch: async (input, init) => {
              const headers = new Headers(init?.headers)
              if (authorization !== undefined) headers.set("authorization", authorization)
              const response = await fetch(input, { ...init, headers })
              statuses.push(response.status)
              return response
            }
          })
          client.setRequestHandler("elicitation/create", async () => {
            // another token of the same person, as a client that refreshes would hold by now
            authorization = await Effect.runPromise(bearer({ exp: soon }))
            return { action: "accept", content: { confirm: true } }
          })
          await client.connect(transport)
          return client
        }
        const refused = yield* Effect.exit(Effect.tryPromise(connect))
        assert.isTrue(Exit.isFailure(refused))
        assert.include(statuses, 401)

        authorization = yield* bearer({ exp: soon })
        const first = authorization
        const client = yield* Effect.acquireRelease(Effect.promise(connect), (client) =>
          Effect.promise(() => client.close())
        )
        const result: any = yield* Effect.promise(() => client.callTool(order))
        assert.strictEqual(result.content[0].text, "Ordered 'Dune' for ann.")
        assert.notStrictEqual(authorization, first)
      })
    )
  }
})
