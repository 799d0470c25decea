/**
 * From a tool's list of resolvers to its plan, once, when it is registered (rule I12).
 *
 * Pure: it runs nothing and asks nothing. Every fault of a graph that the compiler could not see fails here, before a
 * client connects.
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Text from "../base/sentences.ts"
import { type Definition, escape, type Override, type Reference, referenceOf } from "./definition.ts"

/**
 * A graph that cannot run: a cycle, an argument that no tool declares, two resolvers of one key, a list that holds
 * neither a resolver nor a key. The message names the tool, the resolver and the whole path (rule I12).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidSignature extends Schema.TaggedError<InvalidSignature>()("InvalidSignature", {
  /** What holds the list, such as `Tool 'order_book'`. */
  owner: Schema.String,
  /** The keys from the owner's list down to the fault. */
  path: Schema.Array(Schema.String),
  message: Schema.String
}) {}

export interface Edge {
  readonly node: number
  readonly mode: Reference["mode"]
}

/** One resolver of a plan. Its index is its place in plan order: dependencies come before their consumers. */
export interface Node {
  readonly index: number
  readonly definition: Definition
  readonly dependencies: ReadonlyArray<Edge>
}

/** Who consumes a node: another node, or the owner's own list, whose place is behind the last node. */
export interface Consumer {
  readonly consumer: number
  readonly mode: Reference["mode"]
}

/** Who holds the list: a tool, a prompt, a resource. */
export interface Owner {
  readonly kind: "Tool" | "Prompt" | "Resource"
  readonly name: string
  /** The decoded arguments by name, with their schemas where they are known; undefined when no names can be known. */
  readonly arguments: Readonly<Record<string, Schema.Constraint | undefined>> | undefined
}

/** An argument that a resolver's own schema checks further than the tool's. */
export interface Check {
  readonly name: string
  readonly resolver: string
  readonly schema: Schema.Constraint
}

export interface Plan {
  readonly owner: Owner
  /** The owner's name as a part of wire keys. */
  readonly path: string
  readonly nodes: ReadonlyArray<Node>
  readonly roots: ReadonlyArray<Edge>
  /** By node. */
  readonly consumers: ReadonlyArray<ReadonlyArray<Consumer>>
  /** The consumers whose failure ends the call: the owner's own list, and what it reaches by plain values only. */
  readonly decisive: ReadonlySet<number>
  readonly checks: ReadonlyArray<Check>
}

/** How sentences name it. */
export const label = (owner: Owner) => `${owner.kind} '${owner.name}'`

const fault = (owner: Owner, path: ReadonlyArray<string>, problem: string) =>
  Result.fail(
    new InvalidSignature({
      owner: label(owner),
      path: [...path],
      message: Text.atPath(label(owner), problem, path)
    })
  )

/** The way down to a resolver, written out only when something is wrong: a path of each would cost its depth each time. */
interface Step {
  readonly key: string
  readonly up: Step | undefined
}

const pathOf = (step: Step | undefined): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (let at = step; at !== undefined; at = at.up) path.push(at.key)
  return path.reverse()
}

/** The walk's position in one node's list, so that no recursion depth limits a graph. */
interface Frame {
  readonly definition: Definition | undefined
  readonly at: Step | undefined
  readonly list: ReadonlyArray<unknown>
  readonly edges: Array<Edge>
  /** By node and mode: an element listed twice is one edge. */
  readonly listed: Set<string>
  next: number
}

const frameOf = (definition: Definition | undefined, at: Step | undefined, list: ReadonlyArray<unknown>): Frame => ({
  definition,
  at,
  list,
  edges: [],
  listed: new Set(),
  next: 0
})

/**
 * The resolvers that fill a key wherever it is listed below, because the owner lists them for it: an interface, of which
 * each tool chooses the implementation.
 */
const fillsOf = (list: ReadonlyArray<unknown>): ReadonlyMap<string, Definition> => {
  const fills = new Map<string, Definition>()
  for (const element of list) {
    const reference = referenceOf(element)
    if (reference?.mode === "value") fills.set(reference.definition.key, reference.definition)
  }
  return fills
}

const listOf = (owner: Owner, at: Step | undefined, thunk: () => unknown) =>
  Result.flatMap(Result.mapError(Result.try(thunk), Text.unreadableList), (list) =>
    Array.isArray(list) ? Result.succeed(list as ReadonlyArray<unknown>) : Result.fail(Text.noList)
  ).pipe(Result.match({ onSuccess: Result.succeed, onFailure: (problem) => fault(owner, pathOf(at), problem) }))

const known = (owner: Owner, name: string) => owner.arguments === undefined || Object.hasOwn(owner.arguments, name)

/** What is wrong with a resolver itself. */
const problemOf = (owner: Owner, definition: Definition): string | undefined => {
  for (const name of definition.reads) {
    if (!known(owner, name)) return Text.noArgument(name, definition.key, Object.keys(owner.arguments ?? {}))
  }
  // the compiler sees this, but a program in JavaScript has none
  return typeof definition.resolve === "function" ? undefined : Text.noResolve(definition.key, definition.resolve)
}

