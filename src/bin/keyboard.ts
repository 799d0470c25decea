/** Whoever sits at the keyboard, as the user, the client's model and its roots. */
import { Console, Effect, type Terminal } from "effect"
import { Prompt } from "effect/cli"
import * as Answer from "../testing/Answer.ts"
import * as Field from "./field.ts"
import * as Text from "./sentences.ts"
import { style } from "./style.ts"

type Answered = Effect.Effect<Answer.Answer, Terminal.QuitError, Prompt.Environment>

const select = <A>(message: string, choices: ReadonlyArray<readonly [title: string, value: A]>) =>
  Prompt.run(Prompt.Select({ message, choices: choices.map(([title, value]) => ({ title, value })) }))

const refusals = [
  ["decline", Answer.decline],
  ["cancel", Answer.cancel]
] as const

/** The one field of a form that is a yes or no, which then needs no second step. */
const onlyBoolean = (schema: Field.Json): string | undefined => {
  const [first, ...rest] = Object.entries<Field.Json>(schema.properties ?? {})
  return first !== undefined && rest.length === 0 && first[1].type === "boolean" && schema.required?.length === 1
    ? first[0]
    : undefined
}

const form = (schema: Field.Json): Answered => {
  const field = onlyBoolean(schema)
  if (field !== undefined) {
    return select(Text.yourAnswer, [
      ["yes", Answer.accept({ [field]: true })],
      ["no", Answer.accept({ [field]: false })],
      ...refusals
    ])
  }
  return Effect.flatMap(select(Text.yourAnswer, [[Text.fillIn, undefined], ...refusals]), (refusal) =>
    refusal === undefined
      ? Effect.map(
          Field.askAll(schema, () => true),
          (content) => Answer.accept(content)
        )
      : Effect.succeed(refusal)
  )
}

const url = (address: string): Answered =>
  Effect.andThen(Console.log(`  ${address}`), select(Text.yourAnswer, [[Text.openedIt, Answer.accept()], ...refusals]))

const textOf = (content: any): string =>
  [content]
    .flat()
    .map((block) => (block?.type === "text" ? block.text : `[${block?.type}]`))
    .join("\n")

const model = (params: any): Answered =>
  Effect.gen(function* () {
    const { dim } = yield* style
    if (params.systemPrompt !== undefined) yield* Console.log(`  ${dim("system")} ${params.systemPrompt}`)
    for (const { content, role } of params.messages ?? []) yield* Console.log(`  ${dim(role)} ${textOf(content)}`)
    return Answer.sampled(yield* Prompt.run(Prompt.String({ message: Text.modelsAnswer })))
  })

const roots: Answered = Effect.map(
  Prompt.run(Prompt.List({ message: Text.yourRoots, default: `file://${process.cwd()}` })),
  (uris) => Answer.roots(uris.map((uri) => uri.trim()).filter((uri) => uri !== ""))
)

const answerTo = ({ method, params }: Answer.Question): Answered => {
  if (method === "roots/list") return roots
  if (method === "sampling/createMessage") return model(params)
  return params.mode === "url" ? url(params.url) : form(params.requestedSchema ?? {})
}

const head = (question: Answer.Question) =>
  Effect.gen(function* () {
    const { bold, cyan } = yield* style
    const who = question.key ?? question.target ?? ""
    yield* Console.log(`\n${[cyan("?"), bold(who), Text.askedFor[question.method]].join(" ")}`)
    if (question.method === "elicitation/create" && question.message !== undefined) {
      yield* Console.log(`  ${question.message.replaceAll("\n", "\n  ")}`)
    }
  })

/** Shows a question and the answer that was told beforehand. */
export const show = (question: Answer.Question, answer: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { dim } = yield* style
    yield* head(question)
    yield* Console.log(`  ${dim(answer)}`)
  })

/** Shows a question and who asks it, and takes the answer. */
export const ask = (question: Answer.Question): Answered => Effect.andThen(head(question), answerTo(question))
