/** The side of a schema that is on the wire, read from the public `SchemaAST`. */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export interface Descent {
  /** The node whose values are on the wire. */
  readonly node: SchemaAST.AST
  /** Every node passed on the way, the decoded side first: any of them may carry the title. */
  readonly layers: ReadonlyArray<SchemaAST.AST>
  /** Those whose values are the decoded ones: a `default` annotated there has to be encoded. */
  readonly decoded: ReadonlyArray<SchemaAST.AST>
  /** Those whose values are the encoded ones. */
  readonly encoded: ReadonlyArray<SchemaAST.AST>
}

/** Follows a schema to its encoded side, through transformations, defaults and `Schema.optional`. */
export const descend = (ast: SchemaAST.AST): Descent => {
  const layers: Array<SchemaAST.AST> = []
  let node = ast
  let crossed = 0
  let decoded: number | undefined
  for (;;) {
    layers.push(node)
    if (node.encoding !== undefined) {
      decoded ??= layers.length
      for (const link of node.encoding.slice(0, -1)) layers.push(link.to)
      crossed = layers.length
      node = node.encoding[node.encoding.length - 1]!.to
      continue
    }
    const present = SchemaAST.isUnion(node) ? node.types.filter((type) => !SchemaAST.isUndefined(type)) : []
    if (present.length !== 1) {
      return { node, layers, decoded: layers.slice(0, decoded), encoded: layers.slice(crossed) }
    }
    node = present[0]!
  }
}

const notes = (ast: SchemaAST.AST): ReadonlyArray<Schema.Annotations.Annotations | undefined> => [
  ast.context?.annotations,
  // an annotation after `check` lands on the last check, one before it on the node: later ones win
  ...(ast.checks ?? []).map((check) => check.annotations as Schema.Annotations.Annotations | undefined).reverse(),
  ast.annotations
]

/** The first value annotated under `key`, from the decoded side to the encoded one; `annotateKey` wins. */
export const annotated = (layers: ReadonlyArray<SchemaAST.AST>, key: string): unknown => {
  for (const layer of layers) {
    for (const note of notes(layer)) {
      const value = note?.[key]
      if (value !== undefined) return value
    }
  }
  return undefined
}

type Payload = { readonly [key: string]: unknown }

/** The checks of a node that Effect knows by name, groups taken apart. */
export const checksOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [id: string, payload: Payload]> => {
  const found: Array<readonly [string, Payload]> = []
  const visit = (check: SchemaAST.Check<any>): void => {
    const known = representationOf(check)
    if (known !== undefined) found.push([known.id, (known.payload ?? {}) as Payload])
    if (check._tag === "FilterGroup") check.checks.forEach(visit)
  }
  ast.checks?.forEach(visit)
  return found
}

/** What Effect calls a declaration or a check of its own. */
export const representationOf = (of: {
  readonly annotations?: unknown
}): { readonly id: string; readonly payload: unknown } | undefined =>
  (of.annotations as { readonly representation?: { readonly id: string; readonly payload: unknown } } | undefined)
    ?.representation

const innerOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Union":
      return ast.types
    case "Suspend":
      return [ast.thunk()]
    case "Declaration":
      return ast.typeParameters
    default:
      return []
  }
}

/** Whether a schema has an annotation anywhere in it: much cheaper than its JSON Schema, where most have none. */
export const mentions = (ast: SchemaAST.AST, key: string): boolean => {
  const seen = new Set<SchemaAST.AST>()
  const rest = [ast]
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    if (annotated([node], key) !== undefined) return true
    rest.push(...innerOf(node), ...(node.encoding ?? []).map(({ to }) => to))
  }
  return false
}
