/** The mutants of this folder: each is a patch that breaks one rule, under lines that name the tests it must break. */
import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("./", import.meta.url)

export interface Mutant {
  /** The rule, and what of it: `I8-audience`. */
  readonly name: string
  /** The test file that is run, relative to the root. */
  readonly file: string
  /** The titles that must fail, without the era; nothing else in the file may. */
  readonly titles: ReadonlyArray<string>
  readonly patch: string
}

// `# test: test/rules/I07.test.ts :: I7: a forged value changes nothing`
const header = /^# test: (\S+) :: (.+)$/gm

const read = (name: string): Mutant => {
  const patch = readFileSync(new URL(name, folder), "utf8")
  const tests = Array.from(patch.matchAll(header), ([, file, title]) => ({ file: file!, title: title!.trim() }))
  const files = new Set(tests.map(({ file }) => file))
  if (files.size !== 1) throw new Error(`${name}: name the tests of one file in lines '# test: <file> :: <title>'`)
  return {
    name: name.slice(0, -".patch".length),
    file: tests[0]!.file,
    titles: tests.map(({ title }) => title),
    patch
  }
}

export const mutants: ReadonlyArray<Mutant> = readdirSync(folder)
  .filter((name) => name.endsWith(".patch"))
  .sort(new Intl.Collator("en", { numeric: true }).compare)
  .map(read)

/** `eras` adds the protocol version to a title. */
export const withoutEra = (title: string): string => title.replace(/ \[\d{4}-\d\d-\d\d\]$/, "")
