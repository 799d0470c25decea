/** The titles of the suite, read from its sources: quick, and none of it has to run. */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("./", import.meta.url)
const string = /(?<quote>["'`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/.source
const alias = /\bconst (\w+) = (?:eras|it)\b/g
const skipping = /\b(?:it|test|eras|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails|only)\b/

export interface Title {
  readonly file: string
  /** As it is written: with `${name}`, `$name` or `%s` where a table fills it in. */
  readonly title: string
  /** Something in its file is skipped, always or sometimes: what, is not worth finding out. */
  readonly skipped: boolean
}

const titlesOf = (file: string): ReadonlyArray<Title> => {
  const source = readFileSync(new URL(file, folder), "utf8")
  const names = ["it", "test", "eras", ...Array.from(source.matchAll(alias), ([, name]) => name!)].join("|")
  // `it("..`, `it.effect("..`, `eras("..`, `eras.of("2025-06-18")("..`, `it.each(cases)("..`
  const test = new RegExp(`(?:\\b(?:${names})(?:\\.\\w+)*|[^(]\\))\\(\\s*${string}\\s*,`, "g")
  const skipped = skipping.test(source)
  return Array.from(source.matchAll(test), (match) => ({
    file: `test/${file}`,
    title: match.groups!.title!.replace(/\\(.)/g, "$1"),
    skipped
  }))
}

export const titles: ReadonlyArray<Title> = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap(titlesOf)

const placeholder = /\$\{[^}]*\}|\$\w+|%[sdo]/
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
const pattern = (title: string) => new RegExp(`^${title.split(placeholder).map(literal).join(".*")}$`)
// a title that is all placeholder fits everything
const says = (title: string) => title.split(placeholder).join("").length > 12

/** Whether a title is one of the suite's, as it is written or as a table fills it in. */
export const names = ({ title }: Title, wanted: string): boolean =>
  title === wanted || (placeholder.test(title) && says(title) && pattern(title).test(wanted))
