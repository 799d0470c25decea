/**
 * One fault in each module of `faults/`, and the sentence that helps. A module's first two lines are the command and what
 * it says, after its exit code; `<time>` stands for any text without a quotation mark.
 */
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { project } from "./terminal.ts"

const faults = new URL("./faults/", import.meta.url)
const shop = project()
afterAll(shop.remove)
shop.write("calls.json", `{ "order_book": {} }`)
shop.write("answers.json", `{ "shop/Consent": { "accept": { "confirm": true } } }`)
const modules = readdirSync(faults)
for (const name of modules) shop.write(`faults/${name}`, readFileSync(new URL(name, faults), "utf8"))

describe.concurrent("a module with one fault is told what is wrong and what to do", () => {
  it.each(modules)("%s", async (name) => {
    const [command = "", expected = ""] = readFileSync(new URL(name, faults), "utf8").split("\n")
    const [verb = "", ...flags] = command.replace("// effect-resolve ", "").split(" ")
    const [, code, sentence = ""] = /^\/\/ (\d): (.+)$/.exec(expected) ?? []
    const ended = await shop.run([verb, `faults/${name}`, ...flags])
    const said = `${ended.out}${ended.err}`.replaceAll(/It is [^"]+?\. /g, "It is <time>. ")
    assert.include(said, sentence === "" ? "a sentence in its second line" : sentence)
    assert.strictEqual(ended.code, Number(code))
  })

  it("twenty of them at least", () => assert.isAtLeast(modules.length, 20))
})
