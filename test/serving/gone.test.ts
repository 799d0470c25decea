import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const script = fileURLToPath(new URL("./gone.ts", import.meta.url))

/** In a process of its own: a heap that a test runner shares tells little. */
const leave = (transport: string, version: string) =>
  Effect.callback<Record<string, number>>((resume) => {
    const child = execFile(process.execPath, ["--import", "tsx", script, transport, version], (error, stdout, stderr) =>
      resume(error === null ? Effect.sync(() => JSON.parse(stdout.trim().split("\n").at(-1)!)) : Effect.die(stderr))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("a client that leaves in the middle of a question, a thousand times, leaves nothing", () => {
  for (const transport of ["http", "stdio"]) {
    for (const version of ["2026-07-28", "2025-11-25"]) {
      it.live(
        `${version} over ${transport}`,
        () =>
          Effect.gen(function* () {
            const { acquired, grown, left, released, rounds } = yield* leave(transport, version)
            assert.deepStrictEqual([acquired, released], [rounds, rounds])
            assert.isBelow(grown!, 2_000_000)
            // sessions, of which half were ended by DELETE and half by time
            assert.strictEqual(left ?? 0, 0)
          }),
        240_000
      )
    }
  }
})
