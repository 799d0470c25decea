/**
 * Random graphs do in every round what the rules say, on 2025-11-25, on 2026-07-28 with a new server for every round,
 * and in process: which bodies begin, which come to their end, what is asked, how the call ends, what finalizers see.
 */
import { it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { hold, timeout } from "./check.ts"
import * as Graph from "./graph.ts"
import { wrong } from "./graphs.ts"

for (const seed of [1, 2]) {
  it.effect(
    `250 graphs begin each body at most once a round and a durable one at most once a call, and end as their oracle says (seed ${seed})`,
    () => hold(Graph.graph, Graph.show, { seed, runs: 250 }, wrong).pipe(Effect.provide(Logger.layer([]))),
    timeout
  )
}
