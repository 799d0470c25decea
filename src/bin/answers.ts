/** `--answers`: what is answered without anybody at the keyboard. */
import { Effect, FileSystem, Schema } from "effect"
import * as Answer from "../testing/Answer.ts"
import * as Text from "./sentences.ts"
import { unusable } from "./trouble.ts"

const Record = Schema.Record(Schema.String, Schema.Unknown)

const Given = Schema.Union([
  Schema.Literals(["decline", "cancel"]),
  Schema.Struct({ accept: Record }),
  Schema.Struct({ model: Schema.Union([Schema.String, Record]) }),
  Schema.Struct({ roots: Schema.Array(Schema.String) })
])

const File = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Union([Given, Schema.Array(Given)])))

const answer = (given: (typeof Given)["Type"]): Answer.Answer => {
  if (given === "decline") return Answer.decline
  if (given === "cancel") return Answer.cancel
  if ("accept" in given) return Answer.accept(given.accept)
  return "model" in given ? Answer.sampled(given.model) : Answer.roots(given.roots)
}

/** Answers by key: one that stands for every time the question is asked, or a list that is used up in order. */
export interface Answers {
  readonly take: (key: string) => Answer.Answer | undefined
  /** Keys that no question had, and lists of which something is left. */
  readonly unused: () => ReadonlyArray<string>
}

export const none: Answers = { take: () => undefined, unused: () => [] }

export const read = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), () => unusable(Text.noFile(file)))
  const given = yield* Effect.mapError(Schema.decodeUnknownEffect(File)(text), () => unusable(Text.noAnswers(file)))
  const used = new Map<string, number>()
  const answers: Answers = {
    take: (key) => {
      const entry = Object.hasOwn(given, key) ? given[key] : undefined
      const count = used.get(key) ?? 0
      const one = Array.isArray(entry) ? entry[count] : entry
      if (one === undefined) return undefined
      used.set(key, count + 1)
      return answer(one)
    },
    unused: () =>
      Object.entries(given).flatMap(([key, entry]) => {
        const wanted = Array.isArray(entry) ? entry.length : 1
        return (used.get(key) ?? 0) < wanted ? [key] : []
      })
  }
  return answers
})
