import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { Elicitation, Resolver } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, resolver, tool, Yes, yes } from "./kit.ts"

const how = (exit: Exit.Exit<unknown, unknown>) =>
  Resolver.isSuspended(exit) ? "suspended" : Exit.isSuccess(exit) ? "success" : "failure"

/** Resolvers that hold something for the call: `c` needs `b` needs `a`. */
const holders = (ran = counter()) => {
  const hold = (key: string, dependencies: ReadonlyArray<any> = []) =>
    resolver(key, { dependencies }, () =>
      Effect.acquireRelease(ran.hit(`acquire ${key}`), (_, exit) => ran.hit(`release ${key}: ${how(exit)}`))
    )
  const a = hold("a")
  const b = hold("b", [a])
  const c = hold("c", [b])
  return { ran, a, b, c }
}
const acquired = ["acquire a", "acquire b", "acquire c"]
const released = (how: string) => ["c", "b", "a"].map((key) => `release ${key}: ${how}`)

describe("I9", () => {
  eras("I9: what resolvers and body acquire is released after a success, in reverse order, body first", (era) =>
    Effect.gen(function* () {
      const { c, ran } = holders()
      const registrations = tool("t", { dependencies: [c] }, () =>
        Effect.as(
          Effect.andThen(
            Effect.addFinalizer((exit) => ran.hit(`body: ${how(exit)}`)),
            ran.hit("body")
          ),
          "done"
        )
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual(ran.log, [...acquired, "body", "body: success", ...released("success")])
    })
  )

  eras("I9: after a failure of the body, and after a defect of a resolver", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const { c } = holders(ran)
      const bad = resolver("bad", { dependencies: [c] }, () => Effect.die("boom"))
      const body = tool("body", { dependencies: [c], failure: Schema.String }, () => Effect.fail("no"))
      const graph = tool("graph", { dependencies: [bad] }, () => ran.hit("body"))
      const peer = yield* Peer.make({ ...era, registrations: body })
      assert.isTrue((yield* peer.callTool("body")).isError)
      assert.deepStrictEqual(ran.log.splice(0), [...acquired, ...released("failure")])
      const other = yield* Peer.make({ ...era, registrations: graph })
      assert.isTrue((yield* other.callTool("graph")).isError)
      assert.deepStrictEqual(ran.log, [...acquired, ...released("failure")])
    })
  )

  eras("I9: a body that answers `isError: true` closes the scope of its call as a failure", (era) =>
    Effect.gen(function* () {
      const { c, ran } = holders()
      const registrations = tool("t", { dependencies: [c], success: McpSchema.CallToolResult }, () =>
        Effect.succeed(new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: "sold out" }] }))
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, "sold out"])
      assert.deepStrictEqual(ran.log, [...acquired, ...released("failure")])
    })
  )

  eras.of("2026-07-28")("I9: after a suspension, marked as one, and again after the last round", (era) =>
    Effect.gen(function* () {
      const { c, ran } = holders()
      const ask = resolver("ask", { dependencies: [c] }, () =>
        Effect.onExit(Elicitation.form({ message: "ok?", schema: Yes }), (exit) => ran.hit(`ask: ${how(exit)}`))
      )
      const registrations = tool("t", { dependencies: [ask] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: yes } })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(ran.log.splice(0), [...acquired, "ask: suspended", ...released("suspended")])
      assert.strictEqual(completed(yield* peer.retry(round)).text, "done")
      assert.deepStrictEqual(ran.log, [...acquired, "ask: success", ...released("success")])
    })
  )

  eras("I9: a finalizer that fails is reported, the others still run, and the client is told of an error", (era) =>
    observed(({ logs, reports }) =>
      Effect.gen(function* () {
        const ran = counter()
        const { b } = holders(ran)
        const bad = resolver("bad", { dependencies: [b] }, () =>
          Effect.addFinalizer(() => Effect.die(new Error("the disk is full")))
        )
        const registrations = tool("t", { dependencies: [bad] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations })
        const result = yield* peer.callTool("t")
        // what failed may have been the commit
        assert.deepStrictEqual([result.isError, result.text], [true, "Error executing tool t: internal error"])
        assert.deepStrictEqual(ran.log, [...acquired.slice(0, 2), ...released("success").slice(1)])
        assert.include(reports.join("\n"), "the disk is full")
        assert.include(logs.join("\n"), "the disk is full")
      })
    )
  )

  eras.of("2026-07-28")(
    "I9: a finalizer that fails when the round suspends is reported; the question goes out",
    (era) =>
      observed(({ reports }) =>
        Effect.gen(function* () {
          const bad = resolver("bad", {}, () =>
            Effect.addFinalizer((exit) =>
              Resolver.isSuspended(exit) ? Effect.die(new Error("the disk is full")) : Effect.void
            )
          )
          const ask = resolver("ask", { dependencies: [bad] }, () => Elicitation.form({ message: "ok?", schema: Yes }))
          const registrations = tool("t", { dependencies: [ask] }, () => Effect.succeed("done"))
          const peer = yield* Peer.make({ ...era, registrations, answers: { ask: yes } })
          const round = asked(yield* peer.callToolOnce("t"))
          assert.include(reports.join("\n"), "the disk is full")
          assert.strictEqual(completed(yield* peer.retry(round)).text, "done")
        })
      )
  )

  eras("I9: a finalizer may yield the values of its call, and cannot ask any more", (era) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const late = resolver("late", {}, () =>
        Effect.addFinalizer(() =>
          Effect.match(Elicitation.form({ message: "too late?", schema: Yes }), {
            onFailure: (error) => void seen.push(error.message),
            onSuccess: () => void seen.push("answered")
          })
        )
      )
      const registrations = tool("t", { dependencies: [late] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual(seen, ["Resolver for 'late' could not resolve: it asked a question after it had ended"])
    })
  )
})
