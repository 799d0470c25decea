/** The guide's numbered programs from 11 on, and what their pages say about them. */
import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import * as Stdio from "../../examples/09b-stdio-identity.ts"
import * as Form from "../../examples/11-form.ts"
import * as Prompts from "../../examples/12-prompts.ts"
import * as Time from "../../examples/13-time.ts"

describe("09b", () => {
  eras("09b: over stdio the settings say whose the call is", (era) =>
    Effect.gen(function* () {
      const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ BOOKSHOP_USER: "ann" }))
      const registrations = Layer.provide(Stdio.registrations, settings)
      const answers = { "bookshop/ConfirmOrder": Answer.accept({ confirm: true }) }
      const peer = yield* Peer.make({ ...era, transport: "stdio", registrations, answers })
      const { text } = yield* peer.callTool("order_book", { title: "Dune" })
      assert.strictEqual(text, "Ordered 'Dune' for ann.")
    })
  )
})

describe("11", () => {
  const filled = {
    recipient: "Ben",
    email: "ben@example.com",
    paper: "gold",
    extras: ["ribbon"],
    copies: 2,
    note: "Enjoy!"
  }

  eras("11: a form shows a title for each field, and gives what the schema decodes", (era) =>
    Effect.gen(function* () {
      const answers = { "bookshop/AskWrapping": Answer.accept(filled) }
      const peer = yield* Peer.make({ ...era, registrations: Form.registrations, answers })
      const { text } = yield* peer.callTool("wrap_gift", { title: "Emma" })
      assert.strictEqual(text, "2 x 'Emma' for Ben, in gold, ribbon. It says: Enjoy!")
      const { properties, required } = peer.questions[0]!.params.requestedSchema
      assert.deepStrictEqual(
        Object.values(properties).map((field: any) => field.title),
        ["For whom?", "E-mail", "Paper", "Extras", "Copies", "Enclose the receipt", "Note"]
      )
      assert.deepStrictEqual(required, ["recipient", "email", "paper", "extras", "copies"])
    })
  )

  eras("11: an answer that does not fit is asked for again", (era) =>
    Effect.gen(function* () {
      const answers = { "bookshop/AskWrapping": [Answer.accept({ ...filled, copies: 9 }), Answer.accept(filled)] }
      const peer = yield* Peer.make({ ...era, registrations: Form.registrations, answers })
      assert.isFalse((yield* peer.callTool("wrap_gift", { title: "Emma" })).isError)
      assert.strictEqual(peer.questions.length, 2)
    })
  )
})

describe("12", () => {
  const serve = (options: Peer.ClientOptions) => Peer.make({ ...options, registrations: Prompts.registrations })
  const textOf = (prompt: unknown) => JSON.stringify(prompt)

  eras("12: a prompt looks up, asks, and then writes", (era) =>
    Effect.gen(function* () {
      const peer = yield* serve({ ...era, answers: { "bookshop/Tone": Answer.accept({ tone: "dry" }) } })
      const prompt = textOf(yield* peer.getPrompt("blurb", { title: "Dune" }))
      assert.include(prompt, "Write a dry blurb for 'Dune', of which there are 7 copies.")
    })
  )

  eras("12: a prompt that lists `.result` is written after a refusal, too", (era) =>
    Effect.gen(function* () {
      const peer = yield* serve({ ...era, answers: { "bookshop/Tone": Answer.decline } })
      assert.include(textOf(yield* peer.getPrompt("greeting")), "Greet the reader.")
    })
  )

  eras("12: a resource and a template are read", (era) =>
    Effect.gen(function* () {
      const peer = yield* serve(era)
      assert.include(textOf(yield* peer.readResource("bookshop://hours")), "10 to 6")
      assert.include(textOf(yield* peer.readResource("stock://Dune")), `\\"copies\\":7`)
    })
  )
})

describe("13", () => {
  const warehouse = () => {
    const log: Array<string> = []
    const layer = Layer.succeed(Time.Warehouse, {
      hold: (title) => Effect.sync(() => void log.push(`hold ${title}`)).pipe(Effect.as(title)),
      release: (title, sold) => Effect.sync(() => void log.push(`${sold ? "sell" : "give back"} ${title}`)),
      shelf: (title) => (title === "Dune" ? Effect.succeed("A1") : Effect.never)
    })
    const registrations = Resolve.toolkit(Time.Orders).pipe(Layer.provide(Time.OrdersLive), Layer.provide(layer))
    return { log, registrations }
  }
  const yes = Answer.accept({ confirm: true })

  eras("13: what is held for a call is released with it, and is told how it ended", (era) =>
    Effect.gen(function* () {
      const { log, registrations } = warehouse()
      const answers = { "bookshop/Consent": [yes, Answer.decline] }
      const peer = yield* Peer.make({ ...era, registrations, answers })
      assert.strictEqual((yield* peer.callTool("order_book", { title: "Dune" })).text, "Ordered 'Dune' from shelf A1.")
      assert.isTrue((yield* peer.callTool("order_book", { title: "Dune" })).isError)
      // nothing is held before somebody agreed, so a decline has nothing to give back
      assert.deepStrictEqual(log, ["hold Dune", "sell Dune"])
    })
  )

  eras("13: a resolver that takes too long ends the call, and what is held is given back", (era) =>
    Effect.gen(function* () {
      const { log, registrations } = warehouse()
      const peer = yield* Peer.make({ ...era, registrations, answers: { "bookshop/Consent": Answer.optional(yes) } })
      const call = yield* Effect.forkChild(peer.callTool("order_book", { title: "Emma" }))
      yield* peer.settle
      yield* TestClock.adjust("2 seconds")
      const { isError, text } = yield* Fiber.join(call)
      assert.isTrue(isError)
      assert.include(text, "Resolver for 'bookshop/Shelf' could not resolve: it took longer than 2s")
      assert.deepStrictEqual(
        log.filter((line) => line.startsWith("sell")),
        []
      )
    })
  )
})
