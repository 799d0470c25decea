/**
 * One round of one call: a cell for each resolver that is demanded, run at most once (I1), independent ones side by
 * side (I2), then the body.
 *
 * A cell holds data, `Value | Failed | Pending`, and never fails: `Effect.cached` keeps it. A durable value is
 * restored before its dependencies are demanded (I15). A failure that a plain consumer meets ends the call at once; a
 * suspension interrupts nothing but the body that asked.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ParentSpan } from "effect/Tracer"
import { TimedOut } from "../../Resolver.ts"
import { attempt } from "../base/attempt.ts"
import type { Definition, Override } from "../graph/definition.ts"
import type { Edge, Node, Plan } from "../graph/plan.ts"
import * as Asker from "./asker.ts"
import { remember, restore } from "./durable.ts"
import { type Cell, fill, type Inputs, isValues, missingOf, passes, pending, toInputs } from "./inputs.ts"
import * as Session from "./memory.ts"
import * as Stopwatch from "./stopwatch.ts"
import * as Telemetry from "./telemetry.ts"

export interface Call {
  readonly plan: Plan
  readonly overrides: ReadonlyArray<Override | undefined> | undefined
  readonly args: { readonly [name: string]: unknown }
  readonly session: Session.Session
  /** What every resolver of this call sees: the request, `Call`, `McpContext`, the call's scope, the question services. */
  readonly context: Context.Context<never>
  /** Before the keys of a call made inside a call; empty otherwise. */
  readonly prefix: string
  readonly parent: Asker.Asker | undefined
  readonly cells: Array<Effect.Effect<Cell> | undefined>
  /** What has become of a node, once it is known: no fiber is spent on it again. */
  readonly settled: Array<Cell | undefined>
  readonly askers: Array<Asker.Asker | undefined>
}

export type Outcome =
  | { readonly _tag: "Done"; readonly exit: Exit.Exit<unknown, unknown>; readonly body: boolean }
  | { readonly _tag: "Suspended" }

/** A body: what runs last, with its resolvers' values in reach. It is an asker only when its tool lists a question service. */
export interface Body {
  readonly key: string
  readonly path: string
  readonly asks: boolean
  readonly context: Context.Context<never>
  readonly run: (context: Context.Context<never>) => Effect.Effect<unknown, unknown>
}

const done = (exit: Exit.Exit<unknown, unknown>, body: boolean): Outcome => ({ _tag: "Done", exit, body })
const suspended: Outcome = { _tag: "Suspended" }

/** Runs the resolvers and then the body. The caller closes the scope, with `Asker.suspendedCause` after a suspension. */
export const run = (call: Call, body: Body): Effect.Effect<Outcome> =>
  gather(call, call.plan.roots, call.plan.leading, (inputs): Effect.Effect<Outcome> => {
    if (!isValues(inputs)) return Effect.succeed(inputs === pending ? suspended : done(inputs, false))
    // a resolver may have the name of a body that does not ask: what they call must not meet under one path
    const path = call.prefix + (body.asks ? body.path : `>${body.path}`)
    const asker = Asker.make(body.key, path, call.plan.nodes.length, call)
    const context = fill(Context.add(body.context, Asker.CurrentAsker, asker), call.plan, call.plan.roots, inputs)
    if (!body.asks) {
      return Effect.matchCause(body.run(context), {
        onFailure: (cause) => done(Exit.failCause(cause), true),
        onSuccess: (value) => done(Exit.succeed(value), true)
      })
    }
    // on a fiber of its own, as a cell has one
    const cell = Effect.flatMap(Effect.cached(asking(asker, body.run(context))), (cell) => cell)
    return settle(
      cell,
      () => asker,
      (cell) => Effect.succeed(cell === pending ? suspended : done(cell, true))
    )
  })

// ---------------------------------------------------------------- cells

/** Runs a node unless it has run, remembers what became of it, and goes on with that. */
const demand = <A, E>(call: Call, index: number, next: (cell: Cell) => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const known = call.settled[index] ?? stopped(call.askers[index])
  const remember = (cell: Cell) => {
    call.settled[index] = cell
    return next(cell)
  }
  if (known !== undefined) return remember(known)
  const cell =
    call.cells[index] ??
    Effect.flatMap(Effect.cached(step(call, call.plan.nodes[index]!)), (made) => (call.cells[index] ??= made))
  return settle(cell, () => call.askers[index], remember)
}

