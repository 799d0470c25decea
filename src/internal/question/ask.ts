/** How a question finds whoever answers it, shared by the three kinds. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AskFailed, MissingCapability } from "../base/questionErrors.ts"
import type { Question, Service } from "../base/questions.ts"

/** Who asks, as a question sees it. */
export const CurrentAsker = Context.Reference<{ readonly key: string } | undefined>(
  "effect-resolve/internal/CurrentAsker",
  { defaultValue: () => undefined }
)

/** Marks the engine's own implementation of the question services, which knows whose question it is. */
export const EngineTypeId = "~effect-resolve/EngineService" as const

/** A question that may be asked again in the same words: its label is a stem, and each turn has one of its own. */
export interface Counted {
  readonly counted: true
}

export const isCounted = (question: object): question is Counted => "counted" in question

/** What sentences call a question that is asked outside of any resolver or tool. */
export const nobody = "(none)"

export const ask = <Id, S extends Service, A, E>(
  service: Context.Key<Id, S>,
  make: (resolver: string) => Effect.Effect<Question<A, E>, E | AskFailed>
): Effect.Effect<A, E | AskFailed | MissingCapability, Id> =>
  Effect.withFiber((fiber) => {
    const asker = Context.get(fiber.context, CurrentAsker)
    return Effect.flatMap(make(asker?.key ?? nobody), (question) =>
      Effect.flatMap(service, (implementation) => implementation.ask(question))
    )
  })
