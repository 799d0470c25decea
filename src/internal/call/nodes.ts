/**
 * The resolvers of one round: a ready queue over the plan. A node starts when its inputs are known, on a fiber of the
 * call's own, and settles its consumers; nobody waits for a node but the call, and nothing nests.
 *
 * A node's body is begun at most once (I1) and independent ones run side by side (I2). Once begun it belongs to the
 * call: it ends when it ends, when no way from the call's own list leads to it any more, or with the round. A durable
 * value is restored without what its resolver needs (I15).
 */
import { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TimedOut } from "../base/questionErrors.ts"
import type { Edge, Node, Plan } from "../graph/plan.ts"
import { Asker } from "./asker.ts"
import { body, type Call, named, restored } from "./body.ts"
import { type Cell, type Inputs, isValues, missingOf, passes, pending, toInputs } from "./inputs.ts"
import { Limits } from "./limits.ts"

/** How long one turn of the thread may last, in milliseconds, before others of the process have theirs. */
const turn = 5

// the thread's own clock, not that of the program, which a test may stop
const thread = Clock.defaultValue()

/** What the call's own list gives. */
export const gather = (call: Call): Effect.Effect<Inputs> =>
  call.plan.roots.length === 0 ? noInputs : new Round(call).run

const noInputs: Effect.Effect<Inputs> = Effect.succeed([])

type Running = Fiber.Fiber<unknown, unknown>

class Round {
  readonly #call: Call
  readonly #nodes: ReadonlyArray<Node>
  readonly #cells: Array<Cell | undefined>
  readonly #fibers: Array<Running | undefined>
  readonly #askers: Array<Asker | undefined>
  /** How many dependencies of a node are not settled yet; the last place is the call's own list. */
  readonly #waits: Array<number>
  /** Nodes that this round does not want: behind a restored value, or left by all who wanted them. */
  #unwanted: Set<number> | undefined
  /** How many unsettled consumers a node has; counted once one has left early. */
  #wants: Array<number> | undefined
  readonly #ready: Array<number> = []
  #next = 0
  readonly #settling: Array<number> = []
  readonly #limits: Limits | undefined
  #running = 0
  #result: Inputs | undefined
  #resume: ((effect: Effect.Effect<void>) => void) | undefined
  #turnBegan = 0
  #starting = false

