/** One refusal of a bad state, counted and logged alike whatever it was sent to (I8). */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Logger, Metric } from "effect"
import { Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { tool } from "./kit.ts"

const registrations = Layer.mergeAll(
  tool("known", {}, () => Effect.succeed("done")),
  Resolve.prompt({ name: "known", content: () => Effect.succeed("hello") }),
  Resolve.resource({ uri: "x://known", name: "known", content: Effect.succeed("text") })
)

const requests = {
  "tools/call": (name: string) => ({ name, arguments: {} }),
  "prompts/get": (name: string) => ({ name }),
  "resources/read": (name: string) => ({ uri: `x://${name}` })
}

/** How often a state was refused for a reason. */
const counted = (reason: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics
      .filter(({ attributes, id }) => id === "effect_resolve_rejected_state" && attributes?.reason === reason)
      .map(({ state }) => Number((state as { readonly count: number | bigint }).count))
  )

describe("I8", () => {
  for (const method of Object.keys(requests) as Array<keyof typeof requests>) {
    for (const name of ["known", "unknown"]) {
      for (const [what, requestState, reason] of [
        ["a text", "forged", "malformed"],
        ["a number", 7, "not a string"],
        ["a list", [], "not a string"]
      ] as const) {
        eras.of("2026-07-28")(
          `I8: a state that is ${what}, sent to ${method} of ${name === "known" ? "a known" : "an unknown"} name, is refused, counted once and one line of the log`,
          (era) =>
            Effect.gen(function* () {
              const lines: Array<string> = []
              const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
              const error = yield* Effect.gen(function* () {
                const peer = yield* Peer.make({ ...era, registrations })
                return yield* Effect.flip(peer.once(method, { ...requests[method](name), requestState }))
              }).pipe(Effect.provide(logger))
              assert.include(JSON.stringify(error), "invalid_request_state")
              assert.deepStrictEqual(yield* counted(reason), [1])
              const told = lines.filter((line) => line.includes("rejected"))
              assert.strictEqual(told.length, 1)
              assert.include(told[0], `requestState rejected on ${method}: ${reason}`)
              assert.notInclude(told[0], "\\n")
            }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
        )
      }
    }
  }
})
