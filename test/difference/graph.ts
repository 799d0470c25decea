/**
 * Graphs as data, drawn at random, and what each round of a call must do with one: an oracle of its own, which knows the
 * rules and nothing of the engine.
 *
 * Time makes the oracle exact. Every body takes a time of its own, none or powers of two, so that no two nodes settle in one
 * instant unless one settles the other.
 */
import * as fc from "fast-check"

export interface Edge {
  readonly node: number
  readonly mode: "value" | "result"
}

export interface Node {
  readonly deps: ReadonlyArray<Edge>
  readonly does: "value" | "fail" | "accept" | "decline"
  readonly durable: boolean
  /** How long its body takes before it does that; even. */
  readonly takes: number
  /** Its limit, odd, its dependencies included; none where a question could be open meanwhile. */
  readonly limit: number | undefined
}

export interface Graph {
  readonly nodes: ReadonlyArray<Node>
  readonly list: ReadonlyArray<Edge>
  /** What the tool's own body gives: a result, one that its schema does not encode, or an interim result of its own. */
  readonly gives: "result" | "unfit" | "interim"
}

const edges = (below: number, minLength: number): fc.Arbitrary<ReadonlyArray<Edge>> =>
  below === 0
    ? fc.constant([])
    : fc.uniqueArray(
        fc.record({ node: fc.integer({ min: 0, max: below - 1 }), mode: fc.constantFrom("value", "value", "result") }),
        { minLength, maxLength: 3, selector: ({ node }) => node }
      )

const asks = (nodes: ReadonlyArray<Pick<Node, "deps" | "does">>, index: number): boolean => {
  const { deps, does } = nodes[index]!
  return does === "accept" || does === "decline" || deps.some(({ node }) => asks(nodes, node))
}

export const graph: fc.Arbitrary<Graph> = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc
    .record({
      nodes: fc.tuple(
        ...Array.from({ length: size }, (_, index) =>
          fc.record({
            deps: edges(index, 0),
            does: fc.constantFrom("value", "value", "value", "fail", "accept", "accept", "decline"),
            durable: fc.boolean()
          })
        )
      ),
      // one body may take no time at all
      instant: fc.boolean(),
      order: fc.shuffledSubarray(
        Array.from({ length: size }, (_, index) => index),
        { minLength: size, maxLength: size }
      ),
      limits: fc.array(fc.option(fc.integer({ min: 0, max: 2 ** size }), { nil: undefined, freq: 3 }), {
        minLength: size,
        maxLength: size
      }),
      list: edges(size, 1),
      gives: fc.constantFrom("result", "result", "result", "result", "unfit", "interim")
    })
    .map(({ gives, instant, limits, list, nodes, order }) => ({
      gives,
      list,
      nodes: (nodes as ReadonlyArray<Pick<Node, "deps" | "does" | "durable">>).map((node, index): Node => {
        const limit = limits[index]
        return {
          ...node,
          takes: instant && order[0] === index ? 0 : 2 * 2 ** order.indexOf(index),
          // a limit of its own: no two are reached in one instant, and a durable body never reaches its own
          limit:
            limit === undefined || asks(nodes, index)
              ? undefined
              : node.durable
                ? 100_001 + 2 * index
                : (limit * size + index) * 2 + 1
        }
      })
    }))
)

const line = ({ mode, node }: Edge) => (mode === "result" ? `${node}.result` : String(node))

export const show = ({ gives, list, nodes }: Graph): string =>
  [
    ...nodes.map(
      ({ deps, does, durable, limit, takes }, index) =>
        `${index}: [${deps.map(line).join(", ")}] ${does} after ${takes}${durable ? ", durable" : ""}${limit === undefined ? "" : `, limit ${limit}`}`
    ),
    `tool: [${list.map(line).join(", ")}] gives ${gives}`
  ].join("; ")

/** Why a node has no value. */
export type Failure = { readonly node: number; readonly why: "boom" | "decline" | "limit" }
export type Settled = { readonly value: string } | { readonly failure: Failure }

export const textOf = (settled: Settled): string =>
  "value" in settled ? settled.value : `!${settled.failure.node}${settled.failure.why}`

/** A node's value says what it was made of. */
export const valueOf = (index: number, inputs: ReadonlyArray<string>): string => `${index}(${inputs.join(" ")})`

export interface Round {
  /** Which bodies begin, and which come to their end, a failure or a question included; by number. */
  readonly begun: ReadonlyArray<number>
  readonly ended: ReadonlyArray<number>
  /** Bodies that may begin: their last input and what ends their use come in one instant. */
  readonly maybe: ReadonlySet<number>
  readonly exit:
    | { readonly _: "completed"; readonly text: string }
    | { readonly _: "broken" }
    | { readonly _: "failed"; readonly failure: Failure }
    /** What must be asked: questions that somebody still waits for; and all that were found without an answer. */
    | { readonly _: "suspended"; readonly wanted: ReadonlyArray<number>; readonly put: ReadonlyArray<number> }
  /** Values of durable resolvers that the next round has. */
  readonly durable: ReadonlyMap<number, string>
}

