/** Who answers the questions of a call: the next round, the client over the back channel, or the program itself. */
import type * as Effect from "effect/Effect"
import type { AskFailed, Capabilities, MissingCapability } from "../../base/questionErrors.ts"
import type { Method, Question } from "../../base/questions.ts"
import type { Turn } from "../ledger.ts"

export interface Interpreter {
  /** What of these the other side cannot do. */
  readonly lacking: (required: Capabilities) => Capabilities | undefined
  readonly supports: (capabilities: Capabilities) => Effect.Effect<boolean>
  /** Puts a question to which no answer is known. `told` is for when it has gone out. */
  readonly put: <A, E>(
    turn: Turn,
    question: Question<A, E>,
    told: (method: Method) => Effect.Effect<void>
  ) => Effect.Effect<A, E | AskFailed | MissingCapability>
}
