/**
 * The requests of this client: which are open, which were answered, which were given up.
 */
import { Deferred, Effect } from "effect"
import type { Message } from "../Transcript.ts"
import * as Text from "./messages.ts"
import type { Trouble } from "./trouble.ts"

export type JsonRpcId = string | number

export interface Response {
  readonly message: Message
  readonly httpStatus: number | undefined
}

export interface Pending {
  readonly nextId: () => JsonRpcId
  readonly open: (id: JsonRpcId, target: string | undefined) => Deferred.Deferred<Response>
  /** What the one open request calls for: stdio does not say which of several a question belongs to. */
  readonly onlyTarget: () => string | undefined
  readonly abandon: (id: JsonRpcId) => void
  /** From now on the test chooses ids, too: an answer to one we never sent is no fault. */
  readonly tolerate: () => void
  readonly respond: (message: Message, httpStatus: number | undefined) => Effect.Effect<void>
}

export const make = (trouble: Trouble): Pending => {
  const open = new Map<JsonRpcId, { readonly target: string | undefined; readonly done: Deferred.Deferred<Response> }>()
  const answered = new Set<JsonRpcId>()
  const abandoned = new Set<JsonRpcId>()
  let tolerant = false
  let next = 1
  return {
    nextId: () => next++,
    open: (id, target) => {
      const done = Deferred.makeUnsafe<Response>()
      open.set(id, { target, done })
      return done
    },
    onlyTarget: () => {
      const [only, ...more] = open.values()
      return more.length === 0 ? only?.target : undefined
    },
    abandon: (id) => {
      open.delete(id)
      abandoned.add(id)
    },
    tolerate: () => {
      tolerant = true
    },
    respond: (message, httpStatus) =>
      Effect.suspend(() => {
        const { id } = message
        // An error about a message whose id could not be read belongs to the exchange, not to a call.
        if (id === undefined || id === null) return Effect.void
        const done = open.get(id)?.done
        if (done !== undefined) {
          open.delete(id)
          answered.add(id)
          return Effect.asVoid(Deferred.succeed(done, { message, httpStatus }))
        }
        // Both sides must bear the race between a cancellation and its answer (rule 116).
        if (tolerant || abandoned.has(id)) return Effect.void
        return trouble.wrong(Text.strangeAnswer(id, answered.has(id)))
      })
  }
}
