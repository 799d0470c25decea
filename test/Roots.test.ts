import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation, Roots, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { resolver, tool } from "./rules/kit.ts"

const key = "shop/Folders"
const folders = resolver(key, {}, () => Roots.list)
const workspace = tool("workspace", { dependencies: [folders] }, () =>
  Effect.map(folders.get, (roots) => JSON.stringify(roots))
)
const failed = (sentence: string) => `Error executing tool workspace: ${sentence}`

describe("Roots.list", () => {
  eras("the client's roots are the value, names where it gave them", (era) =>
    Effect.gen(function* () {
      const roots = [{ uri: "file:///work/shop", name: "Shop" }, { uri: "file:///C:/work%20two" }, { uri: "FILE:///x" }]
      const peer = yield* Peer.make({ ...era, registrations: workspace, answers: { [key]: Answer.roots(roots) } })
      const result = yield* peer.callTool("workspace", {})
      assert.deepStrictEqual(JSON.parse(result.text), roots)
    })
  )

  eras("roots are asked for without parameters, never with null", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: workspace, answers: { [key]: Answer.roots([]) } })
      yield* peer.callTool("workspace", {})
      const received: ReadonlyArray<any> = peer.transcript
        .filter(({ from }) => from === "server")
        .map(({ message }) => message)
      if (era.protocol === "2026-07-28") {
        const [asking] = received.filter(({ result }) => result?.resultType === "input_required")
        assert.deepStrictEqual(asking.result.inputRequests, { [key]: { method: "roots/list" } })
      } else {
        const [asking] = received.filter(({ method }) => method === "roots/list")
        assert.deepStrictEqual(asking.params, {})
      }
    })
  )

  eras("no roots at all are an answer", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: workspace, answers: { [key]: Answer.roots([]) } })
      const result = yield* peer.callTool("workspace", {})
      assert.isFalse(result.isError)
      assert.strictEqual(result.text, "[]")
    })
  )

  eras("a root that is no file is a typed failure", (era) =>
    Effect.forEach(["https://example.org/", "/work", "file:/work", "untitled:1", ""], (uri) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: workspace,
            answers: { [key]: Answer.roots(["file:///ok", uri]) }
          })
          const result = yield* peer.callTool("workspace", {})
          assert.strictEqual(result.text, failed(`Resolver '${key}' received a root that is not a file:// URI`), uri)
        })
      )
    )
  )

  eras("an answer of another kind is a typed failure", (era) =>
    Effect.forEach(
      [
        {},
        { action: "accept", content: {} },
        { roots: {} },
        { roots: [{ uri: 1 }] },
        { roots: [{ uri: "file:///x", name: 1 }] },
        { roots: ["file:///x"] },
        { role: "assistant", content: { type: "text", text: "file:///x" }, model: "m" }
      ],
      (answer) =>
        Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.make({
              ...era,
              registrations: workspace,
              answers: { [key]: Answer.result(answer) }
            })
            const result = yield* peer.callTool("workspace", {})
            assert.strictEqual(
              result.text,
              failed(`Resolver '${key}' received a response of the wrong kind`),
              JSON.stringify(answer)
            )
          })
        )
    )
  )

  eras.of("2025-11-25", "2024-11-05")("the client's own error is told by its code", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: workspace,
        answers: { [key]: Answer.error(-32600, "List roots not supported") }
      })
      const result = yield* peer.callTool("workspace", {})
      assert.strictEqual(
        result.text,
        failed(`Resolver for '${key}' could not resolve: the client answered with error -32600`)
      )
    })
  )
})

const Yes = Schema.Struct({ ok: Schema.Boolean })

describe("all four kinds", () => {
  eras("a form, a page, the client's model and its roots are asked for in one round together", (era) =>
    Effect.gen(function* () {
      let runs = 0
      const form = resolver("a/Form", {}, () => Elicitation.form({ message: "Order?", schema: Yes }))
      const page = resolver("b/Page", {}, () =>
        Effect.as(Elicitation.url({ message: "Pay.", url: "https://pay.example/1" }), "agreed")
      )
      const model = resolver("c/Model", {}, () =>
        Effect.andThen(
          Effect.sync(() => runs++),
          Sampling.createMessage({ prompt: "A title?", maxTokens: 5 })
        )
      )
      const list = [form, page, model, folders]
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("all", { dependencies: list }, () =>
          Effect.map(
            Effect.all(list.map(({ get }) => get)),
            ([order, paid, title, roots]: any) => `${order.ok} ${paid} ${title.content.text} ${roots.length}`
          )
        ),
        answers: {
          "a/Form": Answer.accept({ ok: true }),
          "b/Page": Answer.accept(),
          "c/Model": Answer.sampled("Dune"),
          [key]: Answer.roots(["file:///x"])
        }
      })
      const result = yield* peer.callTool("all", {})
      assert.strictEqual(result.text, "true agreed Dune 1")
      assert.deepStrictEqual(
        peer.questions.map(({ key, method }) => [key, method]),
        [
          ["a/Form", "elicitation/create"],
          ["b/Page", "elicitation/create"],
          ["c/Model", "sampling/createMessage"],
          [key, "roots/list"]
        ]
      )
      assert.strictEqual(runs, era.protocol === "2026-07-28" ? 2 : 1)
    })
  )
})
