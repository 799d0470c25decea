/** What a client declared decides what it is asked; what it cannot answer is not sent. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { Elicitation, Question, Resolver } from "effect-resolve"
import { type Era, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, resolver, tool, Yes, yes } from "../rules/kit.ts"

const form = (key: string) => resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))
const url = (key: string) => resolver(key, {}, () => Elicitation.url({ message: `${key}?`, url: "https://pay.test/" }))

const ask = (ran = counter()) =>
  Layer.mergeAll(
    tool("form", { dependencies: [form("f")] }, () => Effect.as(ran.hit("body"), "done")),
    tool("url", { dependencies: [url("u")] }, () => Effect.as(ran.hit("body"), "done")),
    tool("plain", {}, () => Effect.succeed("plain"))
  )

const refusal = (peer: Peer.Peer, name: string) =>
  Effect.map(Effect.flip(peer.callTool(name)), (error) => [error.code, error.message, error.data] as const)

const status = (era: Era) => (era.protocol === "2026-07-28" ? 400 : 200)

describe("capabilities", () => {
  for (const [declared, kinds] of [
    [{}, []],
    [{ elicitation: {} }, ["form"]],
    [{ elicitation: { form: {} } }, ["form"]],
    [{ elicitation: { url: {} } }, ["url"]],
    [{ elicitation: { form: {}, url: {} } }, ["form", "url"]],
    [{ sampling: {}, roots: {} }, []]
  ] as const) {
    eras(`a client that declares ${JSON.stringify(declared)} is asked by: ${kinds.join(" and ") || "nothing"}`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const peer = yield* Peer.make({
          ...era,
          registrations: ask(ran),
          capabilities: declared,
          answers: ({ key }) => (key === "u" ? { _tag: "Result", result: { action: "accept" } } : yes)
        })
        for (const kind of ["form", "url"] as const) {
          ran.log.length = 0
          if ((kinds as ReadonlyArray<string>).includes(kind)) {
            assert.strictEqual((yield* peer.callTool(kind)).text, "done")
            continue
          }
          const [code, message, data] = yield* refusal(peer, kind)
          assert.strictEqual(code, -32021)
          assert.include(message, `capability required by resolver '${kind === "form" ? "f" : "u"}'`)
          assert.deepStrictEqual(data, { requiredCapabilities: { elicitation: { [kind]: {} } } })
          assert.deepStrictEqual(ran.log, [])
        }
        assert.strictEqual(peer.questions.length, kinds.length)
        assert.strictEqual((yield* peer.callTool("plain")).text, "plain")
      })
    )
  }

  eras("the refusal is a JSON-RPC error, HTTP 400 on 2026-07-28, and its text names the form capability", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: ask(), capabilities: {} })
      const error = yield* Effect.flip(peer.callTool("form"))
      assert.strictEqual(
        error.message,
        "Client did not declare the form elicitation capability required by resolver 'f'"
      )
      assert.strictEqual(error.httpStatus, status(era))
    })
  )

  eras("several capabilities missing in one round are one refusal with all of them", (era) =>
    Effect.gen(function* () {
      const registrations = tool("t", { dependencies: [form("f"), url("u")] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, capabilities: {} })
      const [code, , data] = yield* refusal(peer, "t")
      assert.deepStrictEqual([code, data], [-32021, { requiredCapabilities: { elicitation: { form: {}, url: {} } } }])
    })
  )

  eras("one missing refuses the call though others could be asked, and nothing is sent", (era) =>
    Effect.gen(function* () {
      const registrations = Layer.mergeAll(
        tool("last", { dependencies: [form("f"), url("u")] }, () => Effect.succeed("done")),
        tool("first", { dependencies: [url("u"), form("f")] }, () => Effect.succeed("done"))
      )
      const peer = yield* Peer.make({ ...era, registrations, capabilities: { elicitation: {} } })
      for (const name of ["last", "first"]) {
        const [code, , data] = yield* refusal(peer, name)
        assert.deepStrictEqual([code, data], [-32021, { requiredCapabilities: { elicitation: { url: {} } } }])
      }
      assert.strictEqual(peer.questions.length, 0)
    })
  )

  eras("a capability is checked only when a question is asked", (era) =>
    Effect.gen(function* () {
      const unasked = resolver("unasked", {}, () =>
        Effect.suspend(() =>
          ran.count("never") > 0 ? Elicitation.form({ message: "?", schema: Yes }) : Effect.succeed({ ok: true })
        )
      )
      const ran = counter()
      const registrations = tool("t", { dependencies: [unasked] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, capabilities: {} })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
    })
  )

  eras.of("2026-07-28")(
    "nor is it when the answer is there: a retry may come from a client that declares nothing",
    (era) =>
      Effect.gen(function* () {
        const server = yield* Peer.serve({ registrations: ask() })
        const able = yield* Peer.connect(server, { ...era })
        const round = asked(yield* able.callToolOnce("form"))
        const unable = yield* Peer.connect(server, { ...era, capabilities: {} })
        assert.strictEqual(completed(yield* unable.retry(round, { inputResponses: { f: yes } })).text, "done")
        // each request brings its own capabilities
        const error = yield* Effect.flip(unable.callTool("form"))
        assert.strictEqual(error.code, -32021)
        asked(yield* able.callToolOnce("form"))
      })
  )

  eras("a missing capability is a value for `.result` and for `catchTag`, and `supported` tells before", (era) =>
    Effect.gen(function* () {
      class Ask extends Resolver.Service<Ask>()("ask", {
        resolve: () => Elicitation.form({ message: "?", schema: Yes })
      }) {}
      const caught = resolver("caught", {}, () =>
        Effect.catchTag(Elicitation.form({ message: "?", schema: Yes }), "MissingCapability", (error) =>
          Effect.succeed(Question.isQuestionError(error) ? Object.keys(error.requiredCapabilities).join() : "")
        )
      )
      const supported = resolver("supported", {}, () => Effect.all([Elicitation.supported, Elicitation.urlSupported]))
      const registrations = tool("t", { dependencies: [Ask.result, caught, supported] }, () =>
        Effect.gen(function* () {
          const result = yield* Ask.result
          const tag = Result.isFailure(result) ? result.failure._tag : "none"
          return `${tag} ${yield* caught.get} ${(yield* supported.get).join()}`
        })
      )
      const peer = yield* Peer.make({ ...era, registrations, capabilities: { elicitation: { url: {} } } })
      assert.strictEqual((yield* peer.callTool("t")).text, "MissingCapability elicitation false,true")
      assert.strictEqual(peer.questions.length, 0)
    })
  )

  for (const protocol of ["2025-06-18", "2025-03-26", "2024-11-05"] as const) {
    eras.of(protocol)("a protocol without a kind of question is a client that lacks it", (era) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: ask(),
          capabilities: { elicitation: { form: {}, url: {} } },
          answers: () => yes
        })
        if (protocol === "2025-06-18") assert.strictEqual((yield* peer.callTool("form")).text, "done")
        else assert.strictEqual((yield* refusal(peer, "form"))[0], -32021)
        assert.strictEqual((yield* refusal(peer, "url"))[0], -32021)
      })
    )
  }
})
