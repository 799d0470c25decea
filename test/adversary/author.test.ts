import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schema } from "effect"
import { McpServer } from "effect/ai"
import { Elicitation, Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, type Registrations, resolver, tool, Yes, yes } from "../rules/kit.ts"
import { callee, traced } from "./kit.ts"

const era2026 = eras.of("2026-07-28")
const ask = (message = "ok?", label?: string) =>
  Elicitation.form({ message, schema: Yes, ...(label === undefined ? {} : { label }) })

const fallbacks: { readonly [what: string]: (self: Effect.Effect<any, any, any>) => Effect.Effect<any, any, any> } = {
  catchCause: (self) => Effect.catchCause(self, () => Effect.succeed({ ok: true })),
  exit: (self) => Effect.as(Effect.exit(self), { ok: true }),
  matchCause: (self) => Effect.matchCause(self, { onFailure: () => ({ ok: true }), onSuccess: () => ({ ok: true }) }),
  ensuring: (self) => Effect.ensuring(self, Effect.void),
  "a forked child": (self) =>
    Effect.gen(function* () {
      const child = yield* Effect.forkChild(self)
      yield* Fiber.await(child)
      return { ok: true }
    })
}

describe("adversary: the author", () => {
  for (const [what, wrap] of Object.entries(fallbacks)) {
    era2026(`I11: what a durable body makes of its own suspension is not sealed as its value: ${what}`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        let granted: unknown
        const consent = resolver("consent", { durable: Yes }, () => {
          const asking = Effect.tap(ask(), (answer) => Effect.sync(() => void (granted = answer)))
          return Effect.andThen(ran.hit("consent"), wrap(asking))
        })
        const registrations = tool("t", { dependencies: [consent] }, () => Effect.as(ran.hit("body"), "done"))
        const peer = yield* Peer.make({ ...era, registrations })
        const first = asked(yield* peer.callToolOnce("t"))
        const silent = asked(yield* peer.retry(first, { inputResponses: {} }))
        assert.deepStrictEqual([Object.keys(silent.inputRequests!), ran.count("body")], [["consent"], 0])
        completed(yield* peer.retry(silent, { inputResponses: { consent: Answer.accept({ ok: false }) } }))
        assert.deepStrictEqual([granted, ran.count("consent"), ran.count("body")], [{ ok: false }, 3, 1])
      })
    )
  }

  eras("I10: tools, labels and resolvers whose names look like nested paths keep their durable values apart", (era) =>
    Effect.gen(function* () {
      const value = (key: string, text: string) => resolver(key, { durable: Schema.String }, () => Effect.succeed(text))
      const [bc, c, ac] = [value("b/c", "a: b/c"), value("c", "a/b: c"), value("%2Fb/c", "a: %2Fb/c")]
      const a = callee("a", { dependencies: [bc, ac] }, () => bc.get)
      const ab = callee("a/b", { dependencies: [c] }, () => c.get)
      const calls = resolver("r", {}, () =>
        Effect.all([a.call(), ab.call(), a.call({}, { label: "x/b" }), a.call({}, { label: "x>a/b" })])
      )
      const registrations = tool(
        "t",
        { dependencies: [calls] },
        () => Effect.map(calls.get, (all) => all.join(", ")),
        Layer.merge(a.live, ab.live)
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "a: b/c, a/b: c, a: b/c, a: b/c")
    })
  )

  eras("I10: a body and a resolver of one name do not share what the tools they call have computed", (era) =>
    Effect.gen(function* () {
      const parameters = { who: Schema.String }
      const told = resolver("told", { parameters, durable: Schema.String }, ({ who }) => Effect.succeed(who))
      const say = callee("say", { parameters: Schema.Struct(parameters), dependencies: [told] }, () => told.get)
      const t = resolver("t", {}, () => say.call({ who: "resolver" }))
      const registrations = tool(
        "t",
        { dependencies: [t] },
        () => Effect.map(Effect.zip(t.get, say.call({ who: "body" })), (both) => both.join(", ")),
        say.live
      )
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual((yield* peer.callTool("t")).text, "resolver, body")
    })
  )

  const values = {
    undefined: undefined,
    null: null,
    "a function": () => 1,
    "an Effect": Effect.fail("no"),
    "an Exit": Exit.fail("no"),
    "a promise": Promise.resolve(1),
    "the engine's own word for an open question": "pending",
    "a list": [1]
  }
  for (const [what, value] of Object.entries(values)) {
    eras(`I1: ${what} is a value like any other`, (era) =>
      Effect.gen(function* () {
        const v = resolver("v", {}, () => Effect.succeed(value))
        const same = resolver("same", { dependencies: [v, v.result] }, () => Effect.map(v.get, (got) => got === value))
        const registrations = tool("t", { dependencies: [same, v] }, () =>
          Effect.map(Effect.all([same.get, v.get]), ([same, got]) => `${same} ${got === value}`)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        assert.strictEqual((yield* peer.callTool("t")).text, "true true")
      })
    )
  }

  for (const value of [undefined, null, 3, "text", () => 1, Promise.resolve(1)]) {
    eras(`I14: ${String(value)} in place of an Effect is an internal error, and the next call is served`, (era) =>
      observed(({ logs }) =>
        Effect.gen(function* () {
          const not = resolver("not", {}, () => value as any)
          const registrations: Registrations = Layer.mergeAll(
            tool("resolver", { dependencies: [not] }, () => Effect.succeed("never")),
            tool("body", {}, () => value as any),
            tool("fine", {}, () => Effect.succeed("fine")),
            Resolve.prompt({
              name: "p",
              parameters: { a: Schema.String },
              completion: { a: () => value },
              content: () => value
            } as any) as unknown as Registrations
          )
          const peer = yield* Peer.make({ ...era, registrations })
          for (const name of ["resolver", "body"]) {
            assert.strictEqual((yield* peer.callTool(name)).text, `Error executing tool ${name}: internal error`)
          }
          assert.strictEqual((yield* Effect.flip(peer.getPrompt("p", { a: "" }))).code, -32603)
          const ref = { type: "ref/prompt", name: "p" } as const
          const completion = peer.complete({ ref, argument: { name: "a", value: "" } })
          assert.strictEqual((yield* Effect.flip(completion)).code, -32603)
          assert.strictEqual((yield* peer.callTool("fine")).text, "fine")
          for (const who of ["Resolver 'not'", "Tool 'body'", "Prompt 'p'", "A completion of Prompt 'p'"]) {
            assert.include(logs.join("\n"), `${who} did not return an Effect`)
          }
        })
      )
    )
  }

  const canary = "canary-4711"
  const leaks: { readonly [what: string]: (text: string) => Effect.Effect<any, any> } = {
    "a failure": (text) => Effect.fail(new Error(text)),
    "a defect": (text) => Effect.die(new Error(text)),
    "a thrown text": (text) =>
      Effect.sync(() => {
        throw text
      })
  }
  for (const transport of ["http", "stdio"] as const) {
    for (const [what, leak] of Object.entries(leaks)) {
      eras(`I14: ${what} anywhere in a server puts no byte of it on the wire: ${transport}`, (era) =>
        observed(() =>
          Effect.gen(function* () {
            const fails = resolver("fails", {}, () => leak(canary))
            const finalizes = resolver("finalizes", {}, () => Effect.addFinalizer(() => leak(canary) as never))
            const dur = resolver("dur", { durable: Schema.Int }, () => Effect.succeed(canary))
            const raw: any = { description: "d" }
            const registrations: Registrations = Layer.mergeAll(
              tool("resolver", { dependencies: [fails] }, () => Effect.succeed("never")),
              tool("body", {}, () => leak(canary)),
              tool("finalizer", { dependencies: [finalizes] }, () => Effect.succeed("fine")),
              tool("durable", { dependencies: [dur] }, () => Effect.succeed("never")),
              tool("success", { success: Schema.Int }, () => Effect.succeed(canary)),
              Resolve.prompt({
                ...raw,
                name: "p",
                parameters: { x: Schema.String },
                completion: { x: () => leak(canary) },
                content: () => leak(canary)
              }) as unknown as Registrations,
              Resolve.resource({
                ...raw,
                uri: "r://r",
                name: "r",
                dependencies: [fails],
                content: Effect.void
              }) as unknown as Registrations,
              Resolve.resource({ ...raw, uri: "r://s", name: "s", content: leak(canary) }) as unknown as Registrations
            )
            const peer = yield* Peer.make({ ...era, transport, registrations })
            for (const name of ["resolver", "body", "durable", "success"]) {
              assert.strictEqual((yield* peer.callTool(name)).text, `Error executing tool ${name}: internal error`)
            }
            assert.strictEqual(
              (yield* peer.callTool("finalizer")).text,
              "Error executing tool finalizer: internal error"
            )
            yield* Effect.flip(peer.getPrompt("p", { x: "x" }))
            yield* Effect.flip(peer.readResource("r://r"))
            yield* Effect.flip(peer.readResource("r://s"))
            yield* Effect.exit(
              peer.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } })
            )
            yield* Effect.all([peer.listTools, peer.listPrompts, peer.listResources])
            assert.notInclude(JSON.stringify(peer.transcript), "canary")
          })
        )
      )
    }
  }

  eras("I14: a tracer and a logger that collect everything are told no answer and no durable value", (era) =>
    observed(({ logs, reports }) =>
      traced((told) =>
        Effect.gen(function* () {
          const token = resolver("token", { durable: Schema.String }, () => Effect.succeed(canary))
          const bad = resolver("bad", { durable: Schema.Struct({ n: Schema.Int }) }, () =>
            Effect.succeed({ n: canary })
          )
          const card = resolver("card", { dependencies: [token] }, () =>
            Elicitation.form({ message: "Your card?", schema: Schema.Struct({ n: Schema.Int }) })
          )
          const registrations = Layer.merge(
            tool("t", { dependencies: [card] }, () => Effect.succeed("done")),
            tool("u", { dependencies: [bad] }, () => Effect.succeed("never"))
          )
          const answers = [{ n: 815471108154711 }, { n: canary }].map((content) => Answer.accept(content))
          const peer = yield* Peer.make({ ...era, registrations, answers: { card: answers } })
          assert.strictEqual((yield* peer.callTool("t")).text, "done")
          assert.isTrue((yield* peer.callTool("t")).isError)
          assert.isTrue((yield* peer.callTool("u")).isError)
          assert.isAbove(told.length, 0)
          for (const text of [...told, ...logs, ...reports]) {
            for (const word of ["canary", "815471108154711"]) assert.notInclude(text, word)
          }
        })
      )
    )
  )

  eras("I5: two questions asked within `Effect.uninterruptible` suspend the call, and are put once each", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const both = resolver("both", {}, () =>
        Effect.uninterruptible(Effect.all([ask("a?", "a"), ask("b?", "b")], { concurrency: 2 }))
      )
      const registrations = tool("t", { dependencies: [both] }, () => Effect.as(ran.hit("body"), "done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => yes })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.deepStrictEqual([peer.questions.map(({ message }) => message), ran.log], [["a?", "b?"], ["body"]])
    })
  )

  eras("a call inside a call that failed leaves no question of its own for a person to answer", (era) =>
    Effect.gen(function* () {
      const fails = resolver("fails", {}, () => Effect.andThen(Effect.yieldNow, Effect.fail("no")))
      const asks = resolver("asks", {}, () => ask("inner?"))
      const inner = callee("inner", { dependencies: [asks, fails], failure: Schema.String }, () => Effect.succeed("x"))
      const outer = resolver("outer", {}, () => Effect.andThen(Effect.ignore(inner.call()), ask("outer?")))
      const registrations = tool("t", { dependencies: [outer] }, () => Effect.succeed("done"), inner.live)
      const peer = yield* Peer.make({ ...era, registrations, answers: () => yes })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      if (era.protocol === "2026-07-28") {
        assert.deepStrictEqual(
          peer.questions.map(({ message }) => message),
          ["outer?"]
        )
      }
    })
  )

  eras("I3: a call inside a call that is made again after an answer that does not fit asks again", (era) =>
    Effect.gen(function* () {
      const asks = resolver("asks", {}, () => ask("inner?"))
      const inner = callee("inner", { dependencies: [asks] }, () => Effect.succeed("x"))
      const outer = resolver("outer", {}, () => Effect.retry(inner.call(), { times: 2 }))
      const registrations = tool("t", { dependencies: [outer] }, () => outer.get, inner.live)
      let count = 0
      const answers = () => (count++ === 0 ? Answer.accept({ ok: "bad" }) : yes)
      const peer = yield* Peer.make({ ...era, registrations, answers })
      assert.strictEqual((yield* peer.callTool("t")).text, "x")
      assert.strictEqual(peer.questions.length, 2)
    })
  )

  eras(
    "I3: a call inside a call that failed after its answer is made again without putting the question again",
    (era) =>
      Effect.gen(function* () {
        let runs = 0
        const asks = resolver("asks", {}, () => ask("inner?"))
        const inner = callee(
          "inner",
          { dependencies: [asks] },
          () => Effect.suspend(() => (runs++ === 0 ? Effect.fail(new Error("busy")) : Effect.succeed("x"))) as never
        )
        const outer = resolver("outer", {}, () => Effect.retry(inner.call(), { times: 2 }))
        const registrations = tool("t", { dependencies: [outer] }, () => outer.get, inner.live)
        const peer = yield* Peer.make({ ...era, registrations, answers: () => yes })
        assert.strictEqual((yield* peer.callTool("t")).text, "x")
        assert.strictEqual(peer.questions.length, 1)
      })
  )

  eras("a middleware that dies or fails tells the client nothing of it", (era) =>
    observed(() =>
      Effect.gen(function* () {
        for (const effect of [Effect.die(new Error(canary)), Effect.fail(new Error(canary))]) {
          const middleware = McpServer.middleware(() => effect as any)
          const registrations = tool("t", {}, () => Effect.succeed("x"), middleware.layer as any)
          const peer = yield* Peer.make({ ...era, registrations })
          yield* Effect.exit(peer.callTool("t"))
          assert.notInclude(JSON.stringify(peer.transcript), "canary")
        }
      })
    )
  )
})
