/** How a question finds whoever answers it, shared by the three kinds. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AskFailed, MissingCapability, Question, Service } from "../../Question.ts"
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

// C0 and C1 controls but tab and line breaks, and the characters that reorder or hide text
const unsafe =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** People decide by what they read, so text that could be made to look like other text is removed (DESIGN 2). */
export const printable = (message: string): string => message.replace(unsafe, "")
