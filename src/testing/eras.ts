/**
 * One test on both eras: the same program, asked over a multi-round result and over a back channel.
 *
 * @since 0.1.0
 */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { comparison } from "./internal/comparison.ts"
import type { ProtocolVersion } from "./Peer.ts"

/**
 * A protocol version under test, in the shape `Peer.make` takes: `Peer.make({ ...era, registrations })`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Era {
  readonly protocol: ProtocolVersion
}

const register = (protocols: ReadonlyArray<ProtocolVersion>) => {
  return <A, E>(
    name: string,
    test: (era: Era) => Effect.Effect<A, E, Scope.Scope>,
    timeout?: Parameters<typeof it.effect>[2]
  ): void => {
    const same = comparison<A>(name)
    for (const protocol of protocols)
      it.effect(
        `${name} [${protocol}]`,
        () => Effect.flatMap(test({ protocol }), (outcome) => same(protocol, outcome)),
        timeout
      )
  }
}

/**
 * Registers a test once on 2026-07-28 and once on 2025-11-25, the version in its title.
 *
 * **Details**
 *
 * What the test gives is compared: where it is another value on the second version than on the first, the test fails. A
 * test that gives nothing compares nothing. `eras.of("2025-06-18", ...)` gives the same function for versions of your
 * choice.
 *
 * **Example** (The same outcome on both protocols)
 *
 * ```ts
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Elicitation, Resolve } from "effect-resolve"
 * import { Answer, eras, Peer } from "effect-resolve/testing"
 *
 * const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String, dependencies: [Elicitation.Elicitation] }))
 * const ShopLive = Shop.toLayer({ order_book: () => Effect.as(Elicitation.confirm("Order it?"), "Ordered.") })
 * const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
 *
 * eras("a refusal is told alike", (era) =>
 *   Effect.gen(function* () {
 *     const peer = yield* Peer.make({ ...era, registrations, answers: { order_book: Answer.decline } })
 *     return (yield* peer.callTool("order_book")).text
 *   })
 * )
 * ```
 *
 * @category testing
 * @since 0.1.0
 */
export const eras = Object.assign(register(["2026-07-28", "2025-11-25"]), {
  of: (...protocols: ReadonlyArray<ProtocolVersion>) => register(protocols)
})
