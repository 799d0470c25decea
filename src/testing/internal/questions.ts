/**
 * The questions a peer is asked, on both eras: whose they are, whether they may be asked, and what they were answered.
 */
import { Effect } from "effect"
import type { AnnouncedQuestion } from "../../internal/call/observer.ts"
import type { Answer, Question, QuestionMethod } from "../Answer.ts"
import { PeerFailure } from "../PeerError.ts"
import type { Activity } from "./activity.ts"
import type { Profile } from "./envelope.ts"
import * as Text from "./messages.ts"
import type { AskedQuestion, Player } from "./script.ts"
import type { Trouble } from "./trouble.ts"

export interface Questions {
  readonly asked: Array<AskedQuestion>
  /** Hears the engine say whose the next question is. */
  readonly announce: (question: AnnouncedQuestion) => Effect.Effect<void>
  /** Answers a question by the script, or dies saying why it cannot. */
  readonly answer: (question: {
    readonly key: string | undefined
    readonly method: string
    readonly params: unknown
    readonly target: string | undefined
  }) => Effect.Effect<Answer>
}

const isQuestionMethod = (method: string): method is QuestionMethod =>
  method === "elicitation/create" || method === "sampling/createMessage" || method === "roots/list"

/** The capability a client must have declared for a question, if this one did not: a server must not ask for more. */
const undeclared = (capabilities: Profile["capabilities"], method: QuestionMethod, params: any): string | undefined => {
  if (method === "roots/list") return capabilities.roots === undefined ? "roots" : undefined
  if (method === "sampling/createMessage") {
    if (capabilities.sampling === undefined) return "sampling"
    return params?.tools !== undefined && capabilities.sampling.tools === undefined ? "sampling.tools" : undefined
  }
  const elicitation = capabilities.elicitation
  if (elicitation === undefined) return "elicitation"
  if (params?.mode === "url") return elicitation.url === undefined ? "elicitation.url" : undefined
  return elicitation.form === undefined && elicitation.url !== undefined ? "elicitation.form" : undefined
}

export const textOf = (method: QuestionMethod, params: any): string | undefined => {
  if (method === "elicitation/create") return params?.message
  if (method === "roots/list") return undefined
  const content = params?.messages?.at?.(-1)?.content
  const block = Array.isArray(content) ? content.find((item) => item?.type === "text") : content
  return typeof block?.text === "string" ? block.text : undefined
}

export const make = (profile: Profile, player: Player, activity: Activity, trouble: Trouble): Questions => {
  const asked: Array<AskedQuestion> = []
  const announced: Array<AnnouncedQuestion> = []

  // The wire of old protocols carries no key: the announcement that says the same thing is this question's.
  const keyOf = (method: QuestionMethod, params: unknown): string | undefined => {
    const text = textOf(method, params)
    const same = announced.findIndex((one) => one.method === method && textOf(method, one.params) === text)
    const index = same === -1 ? announced.findIndex((one) => one.method === method) : same
    return index === -1 ? undefined : announced.splice(index, 1)[0]?.key
  }

  const wait = (answer: Answer): Effect.Effect<Answer> =>
    answer._tag === "Never" ? Effect.never : Effect.succeed(answer)

  const check = (method: string, params: unknown): Effect.Effect<QuestionMethod> => {
    if (!isQuestionMethod(method)) {
      return Effect.die(new PeerFailure({ message: Text.strangeQuestion(method) }))
    }
    const missing = undeclared(profile.capabilities, method, params)
    if (missing === undefined) return Effect.succeed(method)
    const message = Text.undeclared(method, missing)
    return Effect.die(new PeerFailure({ message }))
  }

  const put = (question: Question): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const index = asked.push({ ...question, answer: undefined }) - 1
      activity.questions++
      activity.ticks++
      return player.take(question).pipe(
        Effect.tap((answer) =>
          Effect.sync(() => {
            asked[index] = { ...question, answer }
          })
        ),
        Effect.flatMap(wait),
        Effect.ensuring(
          Effect.sync(() => {
            activity.questions--
            activity.ticks++
          })
        )
      )
    })

  return {
    asked,
    announce: (question) => Effect.sync(() => announced.push(question)),
    answer: ({ key, method, params, target }) =>
      Effect.flatMap(check(method, params), (method) =>
        put({ key: key ?? keyOf(method, params), method, params, message: textOf(method, params), target })
      ).pipe(Effect.tapDefect(trouble.died))
  }
}
