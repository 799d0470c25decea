/** A TCP proxy that a test has in hand: it cuts a connection on which nothing came for `idle` milliseconds, or when told. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export const proxy = async (target: number, idle: number) => {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    far.setTimeout(idle, end)
    for (const socket of pair) socket.on("error", end).on("close", end)
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    /** Resets every connection that is open. */
    reset: () => {
      for (const [near, far] of pairs) {
        near.resetAndDestroy()
        far.resetAndDestroy()
      }
    },
    close: () => {
      server.close()
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
    }
  }
}
