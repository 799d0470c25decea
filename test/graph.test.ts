/** `Resolve.graph` draws what a toolkit's tools need, before anything runs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Graph, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve, Resolver } from "effect-resolve"
import * as OrderBook from "../examples/02-order-book.ts"
import { resolver } from "./rules/kit.ts"

/** Edges as `from -> to (mode)`, nodes as `key: kind`. */
const drawn = (graph: Graph.DirectedGraph<any, any>) => {
  const nodes = new Map(Graph.entries(Graph.nodes(graph)))
  return {
    nodes: Array.from(nodes.values(), ({ key, kind }) => `${key}: ${kind}`),
    edges: Array.from(
      Graph.values(Graph.edges(graph)),
      ({ data, source, target }) => `${nodes.get(source).key} -> ${nodes.get(target).key} (${data})`
    )
  }
}

describe("Resolve.graph", () => {
  it.effect("draws each resolver once, with an edge from what is needed to what needs it", () =>
    Effect.gen(function* () {
      const { edges, nodes } = drawn(yield* Resolve.graph(OrderBook.Orders))
      assert.deepStrictEqual([...nodes].sort(), [
        "bookshop/CheckStock: resolver",
        "bookshop/Delivery: resolver",
        "order_book: tool"
      ])
      assert.deepStrictEqual([...edges].sort(), [
        "bookshop/CheckStock -> bookshop/Delivery (value)",
        "bookshop/CheckStock -> order_book (value)",
        "bookshop/Delivery -> order_book (value)"
      ])
    })
  )

  it.effect("marks durable resolvers and `.result` edges; two tools share a resolver's node", () =>
    Effect.gen(function* () {
      class Charge extends Resolver.Service<Charge>()("charge", {
        durable: Schema.Int,
        resolve: () => Effect.succeed(7)
      }) {}
      const tool = (name: string, dependencies: any) => Resolve.tool(name, { success: Schema.String, dependencies })
      const kit: any = Toolkit.make(tool("one", [Charge]), tool("two", [Charge.result]), tool("none", []))
      const { edges, nodes } = drawn(yield* Resolve.graph(kit))
      assert.deepStrictEqual([...nodes].sort(), ["charge: durable", "none: tool", "one: tool", "two: tool"])
      assert.deepStrictEqual([...edges].sort(), ["charge -> one (value)", "charge -> two (result)"])
    })
  )

  it.effect("is an `effect/Graph`: acyclic, in topological order, and drawn by `toMermaid`", () =>
    Effect.gen(function* () {
      const graph = yield* Resolve.graph(OrderBook.Orders)
      assert.isTrue(Graph.isAcyclic(graph))
      const keys = Array.from(Graph.values(Graph.topo(graph)), ({ key }) => key)
      assert.deepStrictEqual(keys, ["bookshop/CheckStock", "bookshop/Delivery", "order_book"])
      const text = Graph.toMermaid(graph, { nodeLabel: ({ key }) => key })
      for (const word of ["bookshop/CheckStock", "order_book", "-->"]) assert.include(text, word)
    })
  )

  it.effect("runs nothing, asks nothing, and fails where the graph cannot run", () =>
    Effect.gen(function* () {
      let ran = 0
      const plain = resolver("plain", {}, () => Effect.sync(() => ++ran))
      const self: any = resolver("self", { dependencies: () => [plain, self] }, () => Effect.void)
      const tool = (name: string, dependencies: any) => Resolve.tool(name, { success: Schema.String, dependencies })
      yield* Resolve.graph(Toolkit.make(tool("good", [plain])) as any)
      const error = yield* Effect.flip(Resolve.graph(Toolkit.make(tool("bad", [self])) as any))
      assert.instanceOf(error, Resolve.InvalidSignature)
      assert.include(error.message, "self -> self")
      assert.strictEqual(ran, 0)
    })
  )
})
