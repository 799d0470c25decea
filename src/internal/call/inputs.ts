/** Cells as what a list of dependencies makes of them: values, or what stands in their way. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { MissingCapability } from "../base/questionErrors.ts"
import type { Edge, Plan } from "../graph/plan.ts"
import { merge } from "../question/capabilities.ts"
import { questionErrorOf } from "../question/modelError.ts"

/** A question below is open. */
export const pending = "pending"

/** What has become of a node: a value, a failure, or an open question. It is data, and never fails. */
export type Cell = Exit.Exit<unknown, unknown> | typeof pending

/** What a list of edges gives: the values, or the cell that stands in their way. */
export type Inputs = ReadonlyArray<unknown> | Cell
export const isValues = (inputs: Inputs): inputs is ReadonlyArray<unknown> => Array.isArray(inputs)

export const missingOf = (cell: Cell): MissingCapability | undefined => {
  if (cell === pending || Exit.isSuccess(cell)) return undefined
  const error = questionErrorOf(cell.cause)
  return error instanceof MissingCapability ? error : undefined
}

/** A consumer of the plain value has nothing to do with a failure; one of the `.result` has, unless it is a defect. */
export const passes = (edge: Edge, cell: Cell): boolean =>
  cell === pending || Exit.isSuccess(cell) || (edge.mode === "result" && isTyped(cell))

const isTyped = (cell: Exit.Failure<unknown, unknown>): boolean =>
  cell.cause.reasons.every((reason) => reason._tag === "Fail")

/** Several missing capabilities are told in one. */
export const toInputs = (edges: ReadonlyArray<Edge>, cells: ReadonlyArray<Cell>): Inputs => {
  let missing: MissingCapability | undefined
  let waits = false
  for (let i = 0; i < edges.length; i++) {
    const cell = cells[i]!
    if (cell === pending) {
      waits = true
    } else if (!passes(edges[i]!, cell)) {
      const lacks = missingOf(cell)
      if (lacks === undefined) return cell
      missing = missing === undefined ? lacks : both(missing, lacks)
    }
  }
  if (missing !== undefined) return Exit.fail(missing)
  return waits ? pending : edges.map((edge, i) => consume(edge, cells[i] as Exit.Exit<unknown, unknown>))
}

const both = (left: MissingCapability, right: MissingCapability) =>
  new MissingCapability({
    resolver: left.resolver,
    requiredCapabilities: merge(left.requiredCapabilities, right.requiredCapabilities)
  })

const consume = (edge: Edge, exit: Exit.Exit<unknown, unknown>): unknown => {
  if (edge.mode === "value") return Exit.isSuccess(exit) ? exit.value : undefined
  return Exit.isSuccess(exit) ? Result.succeed(exit.value) : Result.fail(Cause.squash(exit.cause))
}

/** The context of a body, with the values of its list in reach. */
export const fill = (
  context: Context.Context<never>,
  plan: Plan,
  edges: ReadonlyArray<Edge>,
  values: ReadonlyArray<unknown>
): Context.Context<never> => {
  let filled = context
  for (let i = 0; i < edges.length; i++) {
    const { definition } = plan.nodes[edges[i]!.node]!
    filled = Context.addUnsafe(
      filled,
      (edges[i]!.mode === "value" ? definition.service : definition.result).key,
      values[i]
    )
  }
  return filled
}
