/** `graph`: what each tool, prompt and resource needs, as a tree, as Mermaid or as JSON. */
import { Console, Effect, Graph, Layer } from "effect"
import type { Toolkit } from "effect/ai"
import { toGraph } from "../internal/graph/drawing.ts"
import type { AnnouncedPlan } from "../internal/graph/observer.ts"
import type { Edge, Node } from "../internal/graph/plan.ts"
import * as Resolve from "../Resolve.ts"
import { type Loaded, load } from "./load.ts"
import * as Text from "./sentences.ts"
import { scoped, serve } from "./serve.ts"
import { type Asks, read } from "./sources.ts"
import { type Style, style } from "./style.ts"
import { say, type Trouble, unusable } from "./trouble.ts"

export interface Options {
  readonly module: string
  readonly exported: string
  readonly endpoint: boolean
  readonly tool: string | undefined
  readonly as: "tree" | "mermaid" | "json"
}

const kindOf = ({ plan }: AnnouncedPlan) => plan.owner.kind.toLowerCase()
const argumentsOf = ({ plan }: AnnouncedPlan) => Object.keys(plan.owner.arguments ?? {})
const signature = (announced: AnnouncedPlan) => {
  const names = argumentsOf(announced).join(", ")
  return names === "" && announced.plan.owner.kind === "Resource" ? "" : `(${names})`
}

/** Each resolver once: where it comes again, a line points back. */
const tree = (announced: AnnouncedPlan, asks: Asks, { bold, cyan, dim, yellow }: Style): ReadonlyArray<string> => {
  const { plan } = announced
  const shown = new Set<number>()
  const lines: Array<string> = []
  const notes = ({ definition }: Node, mode: Edge["mode"]) =>
    [
      ...(mode === "result" ? [cyan(".result")] : []),
      ...(definition.durable === undefined ? [] : [cyan("durable")]),
      ...(definition.reads.length === 0 ? [] : [dim(Text.reads(definition.reads))]),
      ...[asks(definition.key)].flatMap((kinds) => (kinds.length === 0 ? [] : [yellow(Text.asks(kinds))]))
    ].map((note) => `  ${note}`)
  const branch = (edges: ReadonlyArray<Edge>, indent: string): void =>
    edges.forEach((edge, index) => {
      const node = plan.nodes[edge.node]!
      const last = index === edges.length - 1
      const head = `${dim(`${indent}${last ? "└─" : "├─"}`)} ${node.definition.key}`
      if (shown.has(edge.node)) {
        const again = edge.mode === "result" ? `  ${cyan(".result")}` : ""
        return void lines.push(`${head}${again}  ${dim(Text.shownAbove)}`)
      }
      shown.add(edge.node)
      lines.push(`${head}${notes(node, edge.mode).join("")}`)
      branch(node.dependencies, `${indent}${last ? "   " : "│  "}`)
    })
  const body = announced.asks ? `  ${yellow(Text.bodyAsks)}` : ""
  lines.push(`${dim(kindOf(announced))} ${bold(plan.owner.name)}${dim(signature(announced))}${body}`)
  branch(plan.roots, "")
  return lines
}

const mermaid = (plans: ReadonlyArray<AnnouncedPlan>): string =>
  Graph.toMermaid(toGraph(plans.map(({ plan }) => plan)), {
    direction: "LR",
    nodeShape: ({ kind }) => (kind === "tool" ? "stadium" : kind === "durable" ? "cylindrical" : "rectangle"),
    edgeLabel: (mode) => (mode === "result" ? ".result" : "")
  })

const json = (plans: ReadonlyArray<AnnouncedPlan>, asks: Asks) => {
  const needs = ({ plan }: AnnouncedPlan, edges: ReadonlyArray<Edge>) =>
    edges.map(({ mode, node }) => ({ resolver: plan.nodes[node]!.definition.key, as: mode }))
  const resolvers = new Map<string, unknown>()
  for (const announced of plans) {
    for (const { definition, dependencies } of announced.plan.nodes) {
      resolvers.set(definition.key, {
        key: definition.key,
        durable: definition.durable !== undefined,
        reads: definition.reads,
        asks: asks(definition.key),
        needs: needs(announced, dependencies)
      })
    }
  }
  const owners = plans.map((announced) => ({
    kind: kindOf(announced),
    name: announced.plan.owner.name,
    arguments: argumentsOf(announced),
    bodyAsks: announced.asks,
    needs: needs(announced, announced.plan.roots)
  }))
  return { owners, resolvers: [...resolvers.values()] }
}

/** A toolkit whose tools do nothing: what they need is known all the same. */
const idle = (toolkit: Toolkit.Any): Loaded["registrations"] => {
  const handlers = Object.fromEntries(Object.keys(toolkit.tools).map((name) => [name, () => Effect.never]))
  const untyped = toolkit as Toolkit.Toolkit<any> // a module that is loaded by its name comes without types
  return Resolve.toolkit(untyped).pipe(Layer.provide(untyped.toLayer(handlers)))
}

/** Without its database a module still says what its tools need: its toolkits do, if it exports them. */
const ofToolkits = Effect.fnUntraced(function* (loaded: Loaded, trouble: Trouble) {
  const [first, ...rest] = loaded.toolkits.map(([, toolkit]) => idle(toolkit))
  if (first === undefined) return yield* trouble
  const served = serve({ ...loaded, registrations: Layer.mergeAll(first, ...rest) }, false)
  const { plans } = yield* Effect.mapError(served, () => trouble)
  const names = loaded.toolkits.map(([name]) => name)
  const [reason = ""] = trouble.lines
  yield* Console.error(say("hint", Text.onlyToolkits(loaded.name, names, reason), yield* style))
  return plans
})

export const graph = Effect.fn("graph")(function* ({ as, endpoint, exported, module, tool }: Options) {
  const loaded = yield* load(module, exported)
  const plans = yield* Effect.catch(
    Effect.map(serve(loaded, endpoint), ({ plans }) => plans),
    (trouble) => ofToolkits(loaded, trouble)
  )
  const chosen = plans.filter(({ plan }) => tool === undefined || plan.owner.name === tool)
  const names = plans.map(({ plan }) => plan.owner.name)
  if (plans.length === 0) return yield* unusable(Text.nothingRegistered(module))
  if (chosen.length === 0) return yield* unusable(Text.noOwner(tool ?? "", names))
  if (as === "mermaid") return yield* Console.log(mermaid(chosen))
  const asks = yield* read(loaded.files)
  if (as === "json") return yield* Console.log(JSON.stringify(json(chosen, asks), undefined, 2))
  const paint = yield* style
  yield* Console.log(chosen.map((announced) => tree(announced, asks, paint).join("\n")).join("\n\n"))
}, scoped)
