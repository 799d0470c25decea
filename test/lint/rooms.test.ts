/** The rooms of `src/internal`: who may import whom, type imports included, and that no import leads in a circle. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const src = new URL("../../src/", import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))

/** What a file imports or re-exports of this package, types included, as paths below `src`. */
const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(new URL(file, src), "utf8").matchAll(
      /^(?:import|export|\}).* from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm
    ),
    ([, from, inline]) => new URL((from ?? inline)!, new URL(file, src)).href.slice(src.href.length)
  )

const graph = new Map(files.map((file) => [file, importsOf(file)]))

/** The groups of files of which each leads to each other. */
const circles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: Array<string> = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file)!)
    open.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) visit(next)
      if (open.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!))
    }
    if (low.get(file) !== index.get(file)) return
    const group = open.splice(open.indexOf(file))
    if (group.length > 1 || graph.get(file)!.includes(file)) found.push(group.sort())
  }
  for (const file of graph.keys()) if (!index.has(file)) visit(file)
  return found
}

/** Each room, and the rooms it may import beside itself. */
const rooms: { readonly [room: string]: ReadonlyArray<string> } = {
  "internal/base": [],
  "internal/graph": ["internal/base"],
  "internal/question": ["internal/base", "internal/graph"],
  "internal/call": ["internal/base", "internal/graph", "internal/question"],
  "internal/state": ["internal/base", "internal/graph", "internal/question"],
  "internal/mcp": ["internal/base", "internal/graph", "internal/question", "internal/call", "internal/state"]
}
const beforeServing = Object.keys(rooms)
const serving: typeof rooms = {
  "internal/serve/adapter": beforeServing,
  "internal/serve/http": [...beforeServing, "internal/serve/adapter"],
  "internal/serve/stdio": [...beforeServing, "internal/serve/adapter"]
}
const internal = { ...rooms, ...serving }
// the command line draws plans before anything is served
const all = {
  ...internal,
  public: Object.keys(internal),
  testing: ["public"],
  bin: ["public", "testing", "internal/graph"]
}

const roomOf = (file: string): string =>
  Object.keys(internal).find((room) => file.startsWith(`${room}/`)) ??
  ["testing", "bin"].find((room) => file.startsWith(`${room}/`)) ??
  (file.includes("/") ? file : "public")

/** The test kit's own door: it listens to the engine, where the wire of older protocols says too little. */
const doors = [
  "testing/internal/questions.ts -> internal/call/observer.ts",
  "testing/internal/server.ts -> internal/call/observer.ts"
]

describe("rooms", () => {
  it("every file of src stands in a room", () => {
    assert.deepStrictEqual(
      files.filter((file) => !(roomOf(file) in all)),
      []
    )
  })

  it("reads the imports it judges", () => {
    assert.include(graph.get("Resolver.ts")!, "internal/graph/definition.ts")
    assert.deepStrictEqual(
      [...graph.values()].flat().filter((file) => !graph.has(file)),
      []
    )
  })

  it("finds a circle where there is one", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
      ["d", ["a", "d"]]
    ])
    assert.deepStrictEqual(circles(graph), [["b", "c"], ["d"]])
  })

  it("no imports lead in a circle", () => {
    assert.deepStrictEqual(circles(graph), [])
  })

  it("a room imports only the rooms before it", () => {
    const wrong = [...graph].flatMap(([file, imports]) =>
      imports
        .filter((imported) => {
          const [from, to] = [roomOf(file), roomOf(imported)]
          return from !== to && !all[from as keyof typeof all].includes(to)
        })
        .map((imported) => `${file} -> ${imported}`)
    )
    assert.deepStrictEqual(wrong, doors)
  })
})
