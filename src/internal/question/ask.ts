/** How a question finds whoever answers it, shared by the three kinds. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AskFailed, MissingCapability } from "../base/questionErrors.ts"
import type { Question, Service } from "../base/questions.ts"
import * as Asker from "../call/asker.ts"

/** What sentences call a question that is asked outside of any resolver or tool. */
export const nobody = "(none)"

export const ask = <Id, S extends Service, A, E>(
  service: Context.Key<Id, S>,
  make: (resolver: string) => Effect.Effect<Question<A, E>, E | AskFailed>
): Effect.Effect<A, E | AskFailed | MissingCapability, Id> =>
  Effect.withFiber((fiber) => {
    const asker = Context.get(fiber.context, Asker.CurrentAsker)
    return Effect.flatMap(make(asker?.key ?? nobody), (question) =>
      Effect.flatMap(service, (implementation) => implementation.ask(question))
    )
  })
