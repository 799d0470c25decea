/**
 * Bodies as data: what an author may write around questions, drawn at random.
 *
 * Every question has a number, which is its label and its text, and a list of answers that do not fit before the one
 * that does. What a person says depends on the question and on how often it was put, and on nothing else, so that the
 * same program has one right outcome on every protocol.
 */
import * as fc from "fast-check"

export type Bad = "decline" | "cancel" | "invalid" | "empty"

export interface Ask {
  readonly _: "form" | "confirm" | "sample" | "text" | "object"
  readonly id: number
  readonly bad: ReadonlyArray<Bad>
}

export type Body =
  | Ask
  | { readonly _: "value"; readonly value: string }
  | { readonly _: "fail" }
  | { readonly _: "step"; readonly id: number }
  | { readonly _: "roots"; readonly id: number }
  | { readonly _: "seq"; readonly items: ReadonlyArray<Body> }
  | { readonly _: "par"; readonly items: ReadonlyArray<Body>; readonly mode: "fast" | "validate" | "result" }
  | { readonly _: "race"; readonly left: Body; readonly right: Body }
  | { readonly _: "retry"; readonly body: Body; readonly times: number }
  | { readonly _: "catch"; readonly body: Body; readonly other: Body }
  | { readonly _: "loop"; readonly id: number; readonly turns: number; readonly bad: ReadonlyArray<Bad> }
  | { readonly _: "nested"; readonly id: number; readonly body: Body }
  | { readonly _: "wrap"; readonly how: Wrap; readonly body: Body; readonly id: number }

export const wraps = ["exit", "limit", "fork", "uninterruptible", "ensuring", "cached", "yield"] as const
export type Wrap = (typeof wraps)[number]

/** Where bodies stand: whose questions they ask. */
export const places = ["one", "two", "chain", "result", "own", "both", "durable"] as const
export type Place = (typeof places)[number]

export interface Program {
  readonly place: Place
  readonly a: Body
  readonly b: Body
}

const bad: fc.Arbitrary<ReadonlyArray<Bad>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([] as ReadonlyArray<Bad>) },
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom<Bad>("invalid", "decline", "empty", "cancel"), { minLength: 1, maxLength: 2 })
  }
)

const ask = (kind: Ask["_"]): fc.Arbitrary<Body> => fc.record({ _: fc.constant(kind), id: fc.constant(0), bad })

const tree = fc.letrec<{ body: Body; leaf: Body }>((tie) => ({
  leaf: fc.oneof(
    { weight: 10, arbitrary: ask("form") },
    { weight: 3, arbitrary: ask("confirm") },
    { weight: 2, arbitrary: ask("sample") },
    { weight: 1, arbitrary: ask("text") },
    { weight: 1, arbitrary: ask("object") },
    { weight: 1, arbitrary: fc.constant<Body>({ _: "roots", id: 0 }) },
    { weight: 2, arbitrary: fc.constant<Body>({ _: "step", id: 0 }) },
    { weight: 1, arbitrary: fc.constant<Body>({ _: "value", value: "v" }) },
    { weight: 1, arbitrary: fc.constant<Body>({ _: "fail" }) }
  ),
  body: fc.oneof(
    { depthSize: "small", maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: tie("leaf") },
    {
      weight: 3,
      arbitrary: fc.record({
        _: fc.constant("par" as const),
        items: fc.array(tie("body"), { minLength: 2, maxLength: 3 }),
        mode: fc.constantFrom("fast", "validate", "result")
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        _: fc.constant("seq" as const),
        items: fc.array(tie("body"), { minLength: 2, maxLength: 3 })
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({ _: fc.constant("retry" as const), body: tie("body"), times: fc.constantFrom(1, 3) })
    },
    { weight: 2, arbitrary: fc.record({ _: fc.constant("catch" as const), body: tie("body"), other: tie("body") }) },
    { weight: 1, arbitrary: fc.record({ _: fc.constant("race" as const), left: tie("leaf"), right: tie("leaf") }) },
    {
      weight: 1,
      arbitrary: fc.record({
        _: fc.constant("loop" as const),
        id: fc.constant(0),
        turns: fc.integer({ min: 1, max: 3 }),
        bad
      })
    },
    { weight: 1, arbitrary: fc.record({ _: fc.constant("nested" as const), id: fc.constant(0), body: tie("body") }) },
    {
      weight: 2,
      arbitrary: fc.record({
        _: fc.constant("wrap" as const),
        how: fc.constantFrom(...wraps),
        body: tie("body"),
        id: fc.constant(0)
      })
    }
  )
}))

/** Gives every question, step and nested call its number, in the order in which they are written. */
const numbered = (program: Program): Program => {
  let next = 0
  const number = (body: Body): Body => {
    switch (body._) {
      case "seq":
      case "par":
        return { ...body, items: body.items.map(number) }
      case "race":
        return { ...body, left: number(body.left), right: number(body.right) }
      case "retry":
        return { ...body, body: number(body.body) }
      case "catch":
        return { ...body, body: number(body.body), other: number(body.other) }
      case "nested":
      case "wrap":
        return { ...body, id: ++next, body: number(body.body) }
      case "value":
      case "fail":
        return body
      default:
        return { ...body, id: ++next }
    }
  }
  return { ...program, a: number(program.a), b: number(program.b) }
}

export const program: fc.Arbitrary<Program> = fc
  .record({ place: fc.constantFrom(...places), a: tree.body, b: tree.body })
  .map(numbered)

/** A program as a line, to be read when it fails. */
export const show = ({ a, b, place }: Program): string => {
  const line = (body: Body): string => {
    switch (body._) {
      case "value":
        return body.value
      case "fail":
        return "fail"
      case "seq":
        return `seq(${body.items.map(line).join(", ")})`
      case "par":
        return `par.${body.mode}(${body.items.map(line).join(", ")})`
      case "race":
        return `race(${line(body.left)}, ${line(body.right)})`
      case "retry":
        return `retry${body.times}(${line(body.body)})`
      case "catch":
        return `catch(${line(body.body)}, ${line(body.other)})`
      case "nested":
        return `call${body.id}(${line(body.body)})`
      case "wrap":
        return `${body.how}(${line(body.body)})`
      case "loop":
        return `loop${body.id}x${body.turns}${body.bad.map((bad) => `-${bad}`).join("")}`
      case "step":
      case "roots":
        return `${body._}${body.id}`
      default:
        return `${body._}${body.id}${body.bad.map((bad) => `-${bad}`).join("")}`
    }
  }
  return `${place}: ${line(a)} | ${line(b)}`
}

const children = (body: Body): ReadonlyArray<Body> => {
  if ("items" in body) return body.items
  if ("left" in body) return [body.left, body.right]
  if ("other" in body) return [body.body, body.other]
  return "body" in body ? [body.body] : []
}

/** What each question of a program is answered before it is answered well, by its text. */
export const badAnswers = (program: Program): ReadonlyMap<string, ReadonlyArray<Bad>> => {
  const answers = new Map<string, ReadonlyArray<Bad>>()
  const walk = (body: Body): void => {
    if (body._ === "loop") answers.set(`q${body.id}.1`, body.bad)
    else if ("bad" in body) answers.set(`q${body.id}`, body.bad)
    for (const child of children(body)) walk(child)
  }
  walk(program.a)
  walk(program.b)
  return answers
}
