/**
 * The cells of the matrix: who speaks, over what, in which version. `matrix.test.ts` fails when one did not run, and
 * when something ran that is not listed here.
 */
import type { Negotiation, Version } from "./clients.ts"

export interface Cell {
  readonly client: Negotiation
  readonly transport: "stdio" | "http"
  /** What the client offers or pins; for `v2 auto` what it is expected to agree on. */
  readonly version: Version
  /** What the server speaks. */
  readonly server: ReadonlyArray<Version>
}

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const
export const every: ReadonlyArray<Version> = ["2026-07-28", ...legacy]

const on = (client: Negotiation, version: Version, server: ReadonlyArray<Version> = every): ReadonlyArray<Cell> => [
  { client, transport: "stdio", version, server },
  { client, transport: "http", version, server }
]

export const cells: ReadonlyArray<Cell> = [
  ...legacy.flatMap((version) => on("v1", version)),
  ...legacy.flatMap((version) => on("v2 legacy", version)),
  ...on("v2 pin", "2026-07-28"),
  ...on("v2 auto", "2026-07-28"),
  // a server from before 2026-07-28: the probe fails and the handshake follows
  ...on("v2 auto", "2025-11-25", legacy)
]

export const name = (cell: Cell): string =>
  `${cell.client} / ${cell.transport} / ${cell.version}${cell.server === every ? "" : " (older server)"}`

/** What a cell proves. Each is a test of its own, in this order, over one connection. */
export const checks = [
  "agrees on the version",
  "lists tools without the resolved values",
  "gives results of both kinds",
  "keeps 50 calls at once apart",
  "asks by a form, once",
  "asks to open a page, once",
  "asks the client's model, once",
  "asks for the roots, once",
  "puts four questions of one call together",
  "charges once in a call that asks twice",
  "asks from a body",
  "tells a refusal, a false and a branch apart",
  "names what a client did not declare",
  "tells errors of each kind apart",
  "reports progress",
  "interrupts a cancelled call, finalizers once",
  "ignores an answer that comes after the cancellation",
  "follows tools that come and go",
  "tells of changed prompts and resources",
  "gives prompts, completions and resources",
  "asks for a prompt and a resource",
  "refuses state that it did not seal"
] as const
export type Check = (typeof checks)[number]
