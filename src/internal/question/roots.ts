/** The client's roots as a question. */
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskFailed } from "../base/questionErrors.ts"
import type { Question, Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { askerOf, wrongKind } from "./elicitation.ts"

/**
 * One root: a `file://` URI as the client wrote it, and a name for people if it gave one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Root {
  readonly uri: string
  readonly name?: string | undefined
}

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    roots: Schema.Array(Schema.Struct({ uri: Schema.String, name: McpSchema.optional(Schema.String) }))
  })
)

const isFile = ({ uri }: Root): boolean => /^file:\/\//i.test(uri)

const interpret = (answer: unknown, resolver: string): Effect.Effect<ReadonlyArray<Root>, AskFailed> =>
  Effect.flatMap(
    Effect.mapError(decode(answer), (cause) => wrongKind(resolver, cause)),
    ({ roots }) =>
      roots.every(isFile)
        ? Effect.succeed(roots)
        : Effect.fail(new AskFailed({ resolver, reason: "InvalidAnswer", detail: Text.notAFile }))
  )

export const list: Question<ReadonlyArray<Root>, never> = {
  method: "roots/list",
  // absent on the wire: null is no object of parameters
  params: undefined,
  label: undefined,
  timeout: undefined,
  requires: { roots: {} },
  project: () => Effect.undefined,
  interpret
}

export const inProcess = (roots: Effect.Effect<ReadonlyArray<Root>>): Service => ({
  supports: () => Effect.succeed(true),
  ask: (question) =>
    Effect.withFiber((fiber) => Effect.flatMap(roots, (roots) => question.interpret({ roots }, askerOf(fiber.context))))
})
