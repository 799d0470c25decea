/** The titles of the suite, read from its sources: quick, and none of it has to run. */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("./", import.meta.url)
const string = /(?<quote>["'`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/.source
// `it("..`, `it.effect("..`, `eras("..`, `eras.of("2025-06-18")("..`, `it.each(cases)("..`
const test = new RegExp(`(?:\\b(?:it|test|eras)(?:\\.\\w+)*|[^(]\\))\\(\\s*${string}\\s*,`, "g")
const skipping = /\b(?:it|test|eras|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails|only)\b/

export interface Title {
  readonly file: string
  readonly title: string
  /** Something in its file is skipped, always or sometimes: what, is not worth finding out. */
  readonly skipped: boolean
}

const titlesOf = (file: string): ReadonlyArray<Title> => {
  const source = readFileSync(new URL(file, folder), "utf8")
  const skipped = skipping.test(source)
  return Array.from(source.matchAll(test), (match) => ({
    file,
    title: match.groups!.title!.replace(/\\(.)/g, "$1"),
    skipped
  }))
}

export const titles: ReadonlyArray<Title> = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap(titlesOf)
