/** The declarations that a library of resolvers publishes: emitted without an error, and short enough to read. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { tsc } from "./compile.ts"

const out = mkdtempSync(join(tmpdir(), "effect-resolve-types-"))
afterAll(() => rmSync(out, { recursive: true }))
const errors = tsc("-p", "test/types/library/tsconfig.json", "--outDir", out)
const declarations = readFileSync(join(out, "test/types/library/shop.d.ts"), "utf8")

it("a library of resolvers emits its declarations without an error", () => {
  assert.deepStrictEqual(errors, [])
})

it("the declaration of a resolver reads as its value, errors, services and arguments", () => {
  assert.include(
    declarations,
    'Resolver.Class<CheckStock, "bookshop/CheckStock", Stock, never, Inventory, Resolver.Need<"title", string, "bookshop/CheckStock">, never>;'
  )
  assert.include(
    declarations,
    'Resolver.Class<ConfirmBackorder, "bookshop/ConfirmBackorder", Backorder, Elicitation.ElicitationError, Elicitation.Elicitation | Inventory, Resolver.Need<"title", string, "bookshop/CheckStock"> | Resolver.Need<"title", string, "bookshop/ConfirmBackorder">, never>;'
  )
})

it("the declaration of a registration names no type of ours but its error", () => {
  assert.include(
    declarations,
    'export declare const registrations: Layer.Layer<never, Resolve.InvalidSignature, import("effect/ai/McpServer").McpServer>;'
  )
})

it("no declaration shows a type of the inside", () => {
  assert.notInclude(declarations, "/internal/")
})
