/**
 * Where the text of each fence comes from. A fence names its source after its language, and its text is that source's:
 *
 * - ` ```ts examples/shop.ts `: the whole file, without its opening comment;
 * - ` ```ts examples/shop.ts#Shop,ShopLive `: these top-level declarations of it, in this order;
 * - ` ```text refusals `: what the generator of that name makes (generators.ts).
 *
 * `ts` and what looks like output must have a source; `sh`, `json` (settings of other programs) and `ini` have none.
 */
import { readFileSync } from "node:fs"
import { generators } from "./generators.ts"

const root = new URL("../../", import.meta.url)
export const read = (path: string) => readFileSync(new URL(path, root), "utf8")

export interface Fence {
  readonly language: string
  readonly source: string | undefined
  readonly body: string
}

const pattern = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm

export const fencesOf = (page: string): ReadonlyArray<Fence> =>
  Array.from(page.matchAll(pattern), ([, language, source, body]) => ({ language: language!, source, body: body! }))

/** A declaration ends on the first later line that begins at the margin, which is its closing bracket. */
const declaration = (lines: ReadonlyArray<string>, name: string): string => {
  const from = lines.findIndex((line) =>
    new RegExp(`^(export )?(abstract )?(class|const|interface) ${name}\\b`).test(line)
  )
  if (from < 0) throw new Error(`no declaration ${name}`)
  const open = /[([{]$|=>?$/.test(lines[from]!)
  const length = open ? lines.slice(from + 1).findIndex((line) => /^\S/.test(line)) + 2 : 1
  return lines.slice(from, from + length).join("\n")
}

const fromFile = (source: string): string => {
  const [path, names] = source.split("#")
  const text = read(path!).replace(/^\/\*\*[\s\S]*?\*\/\n/, "")
  if (names === undefined) return text
  const lines = text.split("\n")
  return `${names
    .split(",")
    .map((name) => declaration(lines, name))
    .join("\n\n")}\n`
}

const textOf = async (source: string): Promise<string> => {
  if (source.includes("/")) return fromFile(source)
  const generator = generators[source]
  if (generator === undefined) throw new Error(`no generator ${source}`)
  return generator()
}

/** The page with every sourced fence filled anew. */
export const fill = async (page: string): Promise<string> => {
  const texts = new Map<string, string>()
  for (const { source } of fencesOf(page)) if (source !== undefined) texts.set(source, await textOf(source))
  return page.replace(pattern, (whole, language, source) =>
    source === undefined ? whole : `\`\`\`${language} ${source}\n${texts.get(source)}\`\`\``
  )
}
