/** The server of `asking.ts` in a process of its own, and what a test does to it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

const script = fileURLToPath(new URL("./asking.ts", import.meta.url))

export const running = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["--import", "tsx", script])),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const seen = { err: "" }
  child.stderr.on("data", (chunk) => (seen.err += chunk))
  const ended = once(child, "exit")
  const [line] = yield* Effect.promise(() => once(child.stdout, "data"))
  child.stdout.resume()
  return {
    child,
    seen,
    port: Number(String(line).trim().split("\n")[0]),
    /** The exit code, of a process that ends in time. */
    code: Effect.promise(() =>
      Promise.race([ended.then(([code]) => code), new Promise((resolve) => setTimeout(resolve, 10_000, "it is alive"))])
    )
  }
})
