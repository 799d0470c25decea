/** The pages' own examples, run: the tests they show, and what they say about the programs they show. */
import "../../examples/rounds.test.ts"
import "../../examples/shop.test.ts"
import "../../examples/unit.test.ts"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { Answer, eras, Peer } from "effect-resolve/testing"
import * as Durable from "../../examples/10-durable.ts"
import { toolkits } from "../../examples/graph.ts"
import { server } from "../../examples/serve.ts"
import { server as traced } from "../../examples/traced.ts"

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

describe("the README's program", () => {
  it.live.each(["2026-07-28", "2025-11-25"] as const)("main.ts serves an official client on %s", (era) =>
    Effect.promise(async () => {
      const client = new Client(
        { name: "docs", version: "1.0.0" },
        {
          capabilities: { elicitation: { form: {} } },
          versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" }
        }
      )
      const asked: Array<string> = []
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push(params.message)
        return { action: "accept", content: { confirm: true } }
      })
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: ["--import", "tsx", file("examples/main.ts")],
          stderr: "inherit"
        })
      )
      const result = await client.callTool({ name: "order_book", arguments: { title: "Emma" } })
      await client.close()
      assert.deepStrictEqual(result.content, [{ type: "text", text: "Ordered 'Emma'; it arrives in 2-3 weeks." }])
      assert.deepStrictEqual(asked, ["'Emma' is out of stock. Order anyway?"])
    })
  )
})

describe("10: durable", () => {
  eras("10: the id that was shown is the id that is placed", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: Durable.registrations,
        answers: { "bookshop/ConfirmOrder": Answer.accept({ confirm: true }) }
      })
      const { text } = yield* peer.callTool("order_book", { title: "Dune" })
      const [question] = peer.questions
      assert.strictEqual(question?.message, text.replace("Placed", "Place").replace(".", "?"))
      assert.match(text, /^Placed [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} for 'Dune'\.$/)
    })
  )
})

describe("serve.ts", () => {
  const keys = ConfigProvider.layer(
    ConfigProvider.fromUnknown({ STATE_KEYS: "a-secret-of-at-least-thirty-two-bytes!" })
  )

  it.live("serves over HTTP, and refuses a name that it does not answer to", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(server(0).pipe(Layer.provide(keys)))
      const { address } = Context.get(context, HttpServer.HttpServer)
      assert.isTrue("port" in address)
      const url = `http://127.0.0.1:${"port" in address ? address.port : 0}/mcp`
      const post = (path: string) =>
        Effect.promise(() => fetch(path, { method: "POST", body: "{}", headers: { origin: "https://evil.example" } }))
      assert.strictEqual((yield* post(url)).status, 403)
    })
  )

  it.effect("does not start without its keys, and says which setting is missing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(server(0).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))))))
      )
      assert.include(String(error), "STATE_KEYS")
    })
  )
})

describe("traced.ts", () => {
  it.live("sends a span for the round, the call and the resolver to the collector, and the counters", () =>
    Effect.gen(function* () {
      const received = new Map<string, string>()
      const collector = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          received.set(request.url!, (received.get(request.url!) ?? "") + body)
          response.end("{}")
        })
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void collector.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => void collector.close())
      )
      const { port } = collector.address() as AddressInfo
      yield* Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.connect(yield* Peer.serveStdio(traced(`http://127.0.0.1:${port}`)), {
            answers: { "bookshop/Delivery": Answer.accept({ confirm: true }) }
          })
          yield* peer.callTool("order_book", { title: "Emma" })
        })
      )
      for (const name of ["Resolve.round", "Resolve.call", "Resolver/bookshop/Delivery"]) {
        assert.include(received.get("/v1/traces"), `"${name}"`)
      }
      assert.include(received.get("/v1/metrics"), '"effect_resolve_questions"')
    })
  )
})

describe("npm run graph", () => {
  it.live("draws every example that has resolvers, durable ones marked", () =>
    Effect.gen(function* () {
      const text = yield* Effect.callback<string>((resume) => {
        const child = spawn(process.execPath, ["--import", "tsx", file("examples/graph.ts")])
        let text = ""
        child.stdout.on("data", (chunk) => (text += chunk))
        child.on("close", () => resume(Effect.succeed(text)))
      })
      for (const [example] of toolkits) assert.include(text, `%% ${example}\nflowchart LR\n`)
      assert.include(text, '[("bookshop/OrderId #40;durable#41;")]')
      assert.include(text, '-->|".result"|')
    })
  )
})
