/** Rules in combination: each of these was right alone, and wrong beside another. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, ErrorReporter, Exit, Fiber, Layer, Logger, type Result, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Elicitation, Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { counter, type Registrations, resolver, tool } from "./kit.ts"

const resultOf = (node: { readonly result: any }): Effect.Effect<Result.Result<any, any>> =>
  Effect.map(node.result as Effect.Effect<Result.Result<any, any>>, (result) => result)

const Text = Schema.Struct({ text: Schema.String.check(Schema.isMinLength(3)) })
const ask = (label: string, message = `${label}?`): Effect.Effect<{ readonly text: string }, any, any> =>
  Elicitation.form({ message, label, schema: Text })
const bern = Answer.accept({ text: "Bern" })
const bad = Answer.accept({ text: "x" })

/** The tool of a resolver `r`, which answers with what it gives. */
const giving = (resolve: () => Effect.Effect<unknown, unknown, any>) => {
  const r = resolver("r", {}, resolve)
  return tool("t", { dependencies: [r] }, () => Effect.map(r.get, (value) => JSON.stringify(value)))
}

/** A tool of its own, for a body to call. */
const inner = (resolve: () => Effect.Effect<any, any, any>) => {
  const r = resolver("asks", {}, resolve)
  const kit: any = Toolkit.make(Resolve.tool("inner", { success: Schema.String, dependencies: [r] } as any))
  const live: Layer.Layer<never> = kit.toLayer({ inner: () => Effect.map(r.get, () => "x") })
  return (label?: string): Effect.Effect<any, any, any> =>
    Effect.provide(
      (Resolve.call as any)(kit, "inner", {}, label === undefined ? {} : { label }),
      live
    ) as Effect.Effect<any, any, any>
}

describe("two consumers, of which one leaves", () => {
  for (const [kind, options] of Object.entries({
    plain: {},
    durable: { durable: Schema.Number },
    "with a time limit": { timeout: "1 minute" }
  })) {
    eras(`a ${kind} resolver that a failed consumer wanted, and another still wants, is begun once`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const charge = resolver("charge", options, () =>
          Effect.andThen(ran.hit("begin"), Effect.as(Effect.sleep("5 millis"), 7))
        )
        const stock = resolver("stock", {}, () => Effect.fail(new Error("none")))
        const hint = resolver("hint", { dependencies: [charge, stock] }, () => Effect.succeed("hint"))
        const registrations = tool("t", { dependencies: [hint.result, charge] }, () =>
          Effect.map(Effect.all([resultOf(hint), charge.get]), ([hint, charge]) => `${hint._tag} ${charge}`)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const call = yield* Effect.forkChild(peer.callTool("t"))
        yield* peer.settle
        yield* TestClock.adjust("5 millis")
        assert.strictEqual((yield* Fiber.join(call)).text, "Failure 7")
        assert.deepStrictEqual(ran.log, ["begin"])
      })
    )
  }

  eras("what nobody can want any more is interrupted, and over before who branches on the failure begins", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const begun = yield* Deferred.make<void>()
      const slow = resolver("slow", {}, () =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () =>
          ran.hit("slow ended")
        )
      )
      const fails = resolver("fails", {}, () => Effect.andThen(Deferred.await(begun), Effect.fail(new Error("no"))))
      const both = resolver("both", { dependencies: [slow, fails] }, () => Effect.void)
      const after = resolver("after", { dependencies: [both.result] }, () => ran.hit("after"))
      const registrations = tool("t", { dependencies: [after] }, () => Effect.as(ran.hit("body"), "done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual(ran.log, ["slow ended", "after", "body"])
    })
  )

  eras("the failure that ends the call interrupts the others at once, though a durable one runs on", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const slow = resolver("slow", {}, () => Effect.onInterrupt(Effect.sleep("1 second"), () => ran.hit("slow ended")))
      const charge = resolver("charge", { durable: Schema.Void }, () =>
        Effect.andThen(Effect.sleep("2 seconds"), ran.hit("charged"))
      )
      const fails = resolver("fails", {}, () => Effect.andThen(Effect.sleep("1 millis"), Effect.die("no")))
      const both = resolver("both", { dependencies: [charge, fails] }, () => Effect.void)
      const registrations = tool("t", { dependencies: [both, slow] }, () => ran.hit("body"))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 millis")
      yield* peer.settle
      assert.deepStrictEqual(ran.log, ["slow ended"])
      yield* TestClock.adjust("2 seconds")
      assert.isTrue((yield* Fiber.join(call)).isError)
      assert.deepStrictEqual(ran.log, ["slow ended", "charged"])
    })
  )
})

