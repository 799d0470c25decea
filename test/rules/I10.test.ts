import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Elicitation, Resolve } from "effect-resolve"
import { type Era, eras, Peer } from "effect-resolve/testing"
import { asked, completed, type Registrations, resolver, tool, Yes, yes } from "./kit.ts"

const ask = (key: string, schema: any = Yes) => resolver(key, {}, () => Elicitation.form({ message: "ok?", schema }))
const era2026 = eras.of("2026-07-28")

/** The answer to the first round of a server decides the call on another, built as given. */
const across = (era: Era, one: Registrations, two: Registrations) =>
  Effect.gen(function* () {
    const first = yield* Peer.make({ ...era, registrations: one })
    const second = yield* Peer.make({ ...era, registrations: two })
    return [asked(yield* first.callToolOnce("t")), asked(yield* second.callToolOnce("t"))] as const
  })

describe("I10", () => {
  era2026("I10: wire keys are the resolvers' own keys, whatever the order of the lists", (era) =>
    Effect.gen(function* () {
      const [a, b] = [ask("shop/a"), ask("shop/b")]
      const [one, two] = yield* across(
        era,
        tool("t", { dependencies: [a, b] }, () => Effect.succeed("done")),
        tool("t", { dependencies: [ask("other"), b, a] }, () => Effect.succeed("done"))
      )
      assert.deepStrictEqual(Object.keys(one.inputRequests), ["shop/a", "shop/b"])
      assert.deepStrictEqual(Object.keys(two.inputRequests), ["other", "shop/b", "shop/a"])
    })
  )

  era2026("I10: the same declarations made twice give the same keys and the same questions", (era) =>
    Effect.gen(function* () {
      const build = () => tool("t", { dependencies: [ask("shop/a"), ask("shop/b")] }, () => Effect.succeed("done"))
      const [one, two] = yield* across(era, build(), build())
      assert.deepStrictEqual(one.inputRequests, two.inputRequests)
    })
  )

  era2026("I10: an answer counts whatever the order in which a question's schema lists its members", (era) =>
    Effect.gen(function* () {
      // the same question as another build of the server may write it
      let annotations: object = { title: "OK", description: "Go ahead?", default: true }
      const fickle = resolver("fickle", {}, () =>
        Effect.suspend(() =>
          Elicitation.form({
            message: "ok?",
            schema: Schema.Struct({ ok: Schema.Boolean.annotate(annotations as any) })
          })
        )
      )
      const registrations = tool("t", { dependencies: [fickle] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      annotations = { default: true, description: "Go ahead?", title: "OK" }
      assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { fickle: yes } })).text, "done")
    })
  )

  era2026("I10: a label is set off from the key; a key that looks like a labelled one is another key", (era) =>
    Effect.gen(function* () {
      const labelled = resolver("a", {}, () => Elicitation.form({ message: "labelled?", schema: Yes, label: "x" }))
      const lookalike = resolver("a#x", {}, () => Elicitation.form({ message: "lookalike?", schema: Yes }))
      const registrations = tool("t", { dependencies: [labelled, lookalike] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const messages = Object.values(round.inputRequests).map(({ params }) => params.message)
      assert.deepStrictEqual(messages, ["labelled?", "lookalike?"])
      assert.strictEqual(new Set(Object.keys(round.inputRequests)).size, 2)
    })
  )

  era2026("I10: keys such as `__proto__` and `constructor` are keys like any other", (era) =>
    Effect.gen(function* () {
      const keys = ["__proto__", "constructor", "toString", "a b", "ü"]
      const registrations = tool("t", { dependencies: keys.map((key) => ask(key)) }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(Object.keys(round.inputRequests), keys)
      // two rounds, so that their answers are recorded, too
      const [first, ...rest] = keys
      const answers = (keys: ReadonlyArray<string>) => Object.fromEntries(keys.map((key) => [key, yes]))
      const second = asked(yield* peer.retry(round, { inputResponses: answers([first!]) }))
      assert.deepStrictEqual(Object.keys(second.inputRequests), rest)
      assert.strictEqual(completed(yield* peer.retry(second, { inputResponses: answers(rest) })).text, "done")
    })
  )

  it.effect("I10: two different resolvers with one key fail registration, wherever they are", () =>
    Effect.gen(function* () {
      const one = resolver("shop/a", {}, () => Effect.void)
      const two = resolver("shop/b", { dependencies: [resolver("shop/a", {}, () => Effect.void)] }, () => Effect.void)
      const registrations = tool("t", { dependencies: [one, two] }, () => Effect.succeed("done"))
      const error = yield* Effect.flip(Peer.make({ registrations }))
      assert.instanceOf(error, Resolve.InvalidSignature)
      assert.include(error.message, "two different resolvers have the key 'shop/a'")
      assert.include(error.message, "shop/b -> shop/a")
    })
  )
})
