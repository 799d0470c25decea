/**
 * The connections of Node's HTTP server, for the time when it stops: idle ones, and those on which a request never
 * comes, would keep it for twenty seconds.
 */
import type { Server, ServerResponse } from "node:http"
import { Clock, Deferred, Duration, Effect } from "effect"

export interface Connections {
  /** Knows the server's requests from now on. */
  readonly track: (server: Server) => Server
  /** Waits for the answers in flight, until `limit` after `since`, and closes every connection. */
  readonly close: (since: number, limit: Duration.Input) => Effect.Effect<void>
}

export const makeConnections = (): Connections => {
  const answering = new Set<ServerResponse>()
  const idle = Deferred.makeUnsafe<void>()
  const servers: Array<Server> = []
  let closing = false
  return {
    track: (server) => {
      servers.push(server)
      return server.on("request", (_, response: ServerResponse) => {
        answering.add(response)
        response.once("close", () => {
          answering.delete(response)
          if (closing && answering.size === 0) Deferred.doneUnsafe(idle, Effect.void)
        })
      })
    },
    close: Effect.fnUntraced(function* (since, limit) {
      closing = true
      const left = since + Duration.toMillis(limit) - (yield* Clock.currentTimeMillis)
      if (answering.size > 0) yield* Effect.timeoutOption(Deferred.await(idle), Math.max(0, left))
      for (const server of servers) server.closeAllConnections()
    })
  }
}
