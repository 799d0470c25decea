/**
 * What strict clients refuse of a tool as it is listed. The protocol allows more than the makers of models do, and a
 * client hands a tool on as it is: one that its model's API does not take spoils the whole list.
 */
import type { Json } from "./field.ts"
import * as Text from "./sentences.ts"

export interface Finding {
  readonly kind: "error" | "hint"
  readonly text: string
}

const error = (text: string): Finding => ({ kind: "error", text })
const hint = (text: string): Finding => ({ kind: "hint", text })

/** The subschemas of a schema, by where they stand. */
const inner = (schema: Json): ReadonlyArray<readonly [step: string, schema: Json]> => [
  ...Object.entries<Json>(schema.properties ?? {}),
  ...Object.entries<Json>(schema.$defs ?? {}),
  ...(typeof schema.items === "object" && schema.items !== null ? [["[]", schema.items as Json] as const] : []),
  ...["anyOf", "oneOf", "allOf"].flatMap((word) =>
    ((schema[word] ?? []) as ReadonlyArray<Json>).map((one) => ["", one] as const)
  )
]

const walk = (schema: Json, at: string, seen: ReadonlyArray<Json> = []): ReadonlyArray<Finding> => {
  if (typeof schema !== "object" || schema === null || seen.includes(schema)) return []
  const found: Array<Finding> = []
  for (const name of Object.keys(schema.properties ?? {})) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) found.push(error(Text.badArgumentName(name)))
  }
  if (typeof schema.$ref === "string" && !schema.$ref.startsWith("#"))
    found.push(error(Text.foreignRef(at, schema.$ref)))
  if (schema.type === "array" && schema.items === undefined && schema.prefixItems === undefined) {
    found.push(error(Text.noItems(at)))
  }
  if (schema.prefixItems !== undefined) found.push(hint(Text.aTuple(at)))
  return [
    ...found,
    ...inner(schema).flatMap(([step, one]) =>
      walk(one, step === "" ? at : at === "" ? step : `${at}.${step}`, [...seen, schema])
    )
  ]
}

/** The findings of one tool, by its own name. */
export const ofTool = (tool: Json): ReadonlyArray<Finding> => {
  const input: Json = tool.inputSchema ?? {}
  const found = [
    ...(/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name) ? [] : [error(Text.badToolName)]),
    ...(input.type === "object" ? [] : [error(Text.noObject)]),
    ...["anyOf", "oneOf", "allOf", "enum", "not", "$ref"]
      .filter((word) => word in input)
      .map((word) => error(Text.badRoot(word))),
    ...walk(input, ""),
    ...(tool.description === undefined || tool.description === "" ? [hint(Text.noDescription)] : [])
  ]
  return found.map(({ kind, text }) => ({ kind, text: Text.ofTool(tool.name, text) }))
}