describe("several questions in one body", () => {
  eras("side by side under a retry: only the one that was answered badly is asked again", (era) =>
    Effect.gen(function* () {
      const registrations = giving(() =>
        Effect.retry(Effect.all([ask("street"), ask("city")], { concurrency: 2 }), { times: 3 })
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { "r#street": [bad, bern], "r#city": bern }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, '[{"text":"Bern"},{"text":"Bern"}]')
      assert.strictEqual(peer.questions.length, 3)
    })
  )

  eras("one after the other under a retry: only the second, which was answered badly, is asked again", (era) =>
    Effect.gen(function* () {
      const registrations = giving(() => Effect.retry(Effect.andThen(ask("a"), ask("b")), { times: 3 }))
      const peer = yield* Peer.make({ ...era, registrations, answers: { "r#a": bern, "r#b": [bad, bad, bern] } })
      assert.strictEqual((yield* peer.callTool("t")).text, '{"text":"Bern"}')
      assert.deepStrictEqual(
        peer.questions.map(({ key }) => key),
        ["r#a", "r#b", "r#b", "r#b"]
      )
    })
  )

  eras("all validated first, under a retry: two bad ones of three are asked again, the good one is not", (era) =>
    Effect.gen(function* () {
      const registrations = giving(() =>
        Effect.retry(
          Effect.validate(["a", "b", "c"], (label) => ask(label), { concurrency: "unbounded" }),
          { times: 3 }
        )
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { "r#a": [bad, bern], "r#b": bern, "r#c": [bad, bern] }
      })
      assert.isFalse((yield* peer.callTool("t")).isError)
      assert.strictEqual(peer.questions.length, 5)
    })
  )

  eras("one of three is declined and caught, another question is asked, and nothing has changed", (era) =>
    Effect.gen(function* () {
      const registrations = giving(() =>
        Effect.catchTag(Effect.all([ask("street"), ask("city"), ask("country")], { concurrency: 3 }), "Declined", () =>
          ask("email")
        )
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: ({ key }) => (key === "r#street" ? Answer.decline : bern)
      })
      assert.strictEqual((yield* peer.callTool("t")).text, '{"text":"Bern"}')
    })
  )

  eras("the same label twice without a failure is an error that says what to do", (era) =>
    Effect.gen(function* () {
      const registrations = giving(() => Effect.andThen(ask("a"), ask("a")))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => bern })
      assert.include((yield* peer.callTool("t")).text, "it asked two questions with the label 'a'; give each its own")
    })
  )

  eras("a call inside a call is made again after a bad answer: what was answered well is not asked again", (era) =>
    Effect.gen(function* () {
      const call = inner(() => Effect.andThen(ask("a"), ask("b")))
      const registrations = giving(() => Effect.retry(call(), { times: 3 }))
      let asked = 0
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: ({ key }) => (key?.endsWith("#b") === true && asked++ === 0 ? bad : bern)
      })
      assert.strictEqual((yield* peer.callTool("t")).text, '"x"')
      assert.strictEqual(peer.questions.filter(({ key }) => key?.endsWith("#a") === true).length, 1)
    })
  )

  eras.of("2026-07-28")("a call inside a call whose label changes each round ends by name", (era) =>
    Effect.gen(function* () {
      let round = 0
      const call = inner(() => ask("a"))
      const registrations = giving(() => Effect.suspend(() => call(`l${++round}`)))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => bern })
      const { isError, text } = yield* peer.callTool("t")
      assert.isTrue(isError)
      assert.include(text, "asked a question that changed 2 times")
    })
  )
})

