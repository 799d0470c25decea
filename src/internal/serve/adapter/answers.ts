/**
 * Keeps a client's answer as it came, for the question that is waiting for it, and counts the
 * questions of a session that are open.
 *
 * On older protocols effect/ai reads an answer by its dated schema first, and turns what strays from it (`content: null`
 * on a decline) into a defect. On 2026-07-28 the engine reads the answer itself; with this it does so everywhere.
 */
import { Context, Effect, Predicate } from "effect"
import type { McpProtocol } from "effect/ai"
import { RpcClient } from "effect/rpc"
import * as Text from "../../base/sentences.ts"
import { type Answered, CurrentAnswer, tooManyCode } from "../../base/wire.ts"

type Sent = Parameters<RpcClient.Protocol["Service"]["send"]>[1]

/**
 * effect/ai takes a choice of 2025-06-18 for a text, whose schema stands before it in a union, and drops its options: the
 * form is sent as the engine has made it for that revision.
 */
const shown = (request: Sent, question: Answered | undefined): Sent =>
  request._tag === "Request" && question?.form !== undefined && Predicate.isReadonlyObject(request.payload)
    ? { ...request, payload: { ...request.payload, requestedSchema: question.form } }
    : request

/** Questions of one session that may be open at once. */
export const CurrentMaxQuestions = Context.Reference<number>("effect-resolve/internal/MaxQuestions", {
  defaultValue: () => 32
})

type Exit = Extract<Parameters<Parameters<RpcClient.Protocol["Service"]["run"]>[1]>[0], { readonly _tag: "Exit" }>

/** The answer to a question that is not put. */
const refused = (requestId: Exit["requestId"], max: number): Exit => ({
  _tag: "Exit",
  requestId,
  exit: {
    _tag: "Failure",
    cause: [{ _tag: "Fail", error: { code: tooManyCode, message: Text.tooManyQuestions(max) } }]
  }
})

const keeping =
  (open: Set<string>, name: string) =>
  (protocol: RpcClient.Protocol["Service"]): RpcClient.Protocol["Service"] => {
    const waiting = new Map<string | number, Answered>()
    let answer: ((exit: Exit) => Effect.Effect<void>) | undefined
    return {
      ...protocol,
      send: (clientId, request, transferables) =>
        Effect.withFiber((fiber) => {
          const question = Context.get(fiber.context, CurrentAnswer)
          if (request._tag === "Request" && request.isNotification !== true) {
            const max = Context.get(fiber.context, CurrentMaxQuestions)
            if (open.size >= max && answer !== undefined) return answer(refused(request.id as Exit["requestId"], max)) // one id, two brands
            open.add(`${name}${request.id}`)
            if (question !== undefined) waiting.set(request.id, question)
          }
          if (request._tag === "Interrupt") {
            waiting.delete(request.requestId)
            open.delete(`${name}${request.requestId}`)
          }
          return protocol.send(clientId, shown(request, question), transferables)
        }),
      run: (clientId, handle) => {
        answer = handle
        return protocol.run(clientId, (message) => {
          if (message._tag === "Exit") {
            const question = waiting.get(message.requestId)
            waiting.delete(message.requestId)
            open.delete(`${name}${message.requestId}`)
            if (question !== undefined && message.exit._tag === "Success") {
              question.answer = { value: message.exit.value }
            }
          }
          return handle(message)
        })
      }
    }
  }

// effect/ai keeps one profile for a session, and makes a client for each of its calls
const sessions = new WeakMap<object, Set<string>>()
let clients = 0

const openIn = (profile: object): Set<string> => {
  const open = sessions.get(profile) ?? new Set<string>()
  sessions.set(profile, open)
  return open
}

/** An adapter whose questions keep what the client answered. */
export const withAnswers = <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
  ...adapter,
  makeReverseClient: (profile) =>
    Effect.updateService(
      adapter.makeReverseClient(profile),
      RpcClient.Protocol,
      keeping(openIn(profile), `${clients++}:`)
    )
})
