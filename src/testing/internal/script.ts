/**
 * A script at work: which answer a question gets, and what of the script is left at the end.
 */
import { Effect } from "effect"
import type { Answer, Optional, Question, QuestionMethod, Script, Scripted } from "../Answer.ts"
import { PeerFailure } from "../PeerError.ts"
import * as Text from "./messages.ts"

/**
 * A question, with the answer once it has one.
 *
 * @category models
 * @since 0.1.0
 */
export interface AskedQuestion extends Question {
  readonly answer: Answer | undefined
}

export interface Player {
  readonly take: (question: Question) => Effect.Effect<Answer>
  readonly unused: () => ReadonlyArray<string>
}

type Needed = Exclude<Scripted, Optional>

interface Entry {
  readonly key: string
  readonly scripted: Needed
  readonly optional: boolean
  used: number
}

const describe = (question: Question): string => {
  const who = question.key === undefined ? "" : ` of '${question.key}'`
  const where = question.target === undefined ? "" : ` from '${question.target}'`
  const what = question.message === undefined ? "" : `: ${JSON.stringify(question.message)}`
  return `${question.method}${who}${where}${what}`
}

const kindOf = (answer: Answer): QuestionMethod | "any" => {
  if (answer._tag !== "Result" || typeof answer.result !== "object" || answer.result === null) return "any"
  if ("action" in answer.result) return "elicitation/create"
  if ("roots" in answer.result) return "roots/list"
  return "role" in answer.result || "content" in answer.result ? "sampling/createMessage" : "any"
}

const isOptional = (scripted: Scripted): scripted is Optional =>
  !Array.isArray(scripted) && (scripted as Answer | Optional)._tag === "Optional"

const entryOf = ([key, scripted]: readonly [string, Scripted]): Entry =>
  isOptional(scripted)
    ? { key, scripted: scripted.scripted, optional: true, used: 0 }
    : { key, scripted, optional: false, used: 0 }

const isList = (scripted: Needed): scripted is ReadonlyArray<Answer> => Array.isArray(scripted)

const next = (entry: Entry): Exclude<Needed, ReadonlyArray<Answer>> | undefined =>
  isList(entry.scripted) ? entry.scripted[entry.used] : (entry.scripted as Exclude<Needed, ReadonlyArray<Answer>>)

/** A server that announces no keys: the script is then read in its own order, by the kind of answer. */
const inOrder = (entries: ReadonlyArray<Entry>, method: QuestionMethod): Entry | undefined => {
  const fitting = entries.filter((entry) => {
    const answer = next(entry)
    if (answer === undefined || typeof answer === "function") return answer !== undefined
    const kind = kindOf(answer)
    return kind === "any" || kind === method
  })
  const least = Math.min(...fitting.map(({ scripted, used }) => (isList(scripted) ? 0 : used)))
  return fitting.find(({ scripted, used }) => isList(scripted) || used === least)
}

const run = (
  scripted: Answer | ((question: Question) => Answer | Effect.Effect<Answer>),
  question: Question
): Effect.Effect<Answer> => {
  if (typeof scripted !== "function") return Effect.succeed(scripted)
  return Effect.suspend(() => {
    const answer = scripted(question)
    return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
  })
}

const unscripted = (question: Question, reason: string, keys: ReadonlyArray<string>): PeerFailure =>
  new PeerFailure({ message: Text.unscripted(describe(question), reason, keys) })

const make = (script: Script): Player => {
  if (typeof script === "function") return { take: (question) => run(script, question), unused: () => [] }
  const entries: ReadonlyArray<Entry> = Object.entries(script).map(entryOf)
  const keys = entries.map((entry) => entry.key)
  const find = (question: Question): Entry | string => {
    if (question.key === undefined) {
      return inOrder(entries, question.method) ?? Text.noneOfItsKind
    }
    return entries.find((entry) => entry.key === question.key) ?? Text.noneOfItsKey(question.key)
  }
  return {
    take: (question) =>
      Effect.suspend(() => {
        const entry = find(question)
        if (typeof entry === "string") return Effect.die(unscripted(question, entry, keys))
        const scripted = next(entry)
        if (scripted === undefined) {
          return Effect.die(unscripted(question, Text.usedUp(entry.used, entry.key), keys))
        }
        entry.used++
        return run(scripted, question)
      }),
    unused: () =>
      entries.flatMap(({ key, optional, scripted, used }) => {
        if (optional) return []
        if (!isList(scripted)) return used === 0 ? [`'${key}'`] : []
        return used < scripted.length ? [Text.partlyUsed(key, used, scripted.length)] : []
      })
  }
}

/** The player of a script. A script that stands for no question at all refuses each one. */
export const player = (script: Script | undefined): Player => make(script ?? {})
