/**
 * A tool as strict clients want it listed: `properties` of every object and `items` of every list are there, and so are
 * the arguments that clients mirror into HTTP headers (`x-mcp-header`,
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as AiTool from "effect/ai/Tool"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"
import { mentions } from "../base/wireSide.ts"
import * as Plan from "../graph/plan.ts"

type Json = { readonly [keyword: string]: unknown }

const mapsOfSchemas = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const listsOfSchemas = ["allOf", "anyOf", "oneOf", "prefixItems"]
const schemas = [
  ...["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames"],
  ...["not", "if", "then", "else"]
]

/** The schemas directly inside one, changed. */
const mapInner = (schema: Json, map: (inner: Json, keyword: string, name?: string) => unknown): Json => {
  const inner = (value: unknown, keyword: string, name?: string) =>
    Predicate.isObject(value) ? map(value as Json, keyword, name) : value
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (mapsOfSchemas.includes(keyword) && Predicate.isObject(value)) {
        const members = Object.entries(value).map(([name, member]) => [name, inner(member, keyword, name)])
        return [keyword, Object.fromEntries(members)]
      }
      if (listsOfSchemas.includes(keyword) && Array.isArray(value)) {
        return [keyword, value.map((member) => inner(member, keyword))]
      }
      return [keyword, schemas.includes(keyword) ? inner(value, keyword) : value]
    })
  )
}

/** What some clients refuse a whole list for the want of; it changes nothing about what fits. */
const complete = (schema: Json): Json => ({
  ...mapInner(schema, complete),
  ...(schema.type === "object" && schema.properties === undefined ? { properties: {} } : undefined),
  ...(schema.type === "array" && schema.items === undefined ? { items: {} } : undefined)
})

// ---------------------------------------------------------------- arguments in headers

const keyword = "x-mcp-header"
const isToken = /^[!#$%&\u0027*+\-.^_\u0060|~0-9A-Za-z]+$/
const mirrored = ["string", "integer", "boolean"]

interface Header {
  readonly path: ReadonlyArray<string>
  readonly header: string
}

/** An annotation after a check lands on the check. */
const annotationOf = (schema: Json): unknown =>
  [schema, ...(Array.isArray(schema.allOf) ? schema.allOf : [])].find(
    (part) => Predicate.isObject(part) && Object.hasOwn(part, keyword)
  )?.[keyword]

const documentOf = (schema: Schema.Constraint): ReadonlyArray<Json> => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, {
    includeAnnotationKey: (key) => key === keyword
  })
  const name = typeof root.$ref === "string" ? root.$ref.replace("#/$defs/", "") : undefined
  const { [name ?? ""]: own, ...others } = definitions
  return [own ?? root, ...Object.values(others)]
}

const find = (schema: Schema.Constraint): Result.Result<ReadonlyArray<Header>, string> => {
  const headers: Array<Header> = []
  const problems: Array<string> = []
  const visit = (schema: Json, path: ReadonlyArray<string> | undefined): Json => {
    const header = annotationOf(schema)
    if (header !== undefined) {
      if (path === undefined || path.length === 0 || !mirrored.includes(String(schema.type))) {
        problems.push(Text.headerMisplaced(String(header)))
      } else if (typeof header !== "string" || !isToken.test(header)) {
        problems.push(Text.headerNoToken(path.join(".")))
      } else if (headers.some((other) => other.header.toLowerCase() === header.toLowerCase())) {
        problems.push(Text.headerTwice(header))
      } else headers.push({ path, header })
    }
    return mapInner(schema, (inner, keyword, name) => {
      // those of a check have been seen with what they check
      if (keyword === "allOf") return inner
      return visit(inner, keyword === "properties" && path !== undefined ? [...path, name!] : undefined)
    })
  }
  const [root, ...others] = documentOf(schema)
  visit(root!, [])
  for (const other of others) visit(other, undefined)
  return problems.length === 0 ? Result.succeed(headers) : Result.fail(problems[0]!)
}

const found = new WeakMap<Schema.Constraint, Result.Result<ReadonlyArray<Header>, string>>()

const headersOf = (tool: AiTool.Any): Result.Result<ReadonlyArray<Header>, string> => {
  const parameters: unknown = tool.parametersSchema
  // a raw JSON Schema says what it says
  if (!Schema.isSchema(parameters) || AiTool.isDynamic(tool)) return Result.succeed([])
  const known = found.get(parameters) ?? (mentions(parameters.ast, keyword) ? find(parameters) : Result.succeed([]))
  found.set(parameters, known)
  return known
}

/** Whether the arguments of a tool that ride in headers can: registration fails for one whose cannot. */
export const check = (tool: AiTool.Any): Result.Result<void, Plan.InvalidSignature> =>
  Result.mapBoth(headersOf(tool), {
    onSuccess: () => undefined,
    onFailure: (problem) => {
      const owner = Plan.label({ kind: "Tool", name: tool.name, arguments: undefined })
      return new Plan.InvalidSignature({ owner, path: [tool.name], message: Text.atPath(owner, problem, []) })
    }
  })

const mark = (schema: Json, path: ReadonlyArray<string>, header: string): Json => {
  const [name, ...rest] = path
  const properties = schema.properties as { readonly [name: string]: Json } | undefined
  if (name === undefined) return { ...schema, [keyword]: header }
  return properties?.[name] === undefined
    ? schema
    : { ...schema, properties: { ...properties, [name]: mark(properties[name], rest, header) } }
}

/** What effect/ai lists for a tool, completed. */
export const describe = (tool: AiTool.Any, listed: McpSchema.Tool): McpSchema.Tool => {
  const inputSchema = Result.getOrElse(headersOf(tool), () => []).reduce(
    (schema, { header, path }) => mark(schema, path, header),
    complete(listed.inputSchema as Json)
  )
  const type = listed.outputSchema?.type
  // a text is its own content, and a result of the body's own has none that could be listed
  const isListed = type !== "string" && type !== "null" && (tool.successSchema as unknown) !== McpSchema.CallToolResult
  return new McpSchema.Tool({
    ...listed,
    inputSchema: inputSchema as McpSchema.Tool["inputSchema"], // what was an object still is
    outputSchema: isListed ? listed.outputSchema : undefined
  })
}
