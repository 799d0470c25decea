/**
 * What is wrong with a value that does not decode, in our own words: every fault with its path as a person writes it,
 * what is wanted, and what kind of value came. A value that came is never shown.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { short } from "./printable.ts"
import * as Text from "./sentences.ts"
import { inText, isInWords, kindOf, quoted, wanted } from "./wanted.ts"
import { descend } from "./wireSide.ts"

/** One place where decoding failed. */
export interface Fault {
  readonly path: ReadonlyArray<PropertyKey>
  /** The schema of that place, with everything between it and the wire. */
  readonly ast: SchemaAST.AST
  /** The schema around that place, where it is known. */
  readonly around: SchemaAST.AST | undefined
  readonly value: unknown
  /** The node whose check failed: one of the schema's, or one on its way to the wire. */
  readonly on: SchemaAST.AST | undefined
  readonly issue: SchemaIssue.Issue
}

const maxFaults = 10
const maxPath = 100
const maxMessage = 200

const childOf = (around: SchemaAST.AST | undefined, key: PropertyKey): SchemaAST.AST | undefined => {
  if (around === undefined) return undefined
  const { node } = descend(around)
  switch (node._tag) {
    case "Objects":
      return (
        node.propertySignatures.find(({ name }) => name === key)?.type ??
        node.indexSignatures.map(({ type }) => type)[0]
      )
    case "Arrays":
      return typeof key === "number" ? (node.elements[key] ?? node.rest[0]) : undefined
    case "Suspend":
      return childOf(node.thunk(), key)
    default:
      return undefined
  }
}

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as { readonly [key: PropertyKey]: unknown })[key]
    : undefined

/**
 * The places where decoding failed, in order. Of a union whose members fail each in its own way the union is the place,
 * unless `deep` asks for those of every member.
 */
export const places = (
  root: SchemaAST.AST,
  issue: SchemaIssue.Issue,
  value: unknown,
  deep: boolean
): ReadonlyArray<Fault> => {
  const found: Array<Fault> = []
  const visit = (
    issue: SchemaIssue.Issue,
    fault: Omit<Fault, "issue" | "on">,
    around: SchemaAST.AST | undefined
  ): void => {
    switch (issue._tag) {
      case "Pointer": {
        let at = fault
        let inner = around ?? fault.ast
        for (const key of issue.path) {
          const ast = childOf(inner, key)
          at = {
            path: [...at.path, key],
            ast: ast ?? inner,
            around: inner,
            value: memberOf(at.value, key)
          }
          inner = ast ?? inner
        }
        visit(issue.issue, at, undefined)
        return
      }
      case "Composite":
        for (const inner of issue.issues) visit(inner, fault, issue.ast)
        return
      case "Encoding":
        visit(issue.issue, fault, around)
        return
      case "AnyOf":
      case "OneOf": {
        const issues = issue._tag === "AnyOf" ? issue.issues : []
        if (issues.length === 1 || (deep && issues.length > 0)) {
          for (const inner of issues) visit(inner, fault, around)
          return
        }
      }
    }
    found.push({ ...fault, on: around, issue })
  }
  visit(issue, { path: [], ast: root, around: undefined, value }, root)
  return found
}

const isName = /^[\p{L}\p{N}_$-]+$/u

