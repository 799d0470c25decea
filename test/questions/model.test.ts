/**
 * Random graphs against a model that is three lines of recursion: what a call ends with does not depend on the era, on
 * the order in which things happen, or on which questions of a round a client answers first.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import * as fc from "fast-check"
import { counter, type Node, resolver, tool, Yes } from "../rules/kit.ts"

type Mode = "value" | "result"
interface Shape {
  /** Which lower nodes it needs, and how. */
  readonly needs: ReadonlyArray<readonly [index: number, mode: Mode]>
  readonly does: "compute" | "ask" | "fail"
  readonly answer: "yes" | "no" | "decline"
  readonly durable: boolean
  readonly pause: number
}

const edges = (below: number) =>
  below === 0
    ? fc.constant([])
    : fc.uniqueArray(fc.tuple(fc.nat(below - 1), fc.constantFrom<Mode>("value", "value", "result")), {
        selector: ([index, mode]) => `${index}${mode}`,
        maxLength: 4
      })
const shape = (index: number) =>
  fc.record({
    needs: edges(index),
    does: fc.constantFrom("compute", "ask", "ask", "compute", "compute", "fail") as fc.Arbitrary<Shape["does"]>,
    answer: fc.constantFrom("yes", "yes", "yes", "no", "decline") as fc.Arbitrary<Shape["answer"]>,
    durable: fc.constantFrom(false, false, true),
    pause: fc.nat(3)
  })
const program = fc.integer({ min: 1, max: 8 }).chain((size) =>
  fc.record({
    nodes: fc.tuple(...Array.from({ length: size }, (_, index) => shape(index))) as fc.Arbitrary<Array<Shape>>,
    roots: edges(size),
    seed: fc.nat(1000)
  })
)
type Program = typeof program extends fc.Arbitrary<infer A> ? A : never

const key = (index: number) => `n${index}`
const declined = (index: number) => `Resolver for '${key(index)}' could not resolve: elicitation was decline`

/** A value, or the sentences that a failure may be told by: of several, whichever is first. */
type Expected = { readonly value: string } | { readonly errors: ReadonlyArray<string> }

const model = ({ nodes, roots }: Program) => {
  const inputs = (needs: Shape["needs"]): Expected => {
    const errors = needs.flatMap(([index, mode]) => {
      const below = of[index]!
      return mode === "value" && "errors" in below ? below.errors : []
    })
    if (errors.length > 0) return { errors }
    const value = needs.map(([index]) => {
      const below = of[index]!
      return "errors" in below ? "F" : below.value
    })
    return { value: `(${value.join()})` }
  }
  const of: Array<Expected> = []
  nodes.forEach(({ answer, does, needs }, index) => {
    const given = inputs(needs)
    of.push(
      "errors" in given
        ? given
        : does === "fail"
          ? { errors: [`"${key(index)}"`] }
          : does === "ask" && answer === "decline"
            ? { errors: [declined(index)] }
            : { value: `${key(index)}${does === "ask" ? answer : ""}${given.value}` }
    )
  })
  return inputs(roots)
}

const build = ({ nodes, roots }: Program) => {
  const ran = counter()
  const made: Array<Node> = []
  const listed = (needs: Shape["needs"]) =>
    needs.map(([index, mode]) => (mode === "value" ? made[index]! : made[index]!.result))
  const read = (needs: Shape["needs"]) =>
    Effect.map(
      Effect.forEach(needs, ([index, mode]) =>
        mode === "value"
          ? made[index]!.get
          : Effect.map(made[index]!.result as Effect.Effect<any>, (it) => (it._tag === "Success" ? it.success : "F"))
      ),
      (values) => `(${values.join()})`
    )
  nodes.forEach(({ does, durable, needs, pause }, index) => {
    made.push(
      resolver(key(index), { dependencies: listed(needs), ...(durable ? { durable: Schema.String } : {}) }, () =>
        Effect.gen(function* () {
          yield* ran.hit(key(index))
          for (let i = 0; i < pause; i++) yield* Effect.yieldNow
          const given = yield* read(needs)
          if (does === "fail") return yield* Effect.fail(key(index))
          if (does === "compute") return `${key(index)}${given}`
          const { ok } = yield* Elicitation.form({ message: `${key(index)}${given}?`, schema: Yes })
          return `${key(index)}${ok ? "yes" : "no"}${given}`
        })
      )
    )
  })
  const registrations = tool("t", { dependencies: listed(roots), failure: Schema.String }, () =>
    Effect.andThen(ran.hit("body"), read(roots))
  )
  return { ran, registrations }
}

