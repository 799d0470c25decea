/** Loads a server and profiles that. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Order, Outcome } from "../load.ts"
import type { Child, Server } from "./process.ts"
import { type Profile, read } from "./profile.ts"

/** Enough calls for the compiler to settle, and for a share of one percent to mean something. */
const enough = 4000
const limit = 8000

export interface Loaded {
  readonly profile: Profile
  /** CPU time of a call without the profiler, in microseconds. */
  readonly cpu: number
}

export const profile = async (
  server: Server,
  load: Child,
  order: Omit<Order, "port" | "ms" | "connections">,
  options: { readonly warm: boolean } = { warm: false }
): Promise<Loaded> => {
  const run = async () => {
    let calls = 0
    const until = Date.now() + limit
    while (calls < enough && Date.now() < until) {
      const { failed, outcome } = await load.tell<{ outcome?: Outcome; failed?: string }>({
        ...order,
        connections: 16,
        ms: 1000,
        port: server.port
      } satisfies Order)
      if (outcome === undefined) throw new Error(failed)
      if (outcome.errors > 0) throw new Error(outcome.sample)
      calls += outcome.calls
    }
    return calls
  }
  // one that has just been timed is warm, and its CPU time is known
  if (!options.warm) await run()
  const before = await server.cpu()
  const calls = options.warm ? 0 : await run()
  const cpu = calls === 0 ? Number.NaN : ((await server.cpu()) - before) / calls
  const dir = mkdtempSync(join(tmpdir(), "effect-resolve-bench-"))
  const path = join(dir, "load.cpuprofile")
  await server.tell("profile")
  await run()
  await server.tell({ profileTo: path })
  const result = read(path)
  rmSync(dir, { recursive: true })
  return { profile: result, cpu }
}
