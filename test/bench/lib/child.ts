/** The child's half of the harness: says where it listens, and answers questions about its own process. */
import { writeFileSync } from "node:fs"
import { Session } from "node:inspector"
import { createServer } from "node:net"

export const ready = (port: number): void => {
  if (process.send === undefined) {
    process.stdout.write(`${port}\n`)
    return
  }
  process.on("message", (message) => {
    if (message === "cpu") {
      const { system, user } = process.cpuUsage()
      process.send?.({ cpu: user + system })
    }
    if (message === "heap") {
      globalThis.gc?.()
      globalThis.gc?.()
      process.send?.({ heap: process.memoryUsage().heapUsed })
    }
    if (message === "profile") startProfile()
    if (typeof message === "object" && message !== null && "profileTo" in message)
      stopProfile(String(message.profileTo))
    if (message === "exit") process.exit(0)
  })
  process.on("disconnect", () => process.exit(0))
  process.send({ port })
}

// `--cpu-prof` would count the start-up, too: this profiles the load alone
let session: Session | undefined
const startProfile = (): void => {
  session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.setSamplingInterval", { interval: 200 })
  session.post("Profiler.start", () => process.send?.({ profiling: true }))
}
const stopProfile = (path: string): void => {
  session?.post("Profiler.stop", (error, result) => {
    if (error === null) writeFileSync(path, JSON.stringify(result.profile))
    process.send?.({ written: error === null })
    session?.disconnect()
    session = undefined
  })
}

/** For servers that take a port and do not tell which one they got. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
