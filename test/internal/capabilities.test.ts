import { assert, describe, it } from "@effect/vitest"
import type { Capabilities } from "../../src/internal/base/questionErrors.ts"
import { merge, missing } from "../../src/internal/question/capabilities.ts"
import { lacking } from "../../src/internal/question/revisions.ts"

const form: Capabilities = { elicitation: { form: {} } }
const url: Capabilities = { elicitation: { url: {} } }
const tools: Capabilities = { sampling: { tools: {} } }
const context: Capabilities = { sampling: { context: {} } }

type Row = readonly [title: string, required: Capabilities, declared: Capabilities, lacks: Capabilities | undefined]

describe("what a client lacks", () => {
  const rows: ReadonlyArray<Row> = [
    ["nothing, where nothing is required", {}, {}, undefined],
    ["a form, where it declared nothing", form, {}, form],
    [
      "nothing of a form, where it declared elicitation and no more: that is forms",
      form,
      { elicitation: {} },
      undefined
    ],
    ["a form, where it declared pages alone", form, url, form],
    ["a page, where it declared forms alone", url, form, url],
    ["a page, where it declared elicitation and no more", url, { elicitation: {} }, url],
    ["the half that it did not declare", { elicitation: { form: {}, url: {} } }, form, url],
    ["sampling, where it declared none", { sampling: {} }, {}, { sampling: {} }],
    ["tools of sampling, as deep as they go, where it declared none", tools, {}, tools],
    ["tools, where it declared sampling without", tools, { sampling: {} }, tools],
    ["only a context, where it declared tools", merge(tools, context), tools, context],
    ["roots", { roots: {} }, form, { roots: {} }],
    ["several kinds at once", merge(form, { roots: {} }), tools, merge(form, { roots: {} })],
    ["nothing, where it declared more", tools, merge(merge(tools, url), { roots: {} }), undefined]
  ]

  it.each(rows)("%s", (_, required, declared, lacks) => {
    assert.deepStrictEqual(missing(required, declared), lacks)
  })
})

it("several wants are one, and none is lost", () => {
  assert.deepStrictEqual([form, url, tools, context, { roots: {} }].reduce(merge, {}), {
    elicitation: { form: {}, url: {} },
    sampling: { tools: {}, context: {} },
    roots: {}
  })
  assert.deepStrictEqual(merge({}, {}), {})
})

describe("a revision without such a question is as good as a client without it", () => {
  const all = merge(merge({ elicitation: { form: {}, url: {} } }, merge(tools, context)), { roots: {} })
  const known: ReadonlyArray<
    readonly [version: string, knows: ReadonlyArray<Capabilities>, not: ReadonlyArray<Capabilities>]
  > = [
    ["2024-11-05", [{ sampling: {} }, { roots: {} }], [form, url, tools]],
    ["2025-03-26", [{ sampling: {} }, { roots: {} }], [form, url, tools]],
    ["2025-06-18", [form, { sampling: {} }, { roots: {} }], [url, tools]],
    ["2025-11-25", [form, url, tools, context, { roots: {} }], []],
    ["2026-07-28", [form, url, tools, context, { roots: {} }], []]
  ]

  it.each(known)("%s", (version, knows, not) => {
    for (const required of knows) assert.isUndefined(lacking(version, all, required))
    for (const required of not) assert.deepStrictEqual(lacking(version, all, required), required)
  })

  it("before 2025-11-25 a context needs no capability of its own, and sampling all the same", () => {
    assert.isUndefined(lacking("2025-06-18", { sampling: {} }, context))
    assert.deepStrictEqual(lacking("2025-06-18", {}, context), { sampling: {} })
    assert.deepStrictEqual(lacking("2025-11-25", { sampling: {} }, context), context)
  })
})