describe("the last step", () => {
  const committing = (success: any, value: unknown) => {
    const ended: Array<string> = []
    const transaction = resolver("transaction", {}, () =>
      Effect.acquireRelease(Effect.succeed("tx"), (_, exit) =>
        Effect.sync(() => void ended.push(Exit.isSuccess(exit) ? "commit" : "rollback"))
      )
    )
    return { ended, registrations: tool("t", { success, dependencies: [transaction] }, () => Effect.succeed(value)) }
  }

  for (const [what, success, value] of [
    ["does not encode", Schema.Int, 1.5],
    ["is too long for its schema", Schema.String.check(Schema.isMaxLength(2)), "long"],
    ["holds what no JSON can", Schema.Any, { big: 1n }],
    [
      "is nested in itself",
      Schema.Any,
      (() => {
        const it: any = {}
        it.it = it
        return it
      })()
    ]
  ] as const) {
    eras(`a result that ${what} is an error for the client, and no commit`, (era) =>
      Effect.gen(function* () {
        const { ended, registrations } = committing(success, value)
        const peer = yield* Peer.make({ ...era, registrations })
        assert.strictEqual((yield* peer.callTool("t")).text, "Error executing tool t: internal error")
        assert.deepStrictEqual(ended, ["rollback"])
      })
    )
  }

  eras("an undefined member of an optional field is said as its schema says, and commits", (era) =>
    Effect.gen(function* () {
      const { ended, registrations } = committing(
        Schema.Struct({ id: Schema.String, note: Schema.optional(Schema.String) }),
        {
          id: "1",
          note: undefined
        }
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, '{"id":"1","note":null}')
      assert.deepStrictEqual(ended, ["commit"])
    })
  )
})

describe("what operators are told", () => {
  eras("a defect in a shared helper is logged and reported with the tool, the resolver and the call", (era) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const reports: Array<{ readonly [name: string]: unknown }> = []
      const shared = new Error("ECONNREFUSED")
      const price = resolver("bookshop/Price", {}, () => Effect.die(shared))
      const registrations = tool("quote", { dependencies: [price] }, () => Effect.succeed(""))
      const observed = Layer.mergeAll(
        Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))]),
        ErrorReporter.layer([ErrorReporter.make(({ attributes }) => void reports.push(attributes))])
      )
      yield* Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations })
        yield* peer.callTool("quote")
        // one object, failed with in every call, is told of in every call
        yield* peer.callTool("quote")
      }).pipe(Effect.provide(observed))
      const [first, second] = reports
      assert.deepInclude(first, { tool: "quote", resolver: "bookshop/Price" })
      assert.isString(first!.call)
      assert.notStrictEqual(first!.call, second!.call)
      assert.isTrue(lines.some((line) => line.includes("tool=quote") && line.includes("resolver=bookshop/Price")))
      assert.deepStrictEqual(Object.keys(shared), [])
    })
  )

  it.effect("a toolkit without handlers says so when it is registered", () =>
    Effect.gen(function* () {
      const kit: any = Toolkit.make(Resolve.tool("lonely", { success: Schema.String }))
      const exit = yield* Effect.exit(Peer.make({ registrations: (Resolve.toolkit as any)(kit) as Registrations }))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "lonely")
    })
  )
})

describe("the thread and the stack", () => {
  it.live("resolvers that compute let others have their turn: one at a time, not all of them", () =>
    Effect.gen(function* () {
      const busy = Array.from({ length: 6 }, (_, index) =>
        resolver(`busy${index}`, {}, () =>
          Effect.sync(() => {
            const end = performance.now() + 20
            while (performance.now() < end);
          })
        )
      )
      const kit: any = Toolkit.make((Resolve.tool as any)("t", { success: Schema.String, dependencies: busy }))
      let turns = 0
      let over = false
      const body = Effect.sync(() => {
        over = true
        return "done"
      })
      const live: Layer.Layer<never> = kit.toLayer({ t: () => body })
      const others = yield* Effect.forkChild(
        Effect.whileLoop({ while: () => !over, body: () => Effect.yieldNow, step: () => void turns++ })
      )
      assert.strictEqual(
        yield* Effect.provide((Resolve.call as any)(kit, "t", {}) as Effect.Effect<unknown>, live),
        "done"
      )
      yield* Fiber.join(others)
      assert.isAtLeast(turns, 4)
    })
  )

  it.effect("a chain of 100,000 resolvers runs", () =>
    Effect.gen(function* () {
      let last: any = resolver("n0", {}, () => Effect.succeed(0))
      for (let index = 1; index < 100_000; index++) {
        const before = last
        last = resolver(`n${index}`, { dependencies: [before] }, () => Effect.map(before.get, (n: any) => n + 1))
      }
      const kit: any = Toolkit.make((Resolve.tool as any)("t", { success: Schema.Finite, dependencies: [last] }))
      const live: Layer.Layer<never> = kit.toLayer({ t: () => last.get })
      assert.strictEqual(
        yield* Effect.provide((Resolve.call as any)(kit, "t", {}) as Effect.Effect<unknown>, live),
        99_999
      )
    })
  )
})
