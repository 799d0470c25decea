/** Examples 06 to 08 under the official clients, v1 and v2, over stdio and over HTTP, on both eras. */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { ResolveServer } from "effect-resolve"
import * as SearchBooks from "../../examples/06-search-books.ts"
import * as DescribeCatalog from "../../examples/07-describe-catalog.ts"
import * as Recommendations from "../../examples/08-recommendations.ts"
import { connect, type Negotiation, type Peer, type Reply, type Target, type Version } from "../interop/clients.ts"

const clients: ReadonlyArray<readonly [Negotiation, Version]> = [
  ["v1", "2025-11-25"],
  ["v2 legacy", "2025-11-25"],
  ["v2 pin", "2026-07-28"]
]

const examples = {
  "06-search-books.ts": SearchBooks.registrations,
  "07-describe-catalog.ts": DescribeCatalog.registrations,
  "08-recommendations.ts": Recommendations.registrations
}

const http = Effect.fnUntraced(function* (example: keyof typeof examples) {
  const registrations = examples[example]
  const app = ResolveServer.layerHttp({ name: "Bookshop", version: "1.0.0", path: "/mcp", registrations })
  const { address } = Context.get(yield* Layer.build(ResolveServer.serve(app, { port: 0 })), HttpServer.HttpServer)
  if (!("port" in address)) return yield* Effect.die("not a port")
  return { transport: "http", url: `http://127.0.0.1:${address.port}/mcp` } satisfies Target
})

const stdio = (example: keyof typeof examples): Target => ({
  transport: "stdio",
  protocols: [],
  server: [fileURLToPath(new URL("server.ts", import.meta.url)), example]
})

const said = (text: string): Reply => ({ kind: "result", isError: false, text, structured: undefined })

/** One test for each client and transport. */
const cells = (title: string, example: keyof typeof examples, test: (peer: Peer) => Promise<void>) => {
  for (const transport of ["stdio", "http"] as const) {
    for (const [mode, version] of clients) {
      it.live(
        `${title} [${mode}, ${transport}, ${version}]`,
        () =>
          Effect.gen(function* () {
            const target = transport === "http" ? yield* http(example) : stdio(example)
            const peer = yield* Effect.acquireRelease(
              Effect.promise(() => connect(mode, target, version)),
              (peer) => Effect.promise(() => peer.close())
            )
            assert.strictEqual(peer.version, version)
            yield* Effect.promise(() => test(peer))
            assert.deepStrictEqual(peer.errors, [])
          }),
        30_000
      )
    }
  }
}

describe("official clients", () => {
  cells("06: the request id is the client's own", "06-search-books.ts", async (peer) => {
    assert.deepStrictEqual(await peer.tools(), [{ name: "search_books", arguments: ["query"] }])
    const replies: Array<Reply> = []
    // a client counts its requests itself: one of these is its third
    for (let count = 0; count < 4; count++) replies.push(await peer.call("search_books", { query: "dune" }))
    assert.deepInclude<Reply>(replies, said("[request 3] Found 3 books matching 'dune'."))
  })

  cells("07: a tool reads the server's own resource", "07-describe-catalog.ts", async (peer) => {
    assert.deepStrictEqual(await peer.tools(), [{ name: "describe_catalog", arguments: [] }])
    assert.deepStrictEqual(
      await peer.call("describe_catalog"),
      said("The catalog is organised into: fiction, non-fiction, poetry")
    )
    assert.deepStrictEqual(await peer.read("catalog://genres"), said("fiction, non-fiction, poetry"))
  })

  cells("08: a tool is enabled while serving, and the client is told once", "08-recommendations.ts", async (peer) => {
    const listChanged = "notifications/tools/list_changed"
    await peer.subscribe("shop://none").catch(() => undefined)
    assert.deepStrictEqual(await peer.call("recommend_book", { genre: "fantasy" }), {
      kind: "error",
      code: -32602,
      message: "Unknown tool: recommend_book",
      data: undefined
    })
    peer.reset()
    assert.deepStrictEqual(await peer.call("enable_recommendations"), said("Recommendations are now available."))
    await peer.notified(listChanged)
    assert.deepStrictEqual(await peer.call("recommend_book", { genre: "fantasy" }), said("In fantasy, try Dune."))
    assert.sameDeepMembers(
      [...(await peer.tools())],
      [
        { name: "enable_recommendations", arguments: [] },
        { name: "disable_recommendations", arguments: [] },
        { name: "recommend_book", arguments: ["genre"] }
      ]
    )
    assert.lengthOf(
      peer.notifications.filter(({ method }) => method === listChanged),
      1
    )
    peer.reset()
    assert.deepStrictEqual(await peer.call("disable_recommendations"), said("Recommendations are gone."))
    await peer.notified(listChanged)
    assert.notInclude(
      (await peer.tools()).map(({ name }) => name),
      "recommend_book"
    )
  })
})