  constructor(call: Call) {
    const { nodes, roots } = call.plan
    this.#call = call
    this.#nodes = nodes
    this.#cells = new Array(nodes.length)
    this.#fibers = new Array(nodes.length)
    this.#askers = new Array(nodes.length)
    this.#waits = new Array(nodes.length + 1)
    const restored = this.#restored()
    this.#unwanted = restored === undefined ? undefined : behind(call.plan, restored)
    for (const { index, dependencies } of nodes) {
      if (this.#unwanted?.has(index)) continue
      this.#waits[index] = restored?.has(index) ? 0 : dependencies.length
      if (this.#waits[index] === 0) this.#ready.push(index)
    }
    this.#waits[nodes.length] = roots.length
    const limited = nodes.filter(
      ({ definition, index }) => definition.timeout !== undefined && !this.#unwanted?.has(index)
    )
    this.#limits = limited.length === 0 ? undefined : new Limits(call, limited, (index) => this.#timedOut(index))
  }

  #restored(): ReadonlySet<number> | undefined {
    const { calling, plan, prefix } = this.#call
    if (calling.memory.durable.size === 0) return undefined
    const restored = new Set<number>()
    for (const { definition, index } of plan.nodes) {
      if (definition.durable !== undefined && calling.memory.durable.has(prefix + definition.path)) restored.add(index)
    }
    return restored.size === 0 ? undefined : restored
  }

  get run(): Effect.Effect<Inputs> {
    return Effect.suspend(() => {
      this.#start()
      return Effect.onExit(this.#loop, () => this.#stop())
    }) as Effect.Effect<Inputs>
  }

  // -------------------------------------------------------------- the queue

  readonly #loop: Effect.Effect<Inputs> = Effect.suspend((): Effect.Effect<Inputs> => {
    this.#settleAll()
    if (this.#result !== undefined) return Effect.succeed(this.#result)
    if (this.#next === this.#ready.length) return Effect.flatMap(this.#woken, () => this.#loop)
    const now = thread.currentTimeMillisUnsafe()
    if (now - this.#turnBegan > turn) {
      return Effect.flatMap(Effect.yieldNow, () => {
        this.#turnBegan = thread.currentTimeMillisUnsafe()
        return this.#loop
      })
    }
    const index = this.#ready[this.#next++]!
    if (this.#cells[index] !== undefined || this.#unwanted?.has(index)) return this.#loop
    return Effect.flatMap(Effect.forkDetach(this.#begin(index), { startImmediately: true }), () => this.#loop)
  })

  // clocks run from the first time that the call waits: what takes no time is in time
  readonly #woken: Effect.Effect<void> = Effect.suspend(() => {
    const waiting = Effect.callback<void>((resume) => {
      // the fiber may have had to yield on its way here, and a node that ended meanwhile has woken nobody
      if (this.#settling.length > 0) return resume(Effect.void)
      this.#resume = resume
      this.#pause()
    })
    return this.#limits === undefined ? waiting : Effect.andThen(this.#limits.start, waiting)
  })

  #wake(): void {
    const resume = this.#resume
    if (resume === undefined) return
    this.#resume = undefined
    this.#start()
    resume(Effect.void)
  }

  #start(): void {
    this.#starting = true
    this.#turnBegan = thread.currentTimeMillisUnsafe()
    this.#call.calling.start()
  }

  #pause(): void {
    if (!this.#starting) return
    this.#starting = false
    this.#call.calling.pause()
  }

  #begin(index: number): Effect.Effect<unknown, unknown> {
    return Effect.withFiber((fiber) => {
      // before anything of it runs: what it wakes may end the call at once
      this.#fibers[index] = fiber
      this.#running++
      fiber.addObserver((exit) => this.#ended(index, exit))
      const node = this.#nodes[index]!
      const { calling, parent, prefix, sequence } = this.#call
      const { definition } = node
      const path = prefix + definition.path
      if (definition.durable !== undefined && calling.memory.durable.has(path)) return restored(this.#call, node, path)
      const inputs = this.#inputsOf(node.dependencies) as ReadonlyArray<unknown> // it is ready: all of them are values
      const asker = new Asker(definition.key, path, index, sequence, parent)
      asker.fiber = fiber
      this.#askers[index] = asker
      return body(this.#call, node, asker, inputs)
    })
  }

  #ended(index: number, exit: Exit.Exit<unknown, unknown>): void {
    const asker = this.#askers[index]
    if (asker !== undefined) asker.ended = true
    this.#fibers[index] = undefined
    this.#running--
    if (this.#cells[index] === undefined && !this.#unwanted?.has(index)) {
      this.#settle(index, asker?.pending === true ? pending : named(this.#nodes[index]!.definition, exit))
    }
    this.#wake()
  }

  // -------------------------------------------------------------- settling

  /** What has become of a node: its consumers hear of it in the next turn of the queue. */
  #settle(index: number, cell: Cell): void {
    this.#cells[index] = cell
    this.#limits?.stop(index)
    this.#settling.push(index)
  }

  #settleAll(): void {
    // in the order of time: the first that fails is the one that is told
    for (let next = 0; next < this.#settling.length; next++) this.#tell(this.#settling[next]!)
    this.#settling.length = 0
  }

  #tell(index: number): void {
    const cell = this.#cells[index]!
    const { consumers, nodes } = this.#call.plan
    for (const { consumer, mode } of consumers[index]!) {
      const own = consumer === nodes.length
      if (own ? this.#result !== undefined : this.#cells[consumer] !== undefined || this.#unwanted?.has(consumer)) {
        continue
      }
      this.#waits[consumer]!--
      const edge: Edge = { node: index, mode }
      if (!passes(edge, cell)) {
        if (missingOf(cell) === undefined) {
          this.#fails(consumer, cell)
          continue
        }
        // told together with others of the round: whoever lists a `.result`, or calls inside a call, may do without it
        if (this.#call.parent === undefined && mode === "value" && this.#call.plan.decisive.has(consumer)) {
          this.#call.calling.stopAsking()
        }
      }
      if (this.#waits[consumer] === 0) this.#reached(consumer)
    }
  }

  /** The inputs of a consumer are known. */
  #reached(consumer: number): void {
    const { nodes, roots } = this.#call.plan
    if (consumer === nodes.length) {
      this.#result = this.#inputsOf(roots)
      return
    }
    const inputs = this.#inputsOf(nodes[consumer]!.dependencies)
    if (isValues(inputs)) this.#ready.push(consumer)
    else this.#settle(consumer, inputs)
  }

  #inputsOf(edges: ReadonlyArray<Edge>): Inputs {
    return toInputs(
      edges,
      edges.map(({ node }) => this.#cells[node]!)
    )
  }

  /** A consumer settles as a failure before all that it needs is known: what only it wanted is left. */
  #fails(consumer: number, cell: Cell): void {
    if (this.#call.plan.decisive.has(consumer)) {
      // whatever else is known, this ends the round, and the others with it
      this.#result = cell
      return
    }
    this.#cells[consumer] = cell
    this.#limits?.stop(consumer)
    this.#after(this.#leave(consumer), consumer)
  }

