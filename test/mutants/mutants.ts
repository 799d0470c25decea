/**
 * The mutants of this folder: each breaks one rule, and names the tests that must notice.
 *
 *     # test: test/rules/I07.test.ts :: I7: a forged value changes nothing
 *     src/internal/mcp/arguments.ts
 *      a line that stays, where the others would be found more than once
 *     -the line as it is
 *     +the line as the mutant has it
 *
 * A change is found by its text, which must stand in the file exactly once: wherever that is, however far indented, so that
 * code may move. A line that names a file begins another change.
 */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("./", import.meta.url)
const root = new URL("../../", import.meta.url)

interface Change {
  /** Relative to the root. */
  readonly file: string
  /** Lines without their indentation. */
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

export interface Mutant {
  /** The rule, and what of it: `I8-audience`. */
  readonly name: string
  /** The test file that is run, relative to the root. */
  readonly file: string
  /** The titles that must fail, without the era; nothing else in the file may. */
  readonly titles: ReadonlyArray<string>
  readonly changes: ReadonlyArray<Change>
}

const header = /^# test: (\S+) :: (.+)$/

const read = (name: string): Mutant => {
  const lines = readFileSync(new URL(name, folder), "utf8").split("\n")
  const tests = lines.flatMap((line) => {
    const found = header.exec(line)
    return found === null ? [] : [{ file: found[1]!, title: found[2]!.trim() }]
  })
  const files = new Set(tests.map(({ file }) => file))
  if (files.size !== 1) throw new Error(`${name}: name the tests of one file in lines '# test: <file> :: <title>'`)
  const changes: Array<{ readonly file: string; readonly before: Array<string>; readonly after: Array<string> }> = []
  for (const line of lines) {
    if (line === "" || header.test(line)) continue
    const text = line.slice(1).trim()
    if (!/^[-+ ]/.test(line)) changes.push({ file: line, before: [], after: [] })
    else if (changes.length === 0) throw new Error(`${name}: no file is named before '${line}'`)
    if (/^[- ]/.test(line)) changes.at(-1)!.before.push(text)
    if (/^[+ ]/.test(line)) changes.at(-1)!.after.push(text)
  }
  if (changes.length === 0) throw new Error(`${name}: it changes nothing`)
  return {
    name: name.slice(0, -".mutant".length),
    file: tests[0]!.file,
    titles: tests.map(({ title }) => title),
    changes
  }
}

export const mutants: ReadonlyArray<Mutant> = readdirSync(folder)
  .filter((name) => name.endsWith(".mutant"))
  .sort(new Intl.Collator("en", { numeric: true }).compare)
  .map(read)

/** Each file that a mutant changes, with its new text; throws when a change has no place, or more than one. */
export const applied = ({ name, changes }: Mutant): ReadonlyMap<string, string> => {
  const files = new Map<string, string>()
  for (const { file, before, after } of changes) {
    const lines = (files.get(file) ?? readFileSync(new URL(file, root), "utf8")).split("\n")
    const bare = lines.map((line) => line.trim())
    const places = bare.flatMap((_, at) => (before.every((line, index) => bare[at + index] === line) ? [at] : []))
    if (places.length !== 1) {
      throw new Error(`${name}: found ${places.length} times in ${file}, not once:\n${before.join("\n")}`)
    }
    lines.splice(places[0]!, before.length, ...after)
    files.set(file, lines.join("\n"))
  }
  return files
}

/** `eras` adds the protocol version to a title. */
export const withoutEra = (title: string): string => title.replace(/ \[\d{4}-\d\d-\d\d\]$/, "")
