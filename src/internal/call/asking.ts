/**
 * How a body of a call asks: the three question services, as the engine implements them. Whose question it is, which
 * turn of its body, whether its answer is known, whether the other side can be asked at all: that stands here, once,
 * before whoever answers.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { canonicalJson } from "../base/canonical.ts"
import { AskFailed, type Capabilities, MissingCapability } from "../base/questionErrors.ts"
import type { Method, Question, Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { EngineTypeId, isCounted, nobody } from "../question/ask.ts"
import { type Asker, CurrentAsker, keyOf } from "./asker.ts"
import type { Calling } from "./calling.ts"
import type { Interpreter } from "./interpreter/interpreter.ts"
import { type Turn, toAnswer } from "./ledger.ts"
import type { Recorded } from "./memory.ts"
import { whileOpen } from "./stopwatch.ts"
import { suspend } from "./suspension.ts"
import * as Telemetry from "./telemetry.ts"

const unavailable = (resolver: string, detail: string) =>
  Effect.fail(new AskFailed({ resolver, reason: "Unavailable", detail }))

/** What the log and the counters say of questions that go out. */
export interface Audience {
  /** The tool, prompt or resource that is called. */
  readonly owner: string
  readonly protocol: string
}

export const told = (audience: Audience, asker: Asker, method: Method): Effect.Effect<void> =>
  Telemetry.questionPut({ resolver: asker.key, owner: audience.owner, method, protocol: audience.protocol })

/** Made for each call, and most calls ask nothing. */
class EngineService implements Service {
  readonly [EngineTypeId] = EngineTypeId
  readonly #calling: Calling
  readonly #make: () => Interpreter
  readonly #audience: Audience | undefined
  #made: Interpreter | undefined = undefined
  constructor(calling: Calling, audience: Audience | undefined, make: () => Interpreter) {
    this.#calling = calling
    this.#audience = audience
    this.#make = make
  }
  get #interpreter(): Interpreter {
    return (this.#made ??= this.#make())
  }
  supports(capabilities: Capabilities): Effect.Effect<boolean> {
    return this.#interpreter.supports(capabilities)
  }
  ask<A, E>(question: Question<A, E>): Effect.Effect<A, E | AskFailed | MissingCapability> {
    return Effect.withFiber((fiber) => {
      const calling = this.#calling
      const asker = Context.get(fiber.context, CurrentAsker)
      if (asker === undefined || asker.ended || calling.ended) {
        return unavailable(asker?.key ?? nobody, Text.askedTooLate)
      }
      const { method, params } = question
      const label = isCounted(question) ? calling.ledger.labelOf(asker, question.label!) : question.label
      const key = keyOf(asker, label)
      const begun = calling.ledger.begin(asker, key, label, canonicalJson({ method, params }))
      if (begun._tag === "Refused") return unavailable(asker.key, begun.detail)
      if (begun._tag === "Again") return begun.exit
      const { turn } = begun
      return Effect.onExit(this.#answer(turn, question), (exit) => Effect.sync(() => calling.ledger.end(turn, exit)))
    })
  }
  #answer<A, E>(turn: Turn, question: Question<A, E>): Effect.Effect<A, E | AskFailed | MissingCapability> {
    return Effect.suspend(() => {
      // I4: only what a body asks is looked up, and an answer never stands in for a value
      const recorded = this.#calling.ledger.find(turn)
      if (recorded === undefined) return this.#put(turn, question)
      // one turn later, so that what a body asks side by side is all put before any of it goes on
      return Effect.andThen(Effect.yieldNow, this.#read(turn, question, recorded))
    })
  }
  #read<A, E>(
    turn: Turn,
    question: Question<A, E>,
    recorded: Recorded
  ): Effect.Effect<A, E | AskFailed | MissingCapability> {
    const resolver = turn.asker.key
    if (recorded.kind === "invalid") {
      return Effect.fail(new AskFailed({ resolver, reason: "InvalidAnswer", detail: String(recorded.data) }))
    }
    const answer = toAnswer(recorded)
    return Effect.flatMap(Effect.exit(question.interpret(answer, resolver)), (exit) => {
      const counts = this.#calling.ledger.read(turn, question.method, exit)
      if (!counts) return this.#put(turn, question)
      return recorded.kind === "taken" ? Effect.andThen(countRefusal(answer), exit) : exit
    })
  }
  #put<A, E>(turn: Turn, question: Question<A, E>): Effect.Effect<A, E | AskFailed | MissingCapability> {
    const { asker } = turn
    const requiredCapabilities = this.#interpreter.lacking(question.requires)
    if (requiredCapabilities !== undefined) {
      return Effect.fail(new MissingCapability({ resolver: asker.key, requiredCapabilities }))
    }
    // a call that has ended, or will be refused for want of a capability, asks nothing more and waits for nobody
    if (this.#calling.hasStopped) return suspend(asker, this.#calling.parked)
    const audience = this.#audience
    const put = this.#interpreter.put(turn, question, (method) =>
      audience === undefined ? Effect.void : told(audience, asker, method)
    )
    return whileOpen(put, asker, this.#calling.stopwatches)
  }
}

const countRefusal = (answer: unknown): Effect.Effect<void> => {
  const action = (answer as { readonly action?: unknown } | null)?.action
  return action === "decline" || action === "cancel" ? Telemetry.countRefusal(action) : Effect.void
}

/** A call made inside a call finds the engine's own service there and joins it; any other one is the user's. */
export const isEngineService = (service: object): boolean => EngineTypeId in service

export const toService = (calling: Calling, audience: Audience | undefined, make: () => Interpreter): Service =>
  new EngineService(calling, audience, make)
