/** What `eras` compares: the outcomes of one test. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { comparison } from "../../src/testing/internal/comparison.ts"

it.effect("another outcome on a further version dies with both; the same one, or none, does not", () =>
  Effect.gen(function* () {
    const same = comparison<unknown>("orders a book")
    yield* same("2026-07-28", { text: "Ordered.", asked: ["a", "b"] })
    yield* same("2025-11-25", { text: "Ordered.", asked: ["a", "b"] })
    yield* same("2025-06-18", undefined)
    const exit = yield* Effect.exit(same("2025-03-26", { text: "Ordered.", asked: ["b", "a"] }))
    const message = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
    assert.include(message, "'orders a book' comes out otherwise")
    assert.include(message, "2025-03-26")
  })
)
