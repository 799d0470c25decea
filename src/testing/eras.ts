/**
 * One test on both eras: the same program, asked over a multi-round result and over a back channel.
 *
 * @since 0.1.0
 */
import { it } from "@effect/vitest"
import type { Effect, Scope } from "effect"
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
    for (const protocol of protocols) it.effect(`${name} [${protocol}]`, () => test({ protocol }), timeout)
  }
}

/**
 * Registers a test once on 2026-07-28 and once on 2025-11-25, the version in its title.
 *
 * **Details**
 *
 * `eras.of("2025-06-18", ...)` gives the same function for versions of your choice.
 *
 * @category testing
 * @since 0.1.0
 */
export const eras = Object.assign(register(["2026-07-28", "2025-11-25"]), {
  of: (...protocols: ReadonlyArray<ProtocolVersion>) => register(protocols)
})
