/**
 * Requests that arrive while a server starts. Node's server listens before the routes are built, and leaves for good
 * what it receives until then: a client that reconnects to a server that restarts would wait for ever.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"

export interface Early {
  /** Holds the requests to `server` until it is served. */
  readonly hold: (server: Server) => Server
  /** Refuses what is held: the server does not come up. */
  readonly refuse: () => void
}

export const makeEarly = (): Early => {
  const held: Array<readonly [IncomingMessage, ServerResponse]> = []
  const hold = (request: IncomingMessage, response: ServerResponse) => {
    held.push([request, response])
  }
  return {
    hold: (server) => {
      const served = (event: string | symbol) => {
        if (event !== "request") return
        server.off("newListener", served).off("request", hold)
        // the listener is added after the event that tells of it
        process.nextTick(() => {
          for (const request of held.splice(0)) server.emit("request", ...request)
        })
      }
      return server.on("request", hold).on("newListener", served)
    },
    refuse: () => {
      for (const [, response] of held.splice(0)) {
        response.writeHead(503, { connection: "close", "retry-after": "1" }).end()
      }
    }
  }
}
