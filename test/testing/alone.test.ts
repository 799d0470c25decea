/** `effect-resolve/peer`: the client by itself, for programs that have no vitest. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { Peer } from "effect-resolve/peer"
import * as Testing from "effect-resolve/testing"

it("nothing that effect-resolve/peer loads imports vitest", () => {
  const seen = new Set<string>()
  const foreign = new Set<string>()
  const read = (url: URL): void => {
    if (seen.has(url.href)) return
    seen.add(url.href)
    for (const [, name] of readFileSync(url, "utf8").matchAll(/^(?:import|export) (?!type ).*from "([^"]+)"$/gm)) {
      if (name!.startsWith(".")) read(new URL(name!, url))
      else foreign.add(name!)
    }
  }
  read(new URL("../../src/testing/alone.ts", import.meta.url))
  assert.isTrue([...seen].some((file) => file.endsWith("/Peer.ts")))
  assert.deepStrictEqual(
    [...foreign].filter((name) => name.includes("vitest")),
    []
  )
})

it.effect("its client is the one of the test kit", () =>
  Effect.gen(function* () {
    assert.strictEqual(Peer.make, Testing.Peer.make)
    const Shop = Toolkit.make(Resolve.tool("quiet"))
    const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(Shop.toLayer({ quiet: () => Effect.void })))
    const peer = yield* Peer.make({ registrations })
    assert.isFalse((yield* peer.callTool("quiet")).isError)
  })
)
