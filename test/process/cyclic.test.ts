/** A graph that cannot run ends the process before it reads a byte (rule I12). */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const script = fileURLToPath(new URL("server.ts", import.meta.url))

/** Its stdin stays open, and what is written there is left in the pipe: nobody but the server could end the process. */
const run = (example: string) =>
  new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, ["--import", "tsx", script, example, "stdio"], { stdio: "pipe" })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk) => {
      stdout += chunk
    })
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    // the reader may be gone by the time this arrives
    child.stdin.on("error", () => {})
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  })

describe("I12", () => {
  for (const [serving, example] of [
    ["effect/ai's layerStdio", "cyclic"],
    ["ResolveServer.layerStdio", "cyclic-ours"]
  ] as const) {
    it(`I12: a cyclic graph ends the process before it reads a byte, the whole path on stderr: ${serving}`, async () => {
      const { code, signal, stderr, stdout } = await run(example)
      assert.strictEqual(signal, null)
      assert.isAbove(code ?? 0, 0)
      assert.include(stderr, "Tool 'order_book'")
      assert.include(stderr, "shop/a -> shop/b -> shop/c -> shop/a")
      assert.strictEqual(stdout, "")
    })
  }
})
