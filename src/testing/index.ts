/**
 * The test kit: a client that can be asked, for `@effect/vitest`.
 *
 * @since 0.1.0
 */
export * as Answer from "./Answer.ts"
export { type Era, eras } from "./eras.ts"
export * as Peer from "./Peer.ts"
export * as Rounds from "./Rounds.ts"
export * as Transcript from "./Transcript.ts"
