/**
 * What the server sends by itself or in reply: answers, questions of old servers, notifications.
 */
import { Effect, Fiber, type Scope } from "effect"
import type { Message } from "../Transcript.ts"
import type { Line } from "./line.ts"
import type { Mailbox } from "./mailbox.ts"
import * as Text from "./messages.ts"
import type { JsonRpcId, Pending } from "./pending.ts"
import type { Questions } from "./questions.ts"
import type { Receive, Reply } from "./transport.ts"
import type { Trouble } from "./trouble.ts"

export interface Incoming {
  /** What becomes of a message. `target` is what the exchange it came on calls for, where there is one. */
  readonly receive: (target: string | undefined) => Receive
}

export const make = (options: {
  readonly line: Line
  readonly mailbox: Mailbox
  readonly pending: Pending
  readonly questions: Questions
  readonly trouble: Trouble
  readonly stateless: boolean
  readonly scope: Scope.Scope
}): Incoming => {
  const { line, mailbox, pending, questions, scope, trouble } = options
  const answering = new Map<JsonRpcId, Fiber.Fiber<void>>()

  const reply = (message: Message): Effect.Effect<Reply> =>
    // It may end the exchange the question came on, and with it this fiber: not before it is sent.
    Effect.uninterruptible(line.send(message, receive(undefined)))

  const answer = (message: Message, id: JsonRpcId, target: string | undefined): Effect.Effect<Reply> => {
    const method = message.method!
    if (method === "ping") return reply({ jsonrpc: "2.0", id, result: {} })
    return Effect.flatMap(questions.answer({ key: undefined, method, params: message.params, target }), (given) => {
      if (given._tag === "Never") return Effect.never
      if (given._tag === "Result") return reply({ jsonrpc: "2.0", id, result: given.result })
      const { _tag, ...error } = given
      return reply({ jsonrpc: "2.0", id, error })
    })
  }

  const asked = (message: Message, id: JsonRpcId, target: string | undefined, within: Scope.Scope) => {
    if (options.stateless) {
      return trouble.wrong(Text.strangeRequest(message.method!))
    }
    const work = answer(message, id, target ?? pending.onlyTarget()).pipe(
      Effect.asVoid,
      Effect.catchDefect(trouble.died),
      Effect.ensuring(Effect.sync(() => answering.delete(id)))
    )
    return Effect.map(Effect.forkIn(work, within), (fiber) => {
      if (fiber.pollUnsafe() === undefined) answering.set(id, fiber)
    })
  }

  const notified = (method: string, params: any): Effect.Effect<void> =>
    Effect.suspend(() => {
      mailbox.deliver({ method, params })
      const cancelled = method === "notifications/cancelled" ? answering.get(params?.requestId) : undefined
      return cancelled === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(cancelled), scope))
    })

  const receive: Incoming["receive"] = (target) => (message, httpStatus, within) =>
    Effect.andThen(
      line.noteReceived(message, httpStatus),
      Effect.suspend(() => {
        if (message.method === undefined) return pending.respond(message, httpStatus)
        if (message.id === undefined || message.id === null) return notified(message.method, message.params)
        return asked(message, message.id, target, within)
      })
    )

  return { receive }
}
