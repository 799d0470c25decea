/**
 * The client of the test kit by itself, for programs that are no tests of vitest: it needs neither vitest nor
 * `@effect/vitest`.
 *
 * @since 0.2.0
 */
export * as Answer from "./Answer.ts"
export * as Peer from "./Peer.ts"
export * as Transcript from "./Transcript.ts"