const answerOf = ({ nodes }: Program, key: string | undefined): Answer.Answer => {
  const { answer } = nodes[Number(key?.slice(1))]!
  return answer === "decline" ? Answer.decline : Answer.accept({ ok: answer === "yes" })
}

const check = (program: Program, isError: boolean, text: string) => {
  const expected = model(program)
  if ("value" in expected) return assert.deepStrictEqual([isError, text], [false, expected.value])
  assert.isTrue(isError)
  assert.include(expected.errors, text.replace("Error executing tool t: ", ""))
}

/** A client that answers some of a round's questions, never none. */
const some = (keys: ReadonlyArray<string>, seed: number, round: number) => {
  const chosen = keys.filter((_, index) => (seed + round * 7 + index * 3) % 2 === 0)
  return chosen.length === 0 ? keys.slice(0, 1) : chosen
}

describe("random graphs", () => {
  const programs = fc.sample(program, { numRuns: 120, seed: 20_260_728 })

  eras.of("2026-07-28")(
    "end as the model says, whichever questions a client answers first; each is asked once",
    (era) =>
      Effect.gen(function* () {
        for (const program of programs) {
          const { ran, registrations } = build(program)
          const outcome = Effect.gen(function* () {
            const peer = yield* Peer.make({ ...era, registrations })
            const answered = new Set<string>()
            let round = yield* peer.callToolOnce("t")
            for (let count = 0; round._tag === "InputRequired"; count++) {
              const keys = Object.keys(round.inputRequests)
              assert.strictEqual(new Set(ran.log).size, ran.log.length, "a resolver ran twice in a round")
              for (const key of keys) assert.isFalse(answered.has(key), `'${key}' was asked again`)
              const given = some(keys, program.seed, count)
              for (const key of given) answered.add(key)
              for (const key of ran.log.splice(0)) {
                const { does, durable } = program.nodes[Number(key.slice(1))]!
                if (durable && does === "compute") once.set(key, (once.get(key) ?? 0) + 1)
              }
              round = yield* peer.retry(round, {
                inputResponses: Object.fromEntries(given.map((key) => [key, answerOf(program, key)]))
              })
            }
            for (const [key, count] of once) assert.strictEqual(count, 1, `durable '${key}' ran ${count} times`)
            check(program, round.value.isError, round.value.text)
          })
          const once = new Map<string, number>()
          yield* Effect.scoped(outcome)
        }
      })
  )

  eras.of("2025-11-25")(
    "end as the model says on a back channel; each resolver runs once, each question is asked once",
    (era) =>
      Effect.gen(function* () {
        for (const program of programs) {
          const { ran, registrations } = build(program)
          const outcome = Effect.gen(function* () {
            const peer = yield* Peer.make({ ...era, registrations, answers: ({ key }) => answerOf(program, key) })
            const result = yield* peer.callTool("t")
            assert.strictEqual(new Set(ran.log).size, ran.log.length, "a resolver ran twice in a call")
            const keys = peer.questions.map(({ key }) => key)
            assert.strictEqual(new Set(keys).size, keys.length, "a question was asked twice")
            check(program, result.isError, result.text)
          })
          yield* Effect.scoped(outcome)
        }
      })
  )

  it("are of every kind: some ask, some fail, some end well", () => {
    const ends = programs.map((program) => ("value" in model(program) ? "well" : "badly"))
    for (const end of ["well", "badly"]) assert.isAbove(ends.filter((one) => one === end).length, 20)
    assert.isAbove(programs.filter(({ nodes }) => nodes.some(({ does }) => does === "ask")).length, 60)
  })
})
