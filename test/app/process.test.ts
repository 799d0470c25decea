/** The template app as its container runs it: settings from the environment, keys by URL, traces to a collector. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import * as Parts from "../replicas/parts.ts"
import * as Postgres from "./postgres.ts"

const main = fileURLToPath(new URL("../../examples/app/main.ts", import.meta.url))

/** A server of what is not this program: the issuer's keys, the collector of traces. */
const outside = (keys: object) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received = new Map<string, string>()
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          received.set(request.url!, (received.get(request.url!) ?? "") + body)
          response.end(request.url === "/keys" ? JSON.stringify(keys) : "{}")
        })
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return { server, received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

describe("the template app's process", () => {
  it.live("migrates, checks tokens by the issuer's keys, serves the official client, ends with its traces sent", () =>
    Effect.gen(function* () {
      const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair("ES256"))
      const jwk = yield* Effect.promise(() => exportJWK(publicKey))
      const { received, url } = yield* outside({ keys: [{ ...jwk, alg: "ES256", kid: "1" }] })
      const port = yield* Effect.promise(Parts.freePort)
      const child = spawn(process.execPath, ["--import", "tsx", main], {
        stdio: ["ignore", "inherit", "inherit"],
        env: {
          ...process.env,
          DATABASE_URL: yield* Postgres.create,
          PUBLIC_URL: `http://127.0.0.1:${port}`,
          STATE_KEYS: "a-secret-of-at-least-thirty-two-bytes!",
          TOKEN_ISSUER: "https://login.example",
          TOKEN_AUDIENCE: "bookshop",
          TOKEN_KEYS_URL: `${url}/keys`,
          OTLP_URL: url,
          PORT: `${port}`
        }
      })
      yield* Effect.promise(async () => {
        await Parts.listening(port, child, () => "the app did not start")
        const token = await new SignJWT({})
          .setProtectedHeader({ alg: "ES256", kid: "1" })
          .setIssuer("https://login.example")
          .setAudience("bookshop")
          .setSubject("ann")
          .setExpirationTime("5 minutes")
          .sign(privateKey)
        const client = new Client(
          { name: "app", version: "1.0.0" },
          { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } }
        )
        client.setRequestHandler("elicitation/create", async ({ params }) => ({
          action: "accept",
          content: params.message.startsWith("Where") ? { street: "Mill Lane 3", city: "Bath" } : { confirm: true }
        }))
        const requestInit = { headers: { authorization: `Bearer ${token}` } }
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit })
        )
        const result = await client.callTool({ name: "order_book", arguments: { title: "Dune", copies: 1 } })
        assert.include(JSON.stringify(result.structuredContent), `"total":1200`)
        await client.close()
        const ended = once(child, "close")
        child.kill("SIGTERM")
        await ended
      }).pipe(Effect.ensuring(Effect.sync(() => child.kill("SIGKILL"))))
      assert.include(received.get("/v1/traces"), "Resolver/app/Consent")
    })
  )
})
