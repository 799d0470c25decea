/**
 * Random bodies do the same on 2025-11-25, on 2026-07-28 with another server for every round, and in process: the same
 * text, the same effects, and no question is put again that had a good answer.
 */
import { it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as Body from "./body.ts"
import { hold, timeout } from "./check.ts"
import { difference, drivers } from "./drive.ts"

const quiet = Effect.provide(Logger.layer([]))

for (const seed of [1, 2, 3, 4]) {
  it.effect(
    `500 bodies give the same text and effects on both protocols and in process, and ask for nothing twice (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const ways = yield* drivers({ servers: 8 })
        yield* hold(Body.program, Body.show, { seed, runs: 500 }, (program) => difference(ways, program))
      }).pipe(quiet),
    timeout
  )
}

it.effect(
  "so do 100 bodies of which every round comes to a server that was just started",
  () =>
    hold(Body.program, Body.show, { seed: 5, runs: 100 }, (program) =>
      Effect.flatMap(drivers({ servers: "new" }), (ways) => difference(ways, program))
    ).pipe(quiet),
  timeout
)
