/**
 * What the two interpreters, and the one for calls in process, have in common: whose question it is, which one of its
 * body, and that it is put while its body runs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { AskFailed, type Capabilities, type MissingCapability, type Question, type Service } from "../../../Question.ts"
import * as Text from "../../base/sentences.ts"
import { escape } from "../../graph/definition.ts"
import { nobody } from "../../question/ask.ts"
import { type Asker, CurrentAsker } from "../asker.ts"
import type { Session } from "../memory.ts"

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

/** The three services by which bodies of a call ask. Made for each call, and most calls ask nothing. */
class EngineService implements Service {
  private readonly session: Session
  private readonly make: () => Interpreter
  private made: Interpreter | undefined = undefined
  constructor(session: Session, make: () => Interpreter) {
    this.session = session
    this.make = make
  }
  private get interpreter(): Interpreter {
    return (this.made ??= this.make())
  }
  supports(capabilities: Capabilities): Effect.Effect<boolean> {
    return this.interpreter.supports(capabilities)
  }
  ask<A, E>(question: Question<A, E>): Effect.Effect<A, E | AskFailed | MissingCapability> {
    return Effect.withFiber((fiber) => {
      const asker = Context.get(fiber.context, CurrentAsker)
      if (asker === undefined || asker.ended || this.session.ended) {
        return unavailable(asker?.key ?? nobody, Text.askedTooLate)
      }
      const key = question.label === undefined ? asker.wireKey : `${asker.wireKey}#${escape(question.label)}`
      const turns = asker.turns.get(key)
      if (turns !== undefined && turns.state !== "failed") {
        return unavailable(asker.key, Text.askedTwice(question.label))
      }
      // a body of a call inside a call is new when the call is made again, and its questions go on; one of this call that is
      // begun again reads what was answered from its start
      const nested = asker.parent !== undefined
      const current = turns ?? { count: (nested ? this.session.put.get(key) : undefined) ?? 0, state: "open" }
      asker.turns.set(key, current)
      current.state = "open"
      const turn = { asker, key, count: current.count++ }
      if (nested) this.session.put.set(key, current.count)
      return Effect.onExit(this.interpreter.ask(turn, question), (exit) => {
        current.state = Exit.isSuccess(exit) ? "answered" : "failed"
        return Effect.void
      })
    })
  }
}

/** A call made inside a call finds the engine's own service there and joins it; any other one is the user's. */
export const isEngineService = (service: object): boolean => service instanceof EngineService

export const toService = (session: Session, make: () => Interpreter): Service => new EngineService(session, make)
