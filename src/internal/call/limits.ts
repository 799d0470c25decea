/** The time limits of a round's resolvers: a clock each, which stands still while a question is open that it waits for. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Node, Plan } from "../graph/plan.ts"
import type { Call } from "./body.ts"
import * as Stopwatch from "./stopwatch.ts"

interface Limit {
  readonly node: Node
  readonly watch: Stopwatch.Stopwatch
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

export class Limits {
  readonly #call: Call
  readonly #passed: (index: number) => void
  readonly #limits = new Map<number, Limit>()
  #started = false

  constructor(call: Call, nodes: ReadonlyArray<Node>, passed: (index: number) => void) {
    this.#call = call
    this.#passed = passed
    for (const node of nodes) {
      const upstream = upstreamOf(call.plan, node.index)
      const watch = Stopwatch.make((asker) => asker.parent === call.parent && upstream.has(asker.index))
      call.calling.stopwatches.add(watch)
      this.#limits.set(node.index, { node, watch, fiber: undefined })
    }
  }

  /** Clocks run from the first time that the call waits: what takes no time is in time. */
  readonly start: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#started) return Effect.void
    this.#started = true
    return Effect.forEach(
      Array.from(this.#limits.values()),
      (limit) => {
        const { index, definition } = limit.node
        const elapsed = Effect.map(Stopwatch.elapsed(limit.watch, definition.timeout!), () => this.#passed(index))
        return Effect.map(Effect.forkDetach(elapsed), (fiber) => {
          limit.fiber = fiber
        })
      },
      { discard: true }
    )
  })

  stop(index: number): void {
    const limit = this.#limits.get(index)
    if (limit === undefined) return
    this.#limits.delete(index)
    this.#call.calling.stopwatches.delete(limit.watch)
    limit.fiber?.interruptUnsafe()
  }

  stopAll(): void {
    for (const index of this.#limits.keys()) this.stop(index)
  }
}

/** A node and all that it needs: the clocks that stand still with its questions. */
const upstreams = new WeakMap<Plan, Map<number, ReadonlySet<number>>>()
const upstreamOf = (plan: Plan, index: number): ReadonlySet<number> => {
  const known = upstreams.get(plan) ?? new Map<number, ReadonlySet<number>>()
  upstreams.set(plan, known)
  const found = known.get(index)
  if (found !== undefined) return found
  const set = new Set<number>()
  const stack = [index]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (set.has(next)) continue
    set.add(next)
    for (const edge of plan.nodes[next]!.dependencies) stack.push(edge.node)
  }
  known.set(index, set)
  return set
}