/**
 * One round. `answers` says which questions have one: those that were shown, or all of them where a question is
 * answered at once.
 */
export const round = (
  { gives, list, nodes }: Graph,
  answers: (index: number) => boolean,
  restored: ReadonlyMap<number, string>
): Round => {
  const settled = new Map<number, Settled>()
  const running = new Map<number, number>()
  const since = new Map<number, number>()
  const put = new Set<number>()
  const begun: Array<number> = []
  const ended: Array<number> = []
  const durable = new Map(restored)
  const maybe = new Set<number>()
  let failed: Failure | undefined

  /** What somebody waits for: reached from the call's own list through nodes that are not settled. */
  const wanted = (): ReadonlySet<number> => {
    const found = new Set<number>()
    if (failed !== undefined) return found
    const visit = (edge: Edge) => {
      if (settled.has(edge.node) || found.has(edge.node)) return
      found.add(edge.node)
      nodes[edge.node]!.deps.forEach(visit)
    }
    list.forEach(visit)
    return found
  }

  /** Settles a node, and with it every consumer that lists it plainly and has it fail. */
  const settle = (index: number, outcome: Settled): void => {
    settled.set(index, outcome)
    running.delete(index)
    put.delete(index)
    if ("value" in outcome && nodes[index]!.durable) durable.set(index, outcome.value)
    if (!("failure" in outcome)) return
    if (list.some(({ mode, node }) => node === index && mode === "value")) failed ??= outcome.failure
    nodes.forEach(({ deps }, consumer) => {
      if (settled.has(consumer) || !wanted().has(consumer)) return
      if (deps.some(({ mode, node }) => node === index && mode === "value")) settle(consumer, outcome)
    })
  }

  /** What this settling lets begin though it may also end the use of it: as if no failure ended anything. */
  const loose = (index: number, outcome: Settled) => {
    const before = wanted()
    const known = new Set([...settled.keys(), index])
    const spread = (from: number) => {
      for (const consumer of before) {
        const fails = nodes[consumer]!.deps.some(({ mode, node }) => node === from && mode === "value")
        if (known.has(consumer) || !fails) continue
        known.add(consumer)
        spread(consumer)
      }
    }
    if ("failure" in outcome) spread(index)
    for (const node of before) {
      const free = !running.has(node) && !put.has(node) && !known.has(node)
      if (free && nodes[node]!.deps.every(({ node }) => known.has(node))) maybe.add(node)
    }
  }

  const ready = (index: number): boolean =>
    !running.has(index) &&
    !put.has(index) &&
    !settled.has(index) &&
    nodes[index]!.deps.every(({ node }) => settled.has(node))

  const leave = (now: number) => {
    const still = wanted()
    for (const index of running.keys()) {
      if (still.has(index)) continue
      // begun in the very instant in which it is left
      if (since.get(index) === now) maybe.add(index)
      if (!nodes[index]!.durable) running.delete(index)
    }
  }

  const start = (now: number) => {
    const still = wanted()
    for (const index of [...still].sort((a, b) => a - b)) {
      if (!ready(index)) continue
      begun.push(index)
      maybe.delete(index)
      since.set(index, now)
      running.set(index, now + nodes[index]!.takes)
    }
  }

  const over = (index: number, outcome: Settled) => {
    loose(index, outcome)
    settle(index, outcome)
  }

  const finish = (index: number) => {
    const { deps, does } = nodes[index]!
    ended.push(index)
    if ((does === "accept" || does === "decline") && !answers(index)) {
      running.delete(index)
      put.add(index)
      return
    }
    if (does === "fail") return over(index, { failure: { node: index, why: "boom" } })
    if (does === "decline") return over(index, { failure: { node: index, why: "decline" } })
    over(index, {
      value: valueOf(
        index,
        deps.map(({ node }) => textOf(settled.get(node)!))
      )
    })
  }

  for (const [index, value] of restored) settled.set(index, { value })
  start(0)
  for (;;) {
    const still = wanted()
    const limits = nodes.flatMap(({ limit }, index) =>
      limit !== undefined && still.has(index) ? [{ at: limit, index, limited: true }] : []
    )
    const ends = [...running].map(([index, at]) => ({ at, index, limited: false }))
    // a limit is of interest only while something else is under way
    if (ends.length === 0) break
    const next = [...limits, ...ends].sort((a, b) => a.at - b.at)[0]!
    if (next.limited) over(next.index, { failure: { node: next.index, why: "limit" } })
    else finish(next.index)
    leave(next.at)
    start(next.at)
  }

  const common = { begun: begun.sort((a, b) => a - b), ended: ended.sort((a, b) => a - b), durable, maybe }
  if (failed !== undefined) return { ...common, exit: { _: "failed", failure: failed } }
  if (list.every(({ node }) => settled.has(node))) {
    if (gives !== "result") return { ...common, exit: { _: "broken" } }
    const text = list.map(({ node }) => textOf(settled.get(node)!)).join(" ")
    return { ...common, exit: { _: "completed", text } }
  }
  const still = wanted()
  return { ...common, exit: { _: "suspended", wanted: [...put].filter((index) => still.has(index)), put: [...put] } }
}
