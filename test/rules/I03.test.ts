import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, observed, resolver, tool, Yes, yes } from "./kit.ts"

/** A question whose words the test can change between rounds, and one beside it that stays. */
const shop = () => {
  const words = { message: "Deploy?", schema: Yes as any, ran: 0 }
  const deploy = resolver("deploy", {}, () =>
    Effect.suspend(() => {
      words.ran++
      return Elicitation.form({ message: words.message, schema: words.schema })
    })
  )
  const name = resolver("name", {}, () =>
    Elicitation.form({ message: "Your name?", schema: Schema.Struct({ name: Schema.String }) })
  )
  const one = tool("one", { dependencies: [deploy] }, () => Effect.map(deploy.get, (it) => `deployed:${it.ok}`))
  const two = tool("two", { dependencies: [deploy, name] }, () =>
    Effect.map(Effect.all([deploy.get, name.get]), ([it, { name }]) => `${it.ok}:${name}`)
  )
  return { words, one, two }
}
const ada = Answer.accept({ name: "ada" })

const era2026 = eras.of("2026-07-28")

describe("I3", () => {
  era2026("I3: an answer to a question that has been reworded since is not taken; the new words are asked", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const { one, words } = shop()
        const peer = yield* Peer.make({ ...era, registrations: one })
        const first = asked(yield* peer.callToolOnce("one"))
        words.message = "Deploy to production?"
        const second = asked(yield* peer.retry(first, { inputResponses: { deploy: yes } }))
        assert.strictEqual(second.inputRequests.deploy?.params.message, "Deploy to production?")
        const result = completed(yield* peer.retry(second, { inputResponses: { deploy: yes } }))
        assert.strictEqual(result.text, "deployed:true")
        assert.notInclude(logs.join("\n"), '"ok"')
      })
    )
  )

  era2026("I3: an answer to a question that has been reshaped since is not taken", (era) =>
    Effect.gen(function* () {
      const { one, words } = shop()
      const peer = yield* Peer.make({ ...era, registrations: one })
      const first = asked(yield* peer.callToolOnce("one"))
      words.schema = Schema.Struct({ ok: Schema.Boolean.annotate({ description: "For everyone" }) })
      asked(yield* peer.retry(first, { inputResponses: { deploy: yes } }))
    })
  )

  era2026("I3: a recorded answer whose question was reworded is asked again; its sibling's answer survives", (era) =>
    Effect.gen(function* () {
      const { two, words } = shop()
      const peer = yield* Peer.make({ ...era, registrations: two })
      const first = asked(yield* peer.callToolOnce("two"))
      const second = asked(yield* peer.retry(first, { inputResponses: { deploy: yes } }))
      assert.deepStrictEqual(Object.keys(second.inputRequests), ["name"])
      words.message = "Really?"
      const third = asked(yield* peer.retry(second, { inputResponses: { name: ada } }))
      assert.deepStrictEqual(Object.keys(third.inputRequests), ["deploy"])
      assert.strictEqual(completed(yield* peer.retry(third, { inputResponses: { deploy: yes } })).text, "true:ada")
    })
  )

  era2026("I3: a fresh answer in the same retry does not stand in for a recorded one that was reworded", (era) =>
    Effect.gen(function* () {
      const { two, words } = shop()
      const peer = yield* Peer.make({ ...era, registrations: two })
      const first = asked(yield* peer.callToolOnce("two"))
      const second = asked(yield* peer.retry(first, { inputResponses: { deploy: yes } }))
      words.message = "Really?"
      const third = asked(yield* peer.retry(second, { inputResponses: { name: ada, deploy: yes } }))
      assert.deepStrictEqual(Object.keys(third.inputRequests), ["deploy"])
    })
  )

  era2026("I3: a decline of the old words does not decline the new ones", (era) =>
    Effect.gen(function* () {
      const { two, words } = shop()
      const peer = yield* Peer.make({ ...era, registrations: two })
      const first = asked(yield* peer.callToolOnce("two"))
      words.message = "Really?"
      const second = asked(yield* peer.retry(first, { inputResponses: { deploy: Answer.decline, name: ada } }))
      assert.strictEqual(completed(yield* peer.retry(second, { inputResponses: { deploy: yes } })).text, "true:ada")
    })
  )

  era2026("I3: a recorded answer beats one that is sent again", (era) =>
    Effect.gen(function* () {
      const { two } = shop()
      const peer = yield* Peer.make({ ...era, registrations: two })
      const first = asked(yield* peer.callToolOnce("two"))
      const second = asked(yield* peer.retry(first, { inputResponses: { deploy: yes } }))
      const other = Answer.accept({ ok: false })
      assert.strictEqual(
        completed(yield* peer.retry(second, { inputResponses: { deploy: other, name: ada } })).text,
        "true:ada"
      )
    })
  )

  era2026("I3: answers without the state are not consumed: nobody knows what the client was shown", (era) =>
    Effect.gen(function* () {
      const { one } = shop()
      const peer = yield* Peer.make({ ...era, registrations: one })
      const first = asked(yield* peer.callToolOnce("one"))
      const second = asked(yield* peer.retry(first, { inputResponses: { deploy: yes }, requestState: undefined }))
      assert.strictEqual(
        completed(yield* peer.retry(second, { inputResponses: { deploy: yes } })).text,
        "deployed:true"
      )
    })
  )

  era2026("I3: a state without answers asks the same questions again", (era) =>
    Effect.gen(function* () {
      const { two } = shop()
      const peer = yield* Peer.make({ ...era, registrations: two })
      const first = asked(yield* peer.callToolOnce("two"))
      const second = asked(yield* peer.retry(first, { inputResponses: {} }))
      assert.deepStrictEqual(second.inputRequests, first.inputRequests)
    })
  )

  era2026("I3: an answer to one question is not one to another of the same words", (era) =>
    Effect.gen(function* () {
      const ask = (key: string) => resolver(key, {}, () => Elicitation.form({ message: "Sure?", schema: Yes }))
      const [a, b] = [ask("a"), ask("b")]
      const registrations = tool("t", { dependencies: [a, b] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("t"))
      const second = asked(yield* peer.retry(first, { inputResponses: { a: yes, c: yes } }))
      assert.deepStrictEqual(Object.keys(second.inputRequests), ["b"])
    })
  )
})