  /** A node has settled; its consumers hear of it when what it leaves behind is over. */
  #after(left: ReadonlyArray<Running>, index: number): void {
    let open = left.length
    if (open === 0) {
      this.#settling.push(index)
      return
    }
    for (const fiber of left) {
      fiber.addObserver(() => {
        if (--open > 0) return
        this.#settling.push(index)
        this.#wake()
      })
      fiber.interruptUnsafe()
    }
  }

  /** The fibers of what nobody can want any more, now that this node has settled without it. */
  #leave(index: number): ReadonlyArray<Running> {
    const wants = (this.#wants ??= this.#countWants())
    const left: Array<Running> = []
    const stack = [index]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      for (const { node } of this.#nodes[next]!.dependencies) {
        if (this.#cells[node] !== undefined || this.#unwanted?.has(node) || --wants[node]! > 0) continue
        this.#unwanted = (this.#unwanted ?? new Set()).add(node)
        this.#limits?.stop(node)
        const fiber = this.#fibers[node]
        if (fiber === undefined) stack.push(node)
        else left.push(fiber)
      }
    }
    return left
  }

  #countWants(): Array<number> {
    const { nodes, roots } = this.#call.plan
    const wants = nodes.map(() => 0)
    const count = (edges: ReadonlyArray<Edge>) => {
      for (const { node } of edges) wants[node]!++
    }
    count(roots)
    for (const { dependencies, index } of nodes) {
      // the one that has just settled still counts for what it is about to leave
      const began = this.#fibers[index] !== undefined
      if (!this.#unwanted?.has(index) && !began && this.#waits[index]! > 0) count(dependencies)
    }
    return wants
  }

  // -------------------------------------------------------------- time limits

  #timedOut(index: number): void {
    if (this.#cells[index] !== undefined) return
    const { key, timeout } = this.#nodes[index]!.definition
    this.#cells[index] = Exit.fail(new TimedOut({ resolver: key, limit: Duration.format(timeout!) }))
    const own = this.#fibers[index]
    this.#after(own === undefined ? this.#leave(index) : [own], index)
    this.#wake()
  }

  // -------------------------------------------------------------- the end

  /** What still runs ends with the round, before a body starts and before the scope closes. */
  #stop(): Effect.Effect<void> {
    this.#pause()
    // nobody waits for the queue any more: what ends from here on must not start it again
    this.#resume = undefined
    this.#limits?.stopAll()
    if (this.#running === 0) return Effect.void
    // a question of a durable resolver must not hold up a call that has failed
    const failed = this.#result === undefined || !isValues(this.#result)
    if (failed && this.#call.parent === undefined) this.#call.calling.stopAsking()
    return Fiber.interruptAll(this.#fibers.filter((fiber) => fiber !== undefined))
  }
}

/** What is reached from the call's own list only by way of restored values. */
const behind = (plan: Plan, restored: ReadonlySet<number>): Set<number> => {
  const wanted = new Set<number>()
  const stack = plan.roots.map(({ node }) => node)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (wanted.has(next)) continue
    wanted.add(next)
    if (!restored.has(next)) for (const { node } of plan.nodes[next]!.dependencies) stack.push(node)
  }
  return new Set(plan.nodes.filter(({ index }) => !wanted.has(index)).map(({ index }) => index))
}
