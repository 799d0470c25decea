/** The child's half of the harness: says where it listens, and answers questions about its own process. */
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
    // an orderly end, so that --cpu-prof writes its file
    if (message === "exit") process.exit(0)
  })
  process.on("disconnect", () => process.exit(0))
  process.send({ port })
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