/** The plan of one list, or the first fault met on a walk in the order of the lists. */
export const make = (owner: Owner, dependencies: () => unknown): Result.Result<Plan, InvalidSignature> => {
  const nodes: Array<Node> = []
  const placed = new Map<Definition, number>()
  const open = new Set<Definition>()
  const byKey = new Map<string, Step>()
  const first = listOf(owner, undefined, dependencies)
  if (Result.isFailure(first)) return Result.fail(first.failure)
  const fills = fillsOf(first.success)
  const stack: Array<Frame> = [frameOf(undefined, undefined, first.success)]
  for (;;) {
    const frame = stack[stack.length - 1]!
    if (frame.next === frame.list.length) {
      if (frame.definition === undefined) {
        const roots = frame.edges
        return Result.succeed({
          owner,
          path: escape(owner.name),
          nodes,
          roots,
          consumers: consumersOf(nodes, roots),
          decisive: decisiveOf(nodes, roots),
          checks: checksOf(owner, nodes)
        })
      }
      placed.set(frame.definition, nodes.length)
      open.delete(frame.definition)
      nodes.push({
        index: nodes.length,
        definition: frame.definition,
        dependencies: frame.edges
      })
      stack.pop()
      continue
    }
    const element = frame.list[frame.next]
    const reference = referenceOf(element) ?? filledBy(fills, frame.definition, element)
    if (reference === undefined) {
      if (!Context.isKey(element)) {
        return fault(owner, pathOf(frame.at), Text.foreignElement(element))
      }
      frame.next++
      continue
    }
    const { definition, mode } = reference
    const index = placed.get(definition)
    if (index !== undefined) {
      const listed = `${index}.${mode}`
      if (!frame.listed.has(listed)) frame.edges.push({ node: index, mode })
      frame.listed.add(listed)
      frame.next++
      continue
    }
    const at: Step = { key: definition.key, up: frame.at }
    if (open.has(definition)) {
      const path = pathOf(at)
      return fault(owner, path, Text.cycle(cycle(path)))
    }
    const same = byKey.get(definition.key)
    if (same !== undefined) {
      return fault(owner, pathOf(at), Text.oneKeyTwice(definition.key, pathOf(same), pathOf(at)))
    }
    byKey.set(definition.key, at)
    const wrong = problemOf(owner, definition)
    if (wrong !== undefined) return fault(owner, pathOf(at), wrong)
    const list = listOf(owner, at, definition.dependencies)
    if (Result.isFailure(list)) return Result.fail(list.failure)
    open.add(definition)
    stack.push(frameOf(definition, at, list.success))
  }
}

// a resolver may list the key that it is for: then it is given what the request has under it
const filledBy = (
  fills: ReadonlyMap<string, Definition>,
  by: Definition | undefined,
  element: unknown
): Reference | undefined => {
  const definition = Context.isKey(element) ? fills.get(element.key) : undefined
  return definition === undefined || definition === by ? undefined : { definition, mode: "value" }
}

const consumersOf = (
  nodes: ReadonlyArray<Node>,
  roots: ReadonlyArray<Edge>
): ReadonlyArray<ReadonlyArray<Consumer>> => {
  const consumers: Array<Array<Consumer>> = nodes.map(() => [])
  const add = (consumer: number, edges: ReadonlyArray<Edge>) => {
    for (const { mode, node } of edges) consumers[node]!.push({ consumer, mode })
  }
  for (const { dependencies, index } of nodes) add(index, dependencies)
  add(nodes.length, roots)
  return consumers
}

const decisiveOf = (nodes: ReadonlyArray<Node>, roots: ReadonlyArray<Edge>): ReadonlySet<number> => {
  const decisive = new Set<number>([nodes.length])
  const stack = [...roots]
  for (let edge = stack.pop(); edge !== undefined; edge = stack.pop()) {
    if (edge.mode === "result" || decisive.has(edge.node)) continue
    decisive.add(edge.node)
    for (const dependency of nodes[edge.node]!.dependencies) stack.push(dependency)
  }
  return decisive
}

const cycle = (path: ReadonlyArray<string>) => path.slice(path.indexOf(path[path.length - 1]!)).join(" -> ")

// an argument whose schema is the tool's own has been checked by decoding
const checksOf = (owner: Owner, nodes: ReadonlyArray<Node>): ReadonlyArray<Check> =>
  nodes.flatMap(({ definition }) =>
    Object.entries(definition.fields).flatMap(([name, schema]) =>
      owner.arguments?.[name] === schema ? [] : [{ name, resolver: definition.key, schema }]
    )
  )

/** The decoded arguments of a parameters schema, by name. */
export const argumentsOf = (schema: Schema.Constraint): Owner["arguments"] => {
  if ("fields" in schema) return schema.fields as Record<string, Schema.Constraint>
  const ast = SchemaAST.toType(schema.ast)
  return SchemaAST.isObjects(ast)
    ? Object.fromEntries(ast.propertySignatures.map((property) => [String(property.name), undefined]))
    : undefined
}

/** The replacements that apply to a plan, by node; `undefined` when there are none at all. */
export const overridesOf = (
  plan: Plan,
  context: Context.Context<never>
): ReadonlyArray<Override | undefined> | undefined => {
  let found: Array<Override | undefined> | undefined
  for (const { definition, index } of plan.nodes) {
    const override = Context.getOrUndefined(context, definition.override)
    // by identity: a replacement for another resolver of that key is not for this one
    if (override === undefined || override.definition !== definition) continue
    override.used = true
    found ??= []
    found[index] = override
  }
  return found
}
