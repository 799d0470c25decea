import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Protocols, ResolveServer } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { bookshop } from "./plainServer.ts"

const server = { name: "Bookshop", version: "2.0.0", registrations: bookshop() }
const yes = Answer.accept({ confirm: true })

eras("a layer of yours that speaks HTTP serves any number of peers", (era) =>
  Effect.gen(function* () {
    const served = yield* Peer.serveHttp(ResolveServer.layerHttp({ ...server, path: "/mcp" }))
    const ann = yield* Peer.connect(served, { ...era, answers: { confirm: yes } })
    const bob = yield* Peer.connect(served, { ...era, answers: { confirm: Answer.decline } })
    assert.include((yield* ann.callTool("order")).text, "accept")
    assert.include((yield* bob.callTool("order")).text, "decline")
  })
)

eras("a layer of yours that speaks on stdio serves one peer", (era) =>
  Effect.gen(function* () {
    const served = yield* Peer.serveStdio(ResolveServer.layerStdio(server))
    const peer = yield* Peer.connect(served, { ...era, answers: { confirm: yes } })
    assert.include((yield* peer.callTool("order")).text, "accept")
    assert.include(JSON.stringify(yield* peer.discover), "Bookshop")
  })
)

it.effect("a server without the peer's version fails the test, and says what to look at", () =>
  Effect.gen(function* () {
    const exit = yield* Peer.make({
      registrations: bookshop(),
      protocols: [Protocols.v2025_11_25],
      protocol: "2025-06-18"
    }).pipe(Effect.scoped, Effect.exit)
    assert.include(String(exit), "The server answered initialize for 2025-06-18 with 2025-11-25")
  })
)

eras.of("2025-11-25", "2025-06-18")("an answer that is an error reaches an old server as a JSON-RPC error", (era) =>
  Effect.gen(function* () {
    const answers = { confirm: Answer.error(-1, "User rejected", { why: "busy" }) }
    const peer = yield* Peer.make({ ...era, registrations: bookshop(), answers })
    assert.include((yield* peer.callTool("order")).text, "refused")
    const sent = peer.transcript.find(({ from, message }) => from === "client" && message.error !== undefined)
    assert.deepStrictEqual(sent?.message.error, { code: -1, message: "User rejected", data: { why: "busy" } })
  })
)

eras("a notification is sent as it is given", (era) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ ...era, registrations: bookshop() })
    yield* peer.notify("notifications/cancelled", { requestId: 999 })
    assert.strictEqual((yield* peer.callTool("echo", { still: 1 })).text, '{"still":1}')
    assert.include(peer.render(), "-> - notifications/cancelled")
  })
)
