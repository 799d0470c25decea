/** Replicas as processes, and the file to which their effects are written. */

import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import { ended, freePort, listening } from "./parts.ts"

const program = fileURLToPath(new URL("./replica.ts", import.meta.url))

export const key = (letter: string) => letter.repeat(32)

export interface Replica {
  readonly port: number
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
  readonly log: () => string
}

export interface Environment {
  readonly STORE?: string
  readonly KEYS?: string
  readonly AHEAD?: string
  readonly WAIT_LIMIT?: string
  readonly REPLICA?: string
  readonly LEDGER: string
  readonly NOTICES?: string
}

export const replica = (environment: Environment): Effect.Effect<Replica, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const port = await freePort()
      const child = spawn(process.execPath, ["--import", "tsx", program], {
        env: { ...process.env, KEYS: key("a"), ...environment, PORT: String(port) },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let log = ""
      child.stdout.on("data", (chunk) => (log += chunk))
      child.stderr.on("data", (chunk) => (log += chunk))
      await listening(port, child, () => log)
      const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
        child.kill(signal)
        await ended(child)
      }
      return { port, kill, log: () => log }
    }),
    ({ kill }) => Effect.promise(() => kill())
  )

export interface Ledger {
  readonly file: string
  readonly count: (line: string) => number
  readonly lines: () => ReadonlyArray<string>
  /** Waits until a replica has written the line. */
  readonly until: (line: string) => Promise<void>
}

export const ledger: Effect.Effect<Ledger, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-resolve-ledger-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  ),
  (home) => {
    const file = join(home, "ledger")
    writeFileSync(file, "")
    const lines = () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    const count = (line: string) => lines().filter((one) => one === line).length
    return {
      file,
      lines,
      count,
      until: async (line) => {
        while (count(line) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  }
)
