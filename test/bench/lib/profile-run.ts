/** Loads a server and profiles that. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Order, Outcome } from "../load.ts"
import type { Child, Server } from "./process.ts"
import { type Profile, read } from "./profile.ts"

export const profile = async (server: Server, load: Child, order: Omit<Order, "port">): Promise<Profile> => {
  const dir = mkdtempSync(join(tmpdir(), "effect-resolve-bench-"))
  const path = join(dir, "load.cpuprofile")
  const go = (ms: number) =>
    load.tell<{ outcome?: Outcome; failed?: string }>({ ...order, ms, port: server.port } satisfies Order)
  await go(order.ms / 2)
  await server.tell("profile")
  const { failed } = await go(order.ms)
  await server.tell({ profileTo: path })
  if (failed !== undefined) throw new Error(failed)
  const result = read(path)
  rmSync(dir, { recursive: true })
  return result
}
