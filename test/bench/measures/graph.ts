/** 4. The cost of a node in graphs of 10, 100 and 1,000, of three shapes, with and without an open question. */
import { Effect, Layer, Schema } from "effect"
import { McpServer, Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver } from "effect-resolve"
import { handlersOf } from "../lib/memory-server.ts"
import { report, rounds } from "../lib/rounds.ts"

type Node = Resolver.Any

const node = (key: string, dependencies: ReadonlyArray<Node>, resolve: () => Effect.Effect<unknown, any, any>): Node =>
  class extends Resolver.Service<any>()(key, { dependencies, resolve } as any) {} as any // made in a loop: no literal types

/** A node that adds up what it depends on. */
const sum = (key: string, dependencies: ReadonlyArray<Node>): Node =>
  node(key, dependencies, () => {
    if (dependencies.length === 0) return Effect.succeed(1)
    if (dependencies.length === 1) return Effect.map(read(dependencies[0]!), (value) => value + 1)
    return Effect.map(Effect.all(dependencies.map(read)), (values) => values.reduce((a, b) => a + b, 1) % 1000)
  })
const read = (of: Node) => of as unknown as Effect.Effect<number> // a resolver's key is an Effect of its value

/** Nodes and those of them that the tool lists. */
const shapes: Record<string, (size: number, name: string) => ReadonlyArray<Node>> = {
  chain: (size, name) => {
    let last: ReadonlyArray<Node> = []
    for (let i = 0; i < size; i++) last = [sum(`${name}/${i}`, last)]
    return last
  },
  fan: (size, name) => Array.from({ length: size }, (_, i) => sum(`${name}/${i}`, [])),
  // top <- left, right <- bottom, which is the top of the next one: 2^n paths from end to end
  diamonds: (size, name) => {
    let last: ReadonlyArray<Node> = []
    for (let i = 0; i + 3 <= size; i += 3) {
      const left = sum(`${name}/${i}l`, last)
      const right = sum(`${name}/${i}r`, last)
      last = [sum(`${name}/${i}b`, [left, right])]
    }
    return last
  }
}

const ask = (name: string, dependencies: ReadonlyArray<Node>): Node =>
  node(`${name}/ask`, dependencies, () => Elicitation.confirm("Go on?") as Effect.Effect<unknown, any, any>)

const sizes = [10, 100, 1000]

const program = Effect.gen(function* () {
  const tools: Array<any> = []
  for (const [shape, make] of Object.entries(shapes)) {
    for (const size of sizes) {
      const name = `${shape}_${size}`
      tools.push(Resolve.tool(name, { success: Schema.Int, dependencies: make(size, name) as any }))
      const roots = make(size, `${name}_asks`)
      tools.push(
        Resolve.tool(`${name}_asks`, {
          success: Schema.Int,
          dependencies: [...roots, ask(`${name}_asks`, roots.slice(0, 1))] as any
        })
      )
    }
  }
  const toolkit = Toolkit.make(...tools) as Toolkit.Toolkit<any>
  const live = toolkit.toLayer(
    Object.fromEntries(tools.map((tool) => [tool.name, () => Effect.succeed(1)])) as any
  ) as Layer.Layer<never>
  const handlers = yield* handlersOf(
    Resolve.toolkit(toolkit).pipe(Layer.provide(live)) as Layer.Layer<never, unknown, McpServer.McpServer>
  )

  const contestants: Record<string, (i: number) => Effect.Effect<unknown, unknown>> = {}
  for (const [name, handle] of handlers) {
    const result = yield* handle
    const want = name.endsWith("_asks") ? result.inputRequests !== undefined : result.isError === false
    if (!want) return yield* Effect.fail(new Error(`${name}: ${JSON.stringify(result)}`))
    contestants[name] = () => handle
  }
  return yield* rounds(contestants, { rounds: 7, ms: 80, batch: 4 })
}).pipe(Effect.scoped, Effect.provide(McpServer.McpServer.layer))

report(program)
