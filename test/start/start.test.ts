import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const start = (input?: string) =>
  Effect.callback<{ readonly code: number | null; readonly out: string; readonly err: string }>((resume) => {
    const args = ["--import", "tsx", file("examples/start.ts"), ...(input === undefined ? [] : ["--ask"])]
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => {
      out += chunk
      // a person at a keyboard answers each prompt when it stands there
      if (input !== undefined && out.endsWith("? ")) child.stdin.write(`${input}\n`)
    })
    child.stderr.on("data", (chunk) => {
      err += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, out, err })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** What differs from run to run: the ids that a client gives its requests. */
const masked = (text: string) => text.replace(/\[request \S+\]/g, "[request <id>]")

it.live(
  "npm start prints the whole transcript of both eras, which is examples/transcript.txt",
  () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* start()
      assert.strictEqual(masked(out), readFileSync(file("examples/transcript.txt"), "utf8"))
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    }),
  180_000
)

it.live(
  "npm start -- --ask takes the answers of the person at the keyboard",
  () =>
    Effect.gen(function* () {
      const { code, out } = yield* start("no")
      assert.strictEqual(code, 0)
      // whatever the script would have said
      assert.strictEqual(out.match(/= No order placed\./g)?.length, 8)
      assert.notInclude(out, "Backordered")
    }),
  180_000
)
