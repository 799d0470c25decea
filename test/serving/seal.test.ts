import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { RequestState } from "effect-resolve"
import { Peer } from "effect-resolve/testing"
import { registrations } from "../../examples/03-ask-first.ts"

const keys = RequestState.layer({ keys: ["a secret of at least thirty-two bytes"], audience: "bookshop" })

const warnings = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") lines.push(String(message))
  })
  return Effect.as(Effect.provide(effect, Logger.layer([logger])), lines)
}

it.effect("a server over HTTP that seals with a key of its own process says so once, and only then", () =>
  Effect.gen(function* () {
    const own = yield* warnings(Effect.scoped(Peer.make({ registrations: Layer.merge(registrations, registrations) })))
    assert.strictEqual(own.filter((line) => line.includes("a key of this process alone")).length, 1)
    const shared = yield* warnings(Effect.scoped(Peer.make({ registrations: registrations.pipe(Layer.provide(keys)) })))
    assert.deepStrictEqual(shared, [])
    const stdio = yield* warnings(Effect.scoped(Peer.make({ registrations, transport: "stdio" })))
    assert.deepStrictEqual(stdio, [])
  })
)
