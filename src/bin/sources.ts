/**
 * Which questions a resolver asks, as far as its own text tells: the type of a resolver says it to the compiler, and
 * nothing is left of that at run time. A question asked by a helper function is not seen.
 */
import { Effect, FileSystem } from "effect"

/** The index after the bracket that closes what surrounds `start`; strings and comments are stepped over. */
const closing = (source: string, start: number): number => {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const char = source[at]!
    if (source.startsWith("//", at)) at = source.indexOf("\n", at)
    else if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1
    else if ("\"'`".includes(char)) {
      for (at++; at < source.length && source[at] !== char; at++) if (source[at] === "\\") at++
    } else if ("([{".includes(char)) depth++
    else if (")]}".includes(char) && --depth < 0) return at
    if (at < 0) break
  }
  return source.length
}

/** From a literal to the end of the call that it is an argument of. */
const callsAround = (source: string, text: string): ReadonlyArray<string> =>
  [`"${text}"`, `'${text}'`, `\`${text}\``].flatMap((literal) => {
    const found: Array<string> = []
    for (let at = source.indexOf(literal); at >= 0; at = source.indexOf(literal, at + 1)) {
      const start = at + literal.length
      found.push(source.slice(start, closing(source, start)))
    }
    return found
  })

const kinds: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bElicitation\.form\b/, "form"],
  [/\bElicitation\.confirm\b/, "confirm"],
  [/\bElicitation\.url\b/, "url"],
  [/\bSampling\.createMessage\b/, "model"],
  [/\bRoots\.list\b/, "roots"]
]

/** `key` to the kinds of question that its definition names. */
export type Asks = (key: string) => ReadonlyArray<string>

export const read = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const sources = yield* Effect.forEach(files, (file) => Effect.orElseSucceed(fs.readFileString(file), () => ""))
  const asks: Asks = (key) => {
    if (key === "effect/ai/LanguageModel") return ["model"]
    const texts = sources.flatMap((source) => callsAround(source, key)).filter((text) => text.includes("resolve"))
    return kinds.flatMap(([pattern, kind]) => (texts.some((text) => pattern.test(text)) ? [kind] : []))
  }
  return asks
})