/** `edits[0].old`; a name that could be taken for a path is quoted. */
export const pathOf = (path: ReadonlyArray<PropertyKey>): string => {
  const text = path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`
      const name = short(String(key), 40)
      return isName.test(name) || name.endsWith("…") ? `${index === 0 ? "" : "."}${name}` : `[${JSON.stringify(name)}]`
    })
    .join("")
  return short(text, maxPath)
}

const namesOf = (around: SchemaAST.AST | undefined): ReadonlyArray<string> => {
  if (around === undefined) return []
  const { node } = descend(around)
  return node._tag === "Objects" ? node.propertySignatures.map(({ name }) => String(name)) : []
}

/** How a place is called, and what is said of the whole, where no place in it is at fault. */
export interface Naming {
  readonly one: (path: string) => string
  readonly whole: string
  /** Everything is text there: it need not be said. */
  readonly text: boolean
  /** Whether the kind that came is said. */
  readonly kinds: boolean
}

export const ofArguments: Naming = { one: Text.argumentAt, whole: Text.argumentsInvalid, text: false, kinds: true }

/** Arguments of prompts, and those in a URI. */
export const ofTexts: Naming = { ...ofArguments, text: true }

/** Fields of a form, for which a person sees what they have written. */
export const ofFields: Naming = { one: Text.fieldAt, whole: Text.contentInvalid, text: false, kinds: false }

const isNever = (ast: SchemaAST.AST): boolean => descend(ast).node._tag === "Never"

interface Said {
  readonly text: string
  /** Whether it is a sentence of the author's, and not what is wanted. */
  readonly message: boolean
}

const said = (annotations: object | undefined): Said | undefined => {
  const { message, expected } = (annotations ?? {}) as { readonly message?: unknown; readonly expected?: unknown }
  if (typeof message === "string") return { text: short(message, maxMessage), message: true }
  return typeof expected === "string" ? { text: short(expected, maxMessage), message: false } : undefined
}

/** What an author's own check says, which a list does not show. */
const ownWords = (issue: SchemaIssue.Issue): Said | undefined => {
  if (issue._tag === "InvalidValue") return said(issue.annotations)
  if (issue._tag !== "Filter") return undefined
  const own = said(issue.filter.annotations)
  if (own?.message) return own
  return ownWords(issue.issue) ?? (isInWords(issue.filter) ? undefined : own)
}

const predicate = ({ ast, issue, on, value }: Fault, words: string, naming: Naming): string => {
  const own = ownWords(issue)
  if (own?.message) return Text.because(own.text)
  // what Effect says of a text on its way to something else says less than what that is
  const { layers, node } = descend(ast)
  const isText = (of: SchemaAST.AST) => of._tag === "String" || of._tag === "TemplateLiteral"
  const onWay = layers.length > 1 && on !== undefined && isText(on) && !layers.slice(0, -1).some(isText)
  if (own !== undefined && node._tag !== "TemplateLiteral" && !onWay) return Text.mustBe(own.text)
  if (issue._tag === "Filter" && !onWay && !isInWords(issue.filter)) return Text.mustPass(words)
  if (!naming.kinds) return Text.mustBe(words)
  const kind = kindOf(value)
  // `must be a string of at least 3 characters, got a string` says nothing with its last part
  const isKind =
    words.endsWith(inText) || naming.text ? kind === "a string" : words === kind || words.startsWith(`${kind} `)
  return isKind ? Text.mustBe(words) : Text.mustBeBut(words, kind)
}

const sentence = (fault: Fault, naming: Naming): string => {
  const { around, ast, issue, path } = fault
  const wantedOf = (ast: SchemaAST.AST) => (naming.text ? wanted(ast).replace(inText, "") : wanted(ast))
  if (path.length === 0) {
    const own = ownWords(issue)
    return own?.message ? `${naming.whole}: ${own.text}` : naming.whole
  }
  const parent = path.slice(0, -1)
  const last = path[path.length - 1]!
  if (issue._tag === "UnexpectedKey" || isNever(ast)) {
    const names = namesOf(around).map(quoted)
    return parent.length === 0
      ? Text.noSuchArgument(quoted(String(last)), names)
      : `${naming.one(pathOf(parent))} ${Text.hasNo(quoted(String(last)), names)}`
  }
  if (issue._tag === "MissingKey") {
    // a list that is too short lacks no element, it is too short
    return typeof last === "number" && around !== undefined && parent.length > 0
      ? `${naming.one(pathOf(parent))} ${Text.mustBe(wantedOf(around))}`
      : `${naming.one(pathOf(path))} ${Text.isMissing(wantedOf(ast))}`
  }
  return `${naming.one(pathOf(path))} ${predicate(fault, wantedOf(ast), naming)}`
}

/** Every fault in one text: ten of them, and how many more there are. */
export const inWords = (
  schema: Schema.Constraint,
  issue: SchemaIssue.Issue,
  value: unknown,
  naming: Naming,
  most: number = maxFaults
): string => {
  const sentences = Array.from(new Set(places(schema.ast, issue, value, false).map((fault) => sentence(fault, naming))))
  return sentences.length <= most
    ? sentences.join("; ")
    : [...sentences.slice(0, most), Text.andMore(sentences.length - most)].join("; ")
}
