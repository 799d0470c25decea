/** The pages say what is so: every fence has its source's text, every link leads somewhere, every command exists. */
import { existsSync, readdirSync } from "node:fs"
import { assert, describe, expect, it } from "vitest"
import { names, titles } from "../titles.ts"
import { fencesOf, fill, read } from "./fences.ts"
import { refusals } from "./generators.ts"

const root = new URL("../../", import.meta.url)
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(new URL("examples/", root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `examples/${name}`)
]

const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: { readonly [name: string]: string } }
const lifecycle = ["ci", "install", "test", "start"]

/** What is wrong with a line of a shell fence. */
const faultOf = (line: string): ReadonlyArray<string> =>
  line.split(/ && /).flatMap((command) => {
    const [program, verb, name] = command.replace(/^(\w+=\S+ )+/, "").split(" ")
    if (program === "#" || program === "") return []
    if (program === "npm") {
      const script = verb === "run" ? name! : verb!
      return (verb !== "run" && lifecycle.includes(script)) || script in scripts ? [] : [`${command}: no such script`]
    }
    const path = command.split(" ").find((word) => /^(examples|test|src)\//.test(word))
    return path === undefined || existsSync(new URL(path, root)) ? [] : [`${command}: no such file`]
  })

describe.each(pages)("%s", (page) => {
  const text = read(page)
  const fences = fencesOf(text)

  it("has in every fence what its source says (`npm test -- test/docs -u` writes it)", async () => {
    assert.strictEqual(fences.length * 2, text.match(/^ *```/gm)?.length ?? 0, "a fence that is not read")
    const unsourced = fences.filter(
      ({ language, source }) => source === undefined && /^(ts|text|mermaid)$/.test(language)
    )
    assert.deepStrictEqual(unsourced, [])
    await expect(await fill(text)).toMatchFileSnapshot(new URL(page, root).pathname)
  })

  it("names commands that exist", () => {
    const lines = fences.filter(({ language }) => language === "sh").flatMap(({ body }) => body.trim().split("\n"))
    assert.deepStrictEqual(lines.flatMap(faultOf), [])
    for (const [, script] of text.matchAll(/`npm run ([\w:]+)/g)) assert.property(scripts, script!)
  })

  it("links to what is there", () => {
    const base = new URL(page, root)
    const links = Array.from(text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g), ([, path]) => path!)
    assert.deepStrictEqual(
      links.filter((path) => !existsSync(new URL(path, base))),
      []
    )
  })

  it("quotes tests by titles that exist", () => {
    const quoted = Array.from(text.matchAll(/\(test:\s+"([^"]+)"\)/g), ([, title]) => title!.replace(/\s+/g, " "))
    assert.deepStrictEqual(
      quoted.filter((wanted) => !titles.some((title) => names(title, wanted))),
      []
    )
  })
})

describe("README.md", () => {
  const text = read("README.md")

  it("has one row for each rule, linked to a file that tests it by name", () => {
    const rows = Array.from(text.matchAll(/^\| \[(I\d+)\]\(([^)]+)\) \|/gm), ([, rule, file]) => ({ rule, file }))
    assert.deepStrictEqual(
      rows.map(({ rule }) => rule),
      Array.from({ length: 15 }, (_, index) => `I${index + 1}`)
    )
    const untested = rows.filter(
      ({ file, rule }) => !titles.some((title) => title.file === file && title.title.startsWith(`${rule}: `))
    )
    assert.deepStrictEqual(untested, [])
  })

  it("quotes refusals as the server says them", async () => {
    const said = (await refusals()).split("\n")
    assert.include(text, `| a decline, a cancel | \`isError\`, \`${said[0]}\` |`)
    assert.include(text, `| an answer that does not fit | \`isError\`, \`${said[2]}\` |`)
  })

  it("is at most 250 lines long, with a program of 25 lines on its first screen", () => {
    assert.isAtMost(text.trimEnd().split("\n").length, 250)
    const programs = fencesOf(text)
      .filter(({ language }) => language === "ts")
      .slice(0, 2)
    assert.deepStrictEqual(
      programs.map(({ source }) => source),
      ["examples/shop.ts", "examples/main.ts"]
    )
    const code = programs.flatMap(({ body }) => body.split("\n")).filter((line) => line !== "")
    assert.isAtMost(code.length, 27)
  })
})
