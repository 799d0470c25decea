import { assert, describe } from "@effect/vitest"
import { Data, Effect, Layer, Schema, Tracer } from "effect"
import { McpSchema } from "effect/ai"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { counter, observed, resolver, tool, Yes, yes } from "./kit.ts"

const secret = "password=hunter2"
const internal = "Error executing tool t: internal error"

class Internal extends Data.TaggedError("Internal")<{ readonly message: string }> {}
class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { title: Schema.String }) {
  override get message() {
    return `'${this.title}' is sold out`
  }
}
class Plain extends Schema.TaggedError<Plain>()("Plain", { code: Schema.Int }) {}

/** Spans and their attributes while `self` runs, as text. */
const traced = <A, E, R>(self: (spans: Array<Tracer.Span>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.withTracer(self(spans), tracer)
  })

describe("I14", () => {
  const failures: { readonly [what: string]: Effect.Effect<unknown, unknown> } = {
    "a defect": Effect.die(new Error(secret)),
    "a thrown error": Effect.sync(() => {
      throw new Error(secret)
    }),
    "an undeclared failure": Effect.fail(new Internal({ message: secret })),
    "an undeclared failure that is a string": Effect.fail(secret),
    "an undeclared failure of many": Effect.all([Effect.fail(secret), Effect.die(secret)], { concurrency: 2 })
  }
  for (const [what, effect] of Object.entries(failures)) {
    eras(
      `I14: ${what} of a resolver is told as an internal error, logged and reported; the next call is served`,
      (era) =>
        observed(({ logs, reports }) =>
          Effect.gen(function* () {
            const ran = counter()
            let bad = true
            const fails = resolver("fails", {}, () => Effect.suspend(() => (bad ? effect : Effect.succeed("fine"))))
            const registrations = tool("t", { dependencies: [fails] }, () => Effect.as(ran.hit("body"), "done"))
            const peer = yield* Peer.make({ ...era, registrations })
            const result = yield* peer.callTool("t")
            assert.deepStrictEqual([result.isError, result.text, result.structuredContent], [true, internal, undefined])
            assert.deepStrictEqual(ran.log, [])
            assert.notInclude(JSON.stringify(peer.transcript), "hunter2")
            assert.include(logs.join("\n"), "hunter2")
            assert.include(reports.join("\n"), "hunter2")
            bad = false
            assert.strictEqual((yield* peer.callTool("t")).text, "done")
          })
        )
    )
  }

  eras("I14: a resolver that is interrupted by its own doing is an internal error, not a cancelled call", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const fails = resolver("fails", {}, () => Effect.interrupt)
        const registrations = Layer.mergeAll(
          tool("t", { dependencies: [fails] }, () => Effect.succeed("done")),
          tool("u", {}, () => Effect.interrupt)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const result = yield* peer.callTool("t")
        assert.deepStrictEqual([result.isError, result.text], [true, internal])
        assert.strictEqual((yield* peer.callTool("u")).text, "Error executing tool u: internal error")
        assert.include(logs.join("\n"), "Tool 't' or one of its resolvers was interrupted")
      })
    )
  )

  eras("I14: a resolver that takes too long says so by its key, and the next call is served", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      let slow = true
      const hangs = resolver("hangs", { timeout: "0 millis" }, () =>
        Effect.suspend(() => (slow ? Effect.never : Effect.void))
      )
      const registrations = tool("t", { dependencies: [hangs] }, () => Effect.as(ran.hit("body"), "done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("t")
      assert.isTrue(result.isError)
      assert.match(result.text, /^Error executing tool t: Resolver for 'hangs' could not resolve: it took longer than /)
      assert.deepStrictEqual(ran.log, [])
      slow = false
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
    })
  )

  eras(
    "I14: a failure in the tool's failure schema is shown, its message or its encoded JSON, of a body and of a resolver",
    (era) =>
      Effect.gen(function* () {
        const failure = Schema.Union([SoldOut, Plain, Schema.String])
        const fail = (error: unknown) => Effect.fail(error)
        const tools = (name: string, error: unknown) =>
          Layer.mergeAll(
            tool(`${name}-resolver`, { dependencies: [resolver("fails", {}, () => fail(error))], failure }, () =>
              Effect.succeed("done")
            ),
            tool(`${name}-body`, { failure }, () => fail(error))
          )
        const registrations = Layer.mergeAll(
          tools("message", new SoldOut({ title: "Dune" })),
          tools("plain", new Plain({ code: 7 })),
          tools("string", "no luck")
        )
        const peer = yield* Peer.make({ ...era, registrations })
        for (const by of ["resolver", "body"]) {
          const text = (name: string) =>
            Effect.map(peer.callTool(`${name}-${by}`), (result) => {
              assert.isTrue(result.isError)
              return result.text.replace(`Error executing tool ${name}-${by}: `, "")
            })
          assert.deepStrictEqual(
            [by, yield* text("message"), yield* text("plain"), yield* text("string")],
            [by, "'Dune' is sold out", '{"_tag":"Plain","code":7}', '"no luck"']
          )
        }
      })
  )

  eras("I14: a failure that only looks like a question's is not shown", (era) =>
    Effect.gen(function* () {
      class Declined extends Data.TaggedError("Declined")<{ readonly message: string }> {}
      const fails = resolver("fails", {}, () => Effect.fail(new Declined({ message: secret })))
      const registrations = tool("t", { dependencies: [fails] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, internal)
    })
  )

  eras("I14: failures of a kind that the failure schema has, with what it does not, stay inside", (era) =>
    Effect.gen(function* () {
      const fails = resolver("fails", {}, () => Effect.fail({ _tag: "SoldOut", title: 7, message: secret }))
      const registrations = tool("t", { dependencies: [fails], failure: SoldOut }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, internal)
    })
  )

  eras("I14: a value that the success schema does not have is an internal error", (era) =>
    Effect.gen(function* () {
      const registrations = tool("t", { success: Schema.Struct({ price: Schema.Int }) }, () =>
        Effect.succeed({ price: secret })
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, internal])
    })
  )

  eras("I14: a body that returns an interim result of its own making is refused, not sent", (era) =>
    Effect.gen(function* () {
      const forged = new McpSchema.InputRequired({
        inputRequests: { x: { method: "roots/list" } },
        requestState: "mine"
      })
      for (const success of [Schema.String, Schema.Unknown, Schema.Any, McpSchema.CallToolResult]) {
        const registrations = tool("t", { dependencies: [resolver("a", {}, () => Effect.void)], success }, () =>
          Effect.succeed(forged)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const result = yield* peer.callTool("t")
        assert.deepStrictEqual([result.isError, result.text], [true, internal])
      }
    })
  )

  eras("I14: what a person answered is in no log and no span, also when it does not fit and becomes a defect", (era) =>
    observed(({ logs, reports }) =>
      traced((spans) =>
        Effect.gen(function* () {
          const Card = Schema.Struct({ n: Schema.Int, name: Schema.String })
          const asks = resolver("asks", {}, () =>
            Effect.orDie(Elicitation.form({ message: "Your card?", schema: Card }))
          )
          const registrations = tool("t", { dependencies: [asks] }, () => Effect.succeed("done"))
          const peer = yield* Peer.make({
            ...era,
            registrations,
            answers: { asks: [Answer.accept({ n: 4711, name: "Ada" }), Answer.accept({ n: secret, name: "Ada" })] }
          })
          assert.strictEqual((yield* peer.callTool("t")).text, "done")
          assert.strictEqual((yield* peer.callTool("t")).text, internal)
          const attributes = spans.map((span) => JSON.stringify(Array.from(span.attributes))).join("\n")
          for (const text of [logs.join("\n"), reports.join("\n"), attributes]) {
            for (const word of ["4711", "Ada", "hunter2"]) assert.notInclude(text, word)
          }
        })
      )
    )
  )

  eras("I14: durable values and sealed answers are in no log and no span", (era) =>
    observed(({ logs }) =>
      traced((spans) =>
        Effect.gen(function* () {
          const token = resolver("token", { durable: Schema.String }, () => Effect.succeed("durable-4711"))
          const asks = resolver("asks", { dependencies: [token] }, () =>
            Elicitation.form({ message: "ok?", schema: Yes })
          )
          const registrations = tool("t", { dependencies: [token, asks] }, () => Effect.succeed("done"))
          const peer = yield* Peer.make({ ...era, registrations, answers: { asks: yes } })
          assert.strictEqual((yield* peer.callTool("t")).text, "done")
          const attributes = spans.map((span) => JSON.stringify(Array.from(span.attributes))).join("\n")
          assert.notInclude(logs.join("\n") + attributes, "durable-4711")
          assert.notInclude(attributes, '\\"ok\\"')
        })
      )
    )
  )

  eras("I14: a defect below a `.result` is no value for the tool to branch on: the call ends", (era) =>
    Effect.gen(function* () {
      const dies = resolver("dies", {}, () => Effect.die(new Error(secret)))
      const registrations = tool("t", { dependencies: [dies.result] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, internal)
    })
  )

  eras("I14: a failure of a dependency reaches a `.result` consumer as the error itself", (era) =>
    Effect.gen(function* () {
      class Fails extends Resolver.Service<Fails>()("fails", {
        resolve: (): Effect.Effect<string, SoldOut> => Effect.fail(new SoldOut({ title: "Dune" }))
      }) {}
      class Above extends Resolver.Service<Above>()("above", { dependencies: [Fails], resolve: () => Fails }) {}
      const registrations = tool("t", { dependencies: [Above.result] }, () =>
        Effect.map(Above.result, (result) => (result._tag === "Failure" ? result.failure.message : "none"))
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "'Dune' is sold out")
    })
  )
})
