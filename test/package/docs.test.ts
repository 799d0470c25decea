/** Every public export says what it is, to people and to tools, and what its examples show compiles. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { tsc } from "../types/compile.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, "utf8")
const modulesOf = (folder: string) =>
  readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}${name}`)
const files = [...modulesOf("src/"), ...modulesOf("src/testing/")]
const barrels = ["src/index.ts", "src/testing/index.ts", "src/testing/alone.ts"]

const categories = [
  "models",
  "constructors",
  "services",
  "layers",
  "references",
  "accessors",
  "combinators",
  "guards",
  "errors",
  "utility types",
  "testing",
  "arbitraries",
  "constants"
]

interface Export {
  readonly name: string
  readonly line: number
  /** Its docstring without the stars. */
  readonly doc: string
}

const textOf = (comment: string) =>
  comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

const declaration =
  /^(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:declare )?(?:abstract )?(?:const|let|class|interface|type|function|namespace) (\w+)/gm
const named = /^(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:type )?\{([^}]*)\}(?: from "[^"]+")?/gm

const exportsOf = (source: string): ReadonlyArray<Export> => {
  const lineAt = (match: RegExpExecArray) => source.slice(0, match.index + (match[1]?.length ?? 0)).split("\n").length
  const found = Array.from(source.matchAll(declaration), (match) => ({
    name: match[2]!,
    line: lineAt(match),
    doc: textOf(match[1]?.trim() ?? "")
  }))
  const listed = Array.from(source.matchAll(named)).flatMap((match) =>
    match[2]!
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, "")
      )
      .filter((name) => name !== "")
      .map((name) => ({ name, line: lineAt(match), doc: textOf(match[1]?.trim() ?? "") }))
  )
  return [...found, ...listed]
}

/** What is wrong with a docstring; a second declaration of one name (a type beside a value) has its own. */
const faultsOf = ({ doc }: Export): ReadonlyArray<string> => {
  const summary = doc.split(/^@|\n\s*\n/m)[0]!.trim()
  const tags = Array.from(doc.matchAll(/^@category (.*)$/gm), ([, name]) => name!)
  return [
    ...(/^[A-Z`"][\s\S]*[.:]$/.test(summary) ? [] : [`no summary, or no sentence: '${summary}'`]),
    ...(tags.length === 1 ? [] : [`${tags.length} categories`]),
    ...tags.filter((tag) => !categories.includes(tag)).map((tag) => `no such category: '${tag}'`),
    ...(/^@since \d+\.\d+\.\d+$/m.test(doc) ? [] : ["no @since"])
  ]
}

/** A re-export is documented where it is declared, unless the list itself has a docstring. */
const reexported = (source: string) =>
  new Map(
    Array.from(source.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)).flatMap(([, list, from]) =>
      list!.split(",").map((name) => [name.trim().replace(/^type /, ""), from!] as const)
    )
  )

const resolved = (file: string, from: string) =>
  fileURLToPath(new URL(from, `file://${root}${file}`)).slice(root.length)

const documented = (file: string): ReadonlyArray<readonly [Export, string]> => {
  const source = read(file)
  const elsewhere = reexported(source)
  return exportsOf(source).flatMap((found): ReadonlyArray<readonly [Export, string]> => {
    const from = elsewhere.get(found.name)
    if (found.doc !== "" || from === undefined) return [[found, `${file}:${found.line}`]]
    const path = resolved(file, from)
    const there = exportsOf(read(path)).filter(({ name }) => name === found.name)
    return there.map((one) => [one, `${path}:${one.line}`])
  })
}

describe.each(files.filter((file) => !barrels.includes(file)))("%s", (file) => {
  it("exports in no way that this test does not read", () => {
    const lines = read(file).split("\n")
    const exporting = lines.flatMap((line, index) => (line.startsWith("export ") ? [index + 1] : []))
    assert.deepStrictEqual(
      exporting,
      [...new Set(exportsOf(read(file)).map(({ line }) => line))].toSorted((a, b) => a - b)
    )
  })

  it("documents every export: a summary, one @category of the shared ones, @since", () => {
    const found = documented(file)
    assert.isNotEmpty(found)
    const faults = found.flatMap(([one, where]) => faultsOf(one).map((fault) => `${where} ${one.name}: ${fault}`))
    assert.deepStrictEqual(faults, [])
  })

  it("opens with what it is, and since when", () => {
    const opening = /^\/\*\*([\s\S]*?)\*\//.exec(read(file))
    assert.include(opening?.[1] ?? "", "@since")
  })
})

// ---------------------------------------------------------------- fences

interface Fence {
  readonly file: string
  readonly line: number
  readonly body: string
}

const fencesOf = (file: string): ReadonlyArray<Fence> => {
  const lines = read(file).split("\n")
  return lines.flatMap((line, index) => {
    if (!/^\s*\* ```ts\b/.test(line)) return []
    const rest = lines.slice(index + 1)
    const body = rest.slice(
      0,
      rest.findIndex((line) => /^\s*\* ```/.test(line))
    )
    return [{ file, line: index + 1, body: body.map((line) => line.replace(/^\s*\* ?/, "")).join("\n") }]
  })
}

describe("the fences of the docstrings", () => {
  const folder = "node_modules/.cache/fences"
  afterAll(() => rmSync(`${root}${folder}`, { recursive: true, force: true }))

  it("compile, each on its own", () => {
    const fences = files.flatMap(fencesOf)
    assert.isNotEmpty(fences)
    rmSync(`${root}${folder}`, { recursive: true, force: true })
    mkdirSync(`${root}${folder}`, { recursive: true })
    fences.forEach(({ body }, index) => writeFileSync(`${root}${folder}/fence${index}.ts`, `${body}\nexport {}\n`))
    const settings = {
      extends: "../../../tsconfig.json",
      compilerOptions: {
        incremental: false,
        tsBuildInfoFile: null,
        noUnusedLocals: false,
        paths: {
          "effect-resolve": ["../../../src/index.ts"],
          "effect-resolve/testing": ["../../../src/testing/index.ts"],
          "effect-resolve/*": ["../../../src/*.ts"]
        }
      },
      include: ["*.ts"],
      exclude: []
    }
    writeFileSync(`${root}${folder}/tsconfig.json`, JSON.stringify(settings))
    // what is wrong in a source file is for `npm run check` to say
    const errors = tsc("-p", `${folder}/tsconfig.json`).flatMap(({ file, line, text }) => {
      const fence = fences[Number(/fence(\d+)\.ts$/.exec(file)?.[1])]
      return fence === undefined ? [] : [`${fence.file}:${fence.line + line} ${text}`]
    })
    assert.deepStrictEqual(errors, [])
  })
})
