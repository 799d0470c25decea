import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { modern } from "./fixtures.ts"

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const server = fileURLToPath(new URL("./process.ts", import.meta.url))

/** Runs the server with this input. `signal`: stdin stays open, and the signal comes with the first answer. */
const run = (lines: ReadonlyArray<string>, options: { readonly fail?: true; readonly signal?: "SIGTERM" } = {}) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(process.execPath, ["--import", "tsx", server, ...(options.fail ? ["fail"] : [])])
    let stdout = ""
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += chunk))
    child.stdout.on("data", (chunk) => {
      stdout += chunk
      if (options.signal !== undefined) child.kill(options.signal)
    })
    child.stdin.on("error", () => {})
    child.stdin.write(lines.map((line) => `${line}\n`).join(""))
    if (options.signal === undefined) child.stdin.end()
    child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const call = (name: string, id: string | number) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: {
      name,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": modern,
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  })

const answers = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

describe("run", () => {
  it.live("a stdio server answers what is in flight when its client goes, logs on stderr and exits with 0", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["garbage", call("echo", "a"), call("slow", 2)])
      assert.deepStrictEqual(
        answers(stdout).map(({ error, id, result }) => error?.code ?? [id, result.content[0].text]),
        [-32700, ["a", "echo"], [2, "slow"]]
      )
      assert.include(stderr, "this goes to stderr")
      assert.include(stderr, "so does this")
      assert.strictEqual(code, 0)
    })
  )

  it.live("a call that never ends is released and does not keep the process", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run([call("never", 1)])
      assert.deepStrictEqual([code, stdout], [0, ""])
      assert.include(stderr, "released")
    })
  )

  it.live("I12: a server whose registrations fail exits with 1, says why on stderr and writes nothing on stdout", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run([call("echo", 1)], { fail: true })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, "tool 'a': cycle: x -> y -> x")
    })
  )

  it.live("SIGTERM releases what calls hold", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run([call("never", 1), call("echo", 2)], { signal: "SIGTERM" })
      assert.include(stderr, "released")
      assert.notStrictEqual(code, null)
    })
  )
})
