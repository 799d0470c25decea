/**
 * Keeps a client's answer as it came, for the question that is waiting for it.
 *
 * On older protocols effect/ai reads an answer by its dated schema first, and turns what strays from it (`content: null`
 * on a decline) into a defect. On 2026-07-28 the engine reads the answer itself; with this it does so everywhere.
 */
import { Context, Effect, Predicate } from "effect"
import type { McpProtocol } from "effect/ai"
import { RpcClient } from "effect/rpc"
import { type Answered, CurrentAnswer } from "../../base/wire.ts"

type Sent = Parameters<RpcClient.Protocol["Service"]["send"]>[1]

/**
 * effect/ai takes a choice of 2025-06-18 for a text, whose schema stands before it in a union, and drops its options: the
 * form is sent as the engine has made it for that revision.
 */
const shown = (request: Sent, question: Answered | undefined): Sent =>
  request._tag === "Request" && question?.form !== undefined && Predicate.isReadonlyObject(request.payload)
    ? { ...request, payload: { ...request.payload, requestedSchema: question.form } }
    : request

const keeping = (protocol: RpcClient.Protocol["Service"]): RpcClient.Protocol["Service"] => {
  const waiting = new Map<string | number, Answered>()
  return {
    ...protocol,
    send: (clientId, request, transferables) =>
      Effect.withFiber((fiber) => {
        const question = Context.get(fiber.context, CurrentAnswer)
        if (request._tag === "Request" && question !== undefined) waiting.set(request.id, question)
        if (request._tag === "Interrupt") waiting.delete(request.requestId)
        return protocol.send(clientId, shown(request, question), transferables)
      }),
    run: (clientId, handle) =>
      protocol.run(clientId, (message) => {
        if (message._tag === "Exit") {
          const question = waiting.get(message.requestId)
          waiting.delete(message.requestId)
          if (question !== undefined && message.exit._tag === "Success") question.answer = { value: message.exit.value }
        }
        return handle(message)
      })
  }
}

/** An adapter whose questions keep what the client answered. */
export const withAnswers = <A extends McpProtocol.ProtocolAdapter>(adapter: A): A => ({
  ...adapter,
  makeReverseClient: (profile) => Effect.updateService(adapter.makeReverseClient(profile), RpcClient.Protocol, keeping)
})
