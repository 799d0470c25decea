/** 5. From the spawn of a stdio server to its first answer. */
import { spawn } from "node:child_process"
import { compiled } from "./process.ts"

const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } }
})}\n`

export const startUp = (script: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = process.hrtime.bigint()
    const child = spawn(process.execPath, [compiled(script)], { stdio: ["pipe", "pipe", "pipe"] })
    let out = ""
    let err = ""
    const fail = (why: string) => reject(new Error(`${script}: ${why} ${err.slice(0, 600)}`))
    const limit = setTimeout(() => {
      child.kill("SIGKILL")
      fail("no answer in 20 s")
    }, 20_000)
    child.stderr.on("data", (chunk) => {
      err += chunk
    })
    child.stdout.on("data", (chunk) => {
      out += chunk
      if (!out.includes("\n")) return
      clearTimeout(limit)
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6
      child.kill("SIGKILL")
      const answer = JSON.parse(out.slice(0, out.indexOf("\n")))
      if (answer.id === 1 && answer.result !== undefined) resolve(milliseconds)
      else fail(`answered ${JSON.stringify(answer)}`)
    })
    child.once("error", reject)
    child.once("exit", (code) => {
      clearTimeout(limit)
      fail(`ended with ${code}`)
    })
    child.stdin.on("error", () => {})
    child.stdin.write(initialize)
  })
