/** What the generators of this folder once found, as small as they made it. */
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { Body, Program } from "./body.ts"
import { difference, drivers } from "./drive.ts"

const form = (id: number): Body => ({ _: "form", id, bad: [] })
const call = (id: number, body: Body): Body => ({ _: "nested", id, body })
const par = (mode: "fast" | "validate", ...items: ReadonlyArray<Body>): Body => ({ _: "par", items, mode })

const found: { readonly [title: string]: Body } = {
  "a call beside another one that fails while it asks does not keep a third question from being put": par(
    "validate",
    par("fast", call(1, form(2)), call(3, { _: "fail" })),
    form(4)
  )
}

for (const [title, a] of Object.entries(found)) {
  it.effect(title, () =>
    Effect.gen(function* () {
      const ways = yield* drivers({ servers: 4 })
      const program: Program = { place: "one", a, b: { _: "value", value: "v" } }
      assert.isUndefined(yield* difference(ways, program))
    }).pipe(Effect.provide(Logger.layer([])))
  )
}
