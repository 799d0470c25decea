/**
 * The line to the server: what goes out with its headers, and everything that passes, noted.
 */
import { Clock, Effect } from "effect"
import type { Frame, Message } from "../Transcript.ts"
import type { Activity } from "./activity.ts"
import * as Envelope from "./envelope.ts"
import type { HeaderMap, Receive, Reply, Transport } from "./transport.ts"

export type HeaderChanges = { readonly [name: string]: string | undefined }

export interface Line {
  readonly frames: Array<Frame>
  readonly transport: () => Transport
  readonly connect: (transport: Transport) => void
  readonly sessionId: () => string | undefined
  /** From now on the version stands in the headers (`initialize` is the only message without). */
  readonly negotiated: Effect.Effect<void>
  readonly headersFor: (message: Message, changes: HeaderChanges | undefined) => HeaderMap
  readonly send: (message: Message, receive: Receive, changes?: HeaderChanges) => Effect.Effect<Reply>
  readonly noteReceived: (message: Message, httpStatus: number | undefined) => Effect.Effect<void>
}

export const make = (profile: Envelope.Profile, activity: Activity, always: HeaderChanges | undefined): Line => {
  const frames: Array<Frame> = []
  const session: { id: string | undefined; negotiated: boolean } = { id: undefined, negotiated: false }
  let transport: Transport

  const note = (frame: Omit<Frame, "at">): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      activity.ticks++
      frames.push({ ...frame, at })
    })

  const headersFor: Line["headersFor"] = (message, changes) =>
    Envelope.override(Envelope.headers(profile, session, message), always, changes)

  return {
    frames,
    transport: () => transport,
    connect: (next) => {
      transport = next
    },
    sessionId: () => session.id,
    negotiated: Effect.sync(() => {
      session.negotiated = true
    }),
    headersFor,
    send: (message, receive, changes) =>
      Effect.suspend(() => {
        const all = headersFor(message, changes)
        const headers = transport.kind === "http" ? all : undefined
        return note({ from: "client", message, headers, httpStatus: undefined }).pipe(
          Effect.andThen(transport.send(JSON.stringify(message), all, receive)),
          Effect.tap((reply) =>
            Effect.sync(() => {
              session.id = reply.headers["mcp-session-id"] ?? session.id
            })
          )
        )
      }),
    noteReceived: (message, httpStatus) => note({ from: "server", message, headers: undefined, httpStatus })
  }
}
