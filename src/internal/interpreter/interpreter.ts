/**
 * What the two interpreters, and the one for calls in process, have in common: whose question it is, which one of its
 * body, and that it is put while its body runs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { AskFailed, type Capabilities, type MissingCapability, type Question, type Service } from "../../Question.ts"
import { nobody } from "../ask.ts"
import { type Asker, CurrentAsker } from "../asker.ts"
import { escape } from "../definition.ts"
import type { Session } from "../session.ts"

/** One question on its way: who asks, under which wire key, and the how-manieth of that key in this run. */
export interface Turn {
  readonly asker: Asker
  readonly key: string
  readonly count: number
}

export interface Interpreter {
  readonly supports: (capabilities: Capabilities) => Effect.Effect<boolean>
  readonly ask: <A, E>(turn: Turn, question: Question<A, E>) => Effect.Effect<A, E | AskFailed | MissingCapability>
}

const unavailable = (resolver: string, detail: string) =>
  Effect.fail(new AskFailed({ resolver, reason: "Unavailable", detail }))

const engineServices = new WeakSet<object>()

/** A call made inside a call finds the engine's own service there and joins it; any other one is the user's. */
export const isEngineService = (service: object): boolean => engineServices.has(service)

export const toService = (session: Session, interpreter: Interpreter): Service => {
  const service: Service = {
    supports: interpreter.supports,
    ask: (question) =>
      Effect.withFiber((fiber) => {
        const asker = Context.get(fiber.context, CurrentAsker)
        if (asker === undefined || asker.ended || session.ended) {
          return unavailable(asker?.key ?? nobody, "it asked a question after it had ended")
        }
        const key = question.label === undefined ? asker.wireKey : `${asker.wireKey}#${escape(question.label)}`
        const turns = asker.turns.get(key)
        if (turns !== undefined && turns.state !== "failed") {
          return unavailable(
            asker.key,
            question.label === undefined
              ? "it asked two questions without a label; give each further question of one body a `label`"
              : `it asked two questions with the label '${question.label}'; give each its own`
          )
        }
        const current = turns ?? { count: 0, state: "open" }
        asker.turns.set(key, current)
        current.state = "open"
        const turn = { asker, key, count: current.count++ }
        return Effect.onExit(interpreter.ask(turn, question), (exit) => {
          current.state = Exit.isSuccess(exit) ? "answered" : "failed"
          return Effect.void
        })
      })
  }
  engineServices.add(service)
  return service
}
