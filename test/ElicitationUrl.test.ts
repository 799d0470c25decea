import { assert, describe } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Call, Elicitation, McpContext } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { resolver, tool } from "./rules/kit.ts"

const key = "shop/Deposit"
const page = "https://pay.example/deposit?order=7#now"

const deposit = (options: Partial<Parameters<typeof Elicitation.url>[0]> = {}) =>
  resolver(key, {}, () => Elicitation.url({ message: "Pay the deposit.", url: page, ...options }))

/** Says what a person answered, whatever that was. */
const told = (asking = deposit()) =>
  tool("pay_deposit", { dependencies: [asking.result] }, () =>
    Effect.map(asking.result, (outcome: any) =>
      Result.isSuccess(outcome) ? `agreed: ${outcome.success}` : (outcome.failure as any)._tag
    )
  )
const plain = (asking = deposit()) => tool("pay_deposit", { dependencies: [asking] }, () => Effect.succeed("agreed"))
const failed = (sentence: string) => `Error executing tool pay_deposit: ${sentence}`

describe("Elicitation.url", () => {
  eras("accept means that the person agreed to open the page: there is no content, whatever was sent", (era) =>
    Effect.forEach(
      [
        Answer.accept(),
        Answer.accept({ paid: true }),
        Answer.accept({}),
        Answer.result({ action: "accept", content: null }),
        Answer.result({ action: "accept", content: [{ deep: null }] })
      ],
      (answer) =>
        Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.make({ ...era, registrations: told(), answers: { [key]: answer } })
            assert.strictEqual((yield* peer.callTool("pay_deposit", {})).text, "agreed: undefined")
          })
        )
    )
  )

  eras("decline and cancel of a page are told apart, as values and as refusals", (era) =>
    Effect.gen(function* () {
      for (const [answer, tag, word] of [
        [Answer.decline, "Declined", "decline"],
        [Answer.cancel, "Cancelled", "cancel"],
        [Answer.result({ action: "decline", content: null }), "Declined", "decline"]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const consumer = yield* Peer.make({ ...era, registrations: told(), answers: { [key]: answer } })
            assert.strictEqual((yield* consumer.callTool("pay_deposit", {})).text, tag)
            const abort = yield* Peer.make({ ...era, registrations: plain(), answers: { [key]: answer } })
            assert.strictEqual(
              (yield* abort.callTool("pay_deposit", {})).text,
              failed(`Resolver for '${key}' could not resolve: elicitation was ${word}`)
            )
          })
        )
      }
    })
  )

  eras("a page is asked for by mode, message and url; only 2025-11-25 adds the call's id to correlate by", (era) =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const asking = resolver(key, {}, () =>
        Effect.gen(function* () {
          ids.push(yield* Call.id)
          yield* Elicitation.url({ message: "Pay\u202e the\u0007\ndeposit.", url: new URL(page) })
        })
      )
      const peer = yield* Peer.make({ ...era, registrations: plain(asking), answers: { [key]: Answer.accept() } })
      yield* peer.callTool("pay_deposit", {})
      assert.deepStrictEqual(peer.questions[0]!.params, {
        mode: "url",
        message: "Pay the\ndeposit.",
        url: page,
        ...(era.protocol === "2025-11-25" ? { elicitationId: ids[0] } : {})
      })
      // every round of the call knows it by one id
      assert.strictEqual(new Set(ids).size, 1)
      assert.strictEqual(ids.length, era.protocol === "2026-07-28" ? 2 : 1)
    })
  )

  eras.of("2025-11-25")("an id of one's own is the elicitationId", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: plain(deposit({ id: "order-7" })),
        answers: { [key]: Answer.accept() }
      })
      yield* peer.callTool("pay_deposit", {})
      assert.strictEqual(peer.questions[0]!.params.elicitationId, "order-7")
    })
  )

  eras("an answer of another kind to a page is a typed failure", (era) =>
    Effect.forEach([{}, { action: "agree" }, { action: true }, { roots: [] }], (answer) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({
            ...era,
            registrations: plain(),
            answers: { [key]: Answer.result(answer) }
          })
          assert.strictEqual(
            (yield* peer.callTool("pay_deposit", {})).text,
            failed(`Resolver '${key}' received a response of the wrong kind`),
            JSON.stringify(answer)
          )
        })
      )
    )
  )

  eras("what is no URL is not sent", (era) =>
    Effect.forEach(["", "/pay", "pay.example", "https://"], (url) =>
      Effect.scoped(
        Effect.gen(function* () {
          const peer = yield* Peer.make({ ...era, registrations: plain(deposit({ url })) })
          assert.strictEqual(
            (yield* peer.callTool("pay_deposit", {})).text,
            failed(`Resolver for '${key}' could not resolve: its question has no valid URL to open`)
          )
          assert.strictEqual(peer.questions.length, 0)
        })
      )
    )
  )

  eras.of(
    "2025-06-18",
    "2025-03-26",
    "2024-11-05"
  )("versions without pages are refused, and nothing is sent", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: plain(),
        capabilities: { elicitation: { form: {}, url: {} } }
      })
      const error = yield* Effect.flip(peer.callTool("pay_deposit", {}))
      assert.deepStrictEqual([error.code, error.data], [-32021, { requiredCapabilities: { elicitation: { url: {} } } }])
      assert.strictEqual(peer.questions.length, 0)
    })
  )
})

describe("McpContext.elicitComplete", () => {
  /** Asks to open the page, and says that it is done: by the id of the call, or by one nobody knows. */
  const confirming = (id?: string) =>
    tool("confirm_deposit", { dependencies: [deposit()] }, () =>
      Effect.gen(function* () {
        yield* McpContext.elicitComplete(id ?? (yield* Call.id))
        return "paid"
      })
    )

  eras.of("2025-11-25")("the end of a page is told by the id that was asked with, before the result", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: confirming(),
        answers: { [key]: Answer.accept() }
      })
      assert.strictEqual((yield* peer.callTool("confirm_deposit", {})).text, "paid")
      const { elicitationId } = peer.questions[0]!.params
      assert.strictEqual(typeof elicitationId, "string")
      const received: ReadonlyArray<any> = peer.transcript.map(({ message }) => message)
      const told = received.findIndex(({ method }) => method === "notifications/elicitation/complete")
      const result = received.findIndex(({ result }) => result?.content?.[0]?.text === "paid")
      assert.deepStrictEqual(received[told].params, { elicitationId })
      assert.isBelow(told, result)
    })
  )

  eras.of("2025-11-25")("an id that nobody asked with is harmless", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: confirming("unheard of"),
        answers: { [key]: Answer.accept() }
      })
      assert.strictEqual((yield* peer.callTool("confirm_deposit", {})).text, "paid")
      const told = yield* peer.nextNotification("notifications/elicitation/complete")
      assert.deepStrictEqual(told.params as unknown, { elicitationId: "unheard of" })
    })
  )

  eras.of("2026-07-28", "2025-06-18")("versions that have no such notification get none", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("done", {}, () => Effect.as(McpContext.elicitComplete("x"), "paid"))
      })
      assert.strictEqual((yield* peer.callTool("done", {})).text, "paid")
      yield* peer.settle
      assert.deepStrictEqual(
        peer.notifications.map(({ method }) => method),
        []
      )
    })
  )
})