/** Waits for a cell. Interrupted by its own question it is pending; otherwise all who waited for it have left. */
const settle = <A, E>(
  cell: Effect.Effect<Cell>,
  asker: () => Asker.Asker | undefined,
  next: (cell: Cell) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.matchCauseEffect(cell, {
    onSuccess: next,
    onFailure: (cause) => {
      const cell = stopped(asker())
      return cell === undefined ? Effect.failCause(cause) : next(cell)
    }
  })

/** What becomes of a body that was interrupted by its own question. */
const stopped = (asker: Asker.Asker | undefined): Cell | undefined =>
  asker === undefined
    ? undefined
    : asker.fatal !== undefined
      ? Exit.die(asker.fatal)
      : asker.pending
        ? pending
        : undefined

const step = (call: Call, node: Node): Effect.Effect<Cell> => {
  const { definition } = node
  const run = Effect.suspend((): Effect.Effect<Cell> => {
    const path = call.prefix + definition.path
    if (definition.durable !== undefined && call.session.durable.has(path)) {
      const restored = Effect.exit(restore(definition, call.session.durable.get(path)))
      return Telemetry.isTraced(call.context)
        ? Telemetry.inSpan(
            `Resolver/${definition.key}`,
            {
              context: call.context,
              attributes: { "effect_resolve.resolver": definition.key, "effect_resolve.outcome": "restored" }
            },
            () => restored,
            () => ({ exit: Exit.void })
          )
        : restored
    }
    return gather(call, node.dependencies, node.leading, (inputs) =>
      isValues(inputs)
        ? compute(call, node, path, fill(call.context, call.plan, node.dependencies, inputs))
        : Effect.succeed(inputs)
    )
  })
  return definition.timeout === undefined ? run : limited(call, node, definition.timeout, run)
}

const compute = (call: Call, node: Node, path: string, context: Context.Context<never>): Effect.Effect<Cell> => {
  const { definition } = node
  const override = call.overrides?.[node.index]
  const resolve = override === undefined ? definition.resolve : override.resolve
  const asker = Asker.make(definition.key, path, node.index, call)
  call.askers[node.index] = asker
  const body = attempt(`Resolver '${definition.key}'`, () => resolve(pick(node, call.args)))
  const own = Context.add(
    override === undefined ? context : Context.merge(override.context, context),
    Asker.CurrentAsker,
    asker
  )
  // I15: a durable body, once begun, is not interrupted by what happens beside it
  const whole =
    definition.durable === undefined
      ? body
      : Effect.uninterruptible(Effect.flatMap(body, (value) => keep(call.session, definition, asker, value)))
  if (!Telemetry.isTraced(own)) return asking(asker, within(whole, own))
  return Telemetry.inSpan(
    `Resolver/${definition.key}`,
    { context: own, attributes: { "effect_resolve.resolver": definition.key } },
    (span) => asking(asker, within(whole, Context.add(own, ParentSpan, span))),
    (exit) => ({
      attributes: {
        "effect_resolve.outcome": asker.pending ? (asker.again === undefined ? "asked" : "asked again") : "ran",
        ...(asker.again === undefined ? {} : { "effect_resolve.reason": asker.again })
      },
      exit: Exit.isFailure(exit) ? Exit.void : exit.value === pending ? Exit.void : Telemetry.withoutValue(exit.value)
    })
  )
}

/** Once it has asked, what a durable body makes of its own suspension is no value, and must not be sealed as one (I11). */
const keep = (session: Session.Session, definition: Definition, asker: Asker.Asker, value: unknown) => {
  if (stopped(asker) !== undefined) return Effect.void
  // nor may anybody ask for it from now on
  asker.ended = true
  return remember(session, definition, asker.wireKey, value)
}

const pick = ({ definition: { reads } }: Node, args: Call["args"]) => {
  const picked: { [name: string]: unknown } = {}
  for (const name of reads) {
    // assigning `__proto__` would set a prototype
    if (Object.hasOwn(args, name)) {
      if (name === "__proto__") Object.defineProperty(picked, name, { value: args[name], enumerable: true })
      else picked[name] = args[name]
    }
  }
  return picked
}

// whatever a body needs is in the context: the compiler has seen to that
const within = (
  body: Effect.Effect<unknown, unknown, any>,
  context: Context.Context<never>
): Effect.Effect<unknown, unknown> =>
  Effect.updateContext(body as Effect.Effect<unknown, unknown>, (_: Context.Context<never>) => context)

/**
 * Runs a body on the fiber at hand, which is its cell's own: a suspension interrupts that one and nothing else (I11).
 * Whatever the body makes of it, once it has asked it is pending.
 */
const asking = (asker: Asker.Asker, body: Effect.Effect<unknown, unknown>): Effect.Effect<Cell> =>
  Effect.withFiber((fiber) => {
    asker.fiber = fiber
    fiber.addObserver(() => {
      asker.ended = true
    })
    const ended = (exit: Exit.Exit<unknown, unknown>): Cell => {
      asker.ended = true
      return stopped(asker) ?? exit
    }
    return Effect.matchCause(body, {
      onFailure: (cause) => ended(Exit.failCause(cause)),
      onSuccess: (value) => ended(Exit.succeed(value))
    })
  })

const limited = (call: Call, node: Node, limit: Duration.Duration, run: Effect.Effect<Cell>): Effect.Effect<Cell> =>
  Effect.suspend(() => {
    const upstream = upstreamOf(call.plan, node.index)
    const watch = Stopwatch.make((asker) => asker.parent === call.parent && upstream.has(asker.index))
    call.session.stopwatches.add(watch)
    const resolver = node.definition.key
    return Effect.raceFirst(
      run,
      Effect.map(Stopwatch.elapsed(watch, limit), () =>
        Exit.fail(new TimedOut({ resolver, limit: Duration.format(limit) }))
      )
    ).pipe(Effect.ensuring(Effect.sync(() => call.session.stopwatches.delete(watch))))
  })

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

// ---------------------------------------------------------------- lists

const noValues: ReadonlyArray<unknown> = []

/** Goes on with what a list gives. `leading` are the edges whose demand brings about that of the others. */
const gather = <A, E>(
  call: Call,
  edges: ReadonlyArray<Edge>,
  leading: ReadonlyArray<Edge>,
  next: (inputs: Inputs) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  if (edges.length === 0) return next(noValues)
  return together(call, leading, (ended) => {
    if (ended !== undefined) return next(ended)
    // a restored durable resolver has demanded nothing, and what it needs may be wanted here
    return edges.every(({ node }) => call.settled[node] !== undefined)
      ? next(inputsOf(call, edges))
      : together(call, edges, (ended) => next(ended ?? inputsOf(call, edges)))
  })
}

/** Demands nodes side by side, and goes on with the failure that ends the list as soon as there is one. */
const together = <A, E>(
  call: Call,
  edges: ReadonlyArray<Edge>,
  next: (ended: Cell | undefined) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  let open = 0
  let last: Edge | undefined
  for (const edge of edges) {
    const cell = call.settled[edge.node]
    if (cell === undefined) {
      open++
      last = edge
    } else if (ends(call, edge, cell)) return next(cell)
  }
  if (last === undefined) return next(undefined)
  const one = last
  if (open === 1) return demand(call, one.node, (cell) => next(ends(call, one, cell) ? cell : undefined))
  return Effect.matchEffect(
    Effect.forEach(
      edges,
      (edge) => demand(call, edge.node, (cell) => (ends(call, edge, cell) ? Effect.fail(cell) : Effect.void)),
      { concurrency: "unbounded", discard: true }
    ),
    { onSuccess: () => next(undefined), onFailure: next }
  )
}

/** A failure ends the list of a plain consumer, but a missing capability is told together with others of the round. */
const ends = (call: Call, edge: Edge, cell: Cell): boolean => !passes(edge, cell) && !refuse(call, edge, cell)

const refuse = (call: Call, edge: Edge, cell: Cell): boolean => {
  const missing = missingOf(cell) !== undefined
  // whoever lists a `.result`, or calls inside a call, may yet do without it
  if (missing && call.parent === undefined && call.plan.decisive.has(edge)) Session.stopAsking(call.session)
  return missing
}

const inputsOf = (call: Call, edges: ReadonlyArray<Edge>): Inputs => {
  const cells = edges.map(({ node }) => call.settled[node]!)
  edges.forEach((edge, i) => passes(edge, cells[i]!) || refuse(call, edge, cells[i]!))
  return toInputs(edges, cells)
}
