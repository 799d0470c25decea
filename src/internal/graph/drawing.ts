/** Plans drawn as one graph. */
import * as Graph from "effect/Graph"
import type { Definition, Reference } from "./definition.ts"
import type { Edge, Plan } from "./plan.ts"

/**
 * A node of the graph that `Resolve.graph` draws: a resolver, a durable one, or the tool that consumes them. As a text it
 * is its key, with `(durable)` after that of a durable one.
 *
 * @category models
 * @since 0.1.0
 */
export class GraphNode {
  readonly key: string
  readonly kind: "resolver" | "durable" | "tool"
  constructor(key: string, kind: GraphNode["kind"]) {
    this.key = key
    this.kind = kind
  }
  toString(): string {
    return this.kind === "durable" ? `${this.key} (durable)` : this.key
  }
}

/** Plans as one graph: an edge leads from what is needed to what needs it; its data is how it is consumed. */
export const toGraph = (plans: ReadonlyArray<Plan>): Graph.DirectedGraph<GraphNode, Reference["mode"]> =>
  Graph.directed<GraphNode, Reference["mode"]>((graph) => {
    const drawn = new Map<Definition, Graph.NodeIndex>()
    const edges = new Set<string>()
    for (const plan of plans) {
      const indexOf = (node: number) => {
        const { definition } = plan.nodes[node]!
        const index =
          drawn.get(definition) ??
          Graph.addNode(graph, new GraphNode(definition.key, definition.durable === undefined ? "resolver" : "durable"))
        drawn.set(definition, index)
        return index
      }
      const connect = (edge: Edge, to: Graph.NodeIndex) => {
        const from = indexOf(edge.node)
        const id = `${from}>${to}:${edge.mode}`
        if (edges.has(id)) return
        edges.add(id)
        Graph.addEdge(graph, from, to, edge.mode)
      }
      for (const node of plan.nodes) for (const edge of node.dependencies) connect(edge, indexOf(node.index))
      const tool = Graph.addNode(graph, new GraphNode(plan.owner.name, "tool"))
      for (const edge of plan.roots) connect(edge, tool)
    }
  })
