/** The first examples, to the letter, on both eras: what they print, list and count. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Resolve } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import * as ReserveBook from "../examples/01-reserve-book.ts"
import * as OrderBook from "../examples/02-order-book.ts"
import * as AskFirst from "../examples/03-ask-first.ts"
import * as BranchOnRefusal from "../examples/03b-branch-on-refusal.ts"
import { Inventory } from "../examples/bookshop.ts"

const question = "'Neuromancer' is out of stock (2-3 weeks). Order anyway?"
const key = "bookshop/ConfirmBackorder"
const accept = (confirm: boolean) => Answer.accept({ confirm })

/** The one tool of a program: its arguments, and no word of a resolver. */
const listed = (peer: Peer.Peer, name: string, description: string) =>
  Effect.map(peer.listTools, (tools) => {
    assert.deepStrictEqual(
      tools.map((tool) => [tool.name, tool.description]),
      [[name, description]]
    )
    const [{ inputSchema }] = tools as [any]
    assert.deepStrictEqual(Object.keys(inputSchema.properties), ["title"])
    assert.deepStrictEqual(inputSchema.required, ["title"])
    const text = JSON.stringify(tools)
    for (const word of ["$defs", "CheckStock", "Delivery", "ConfirmBackorder", "bookshop/", "Stock"]) {
      assert.notInclude(text, word)
    }
  })

/** Counts the look-ups of an inventory with the programs' own stock. */
const counting = () => {
  const counts = { built: 0, lookups: 0 }
  const layer = Layer.effect(
    Inventory,
    Effect.sync(() => {
      counts.built++
      return {
        copies: (title: string) =>
          Effect.sync(() => {
            counts.lookups++
            return title === "Dune" ? 7 : 0
          })
      }
    })
  )
  return { counts, layer }
}

describe("01", () => {
  eras("01: reserve_book takes what is in stock from the shop, not from the model", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: ReserveBook.registrations })
      yield* listed(peer, "reserve_book", "Reserve a copy of a book.")
      const dune = yield* peer.callTool("reserve_book", { title: "Dune", stock: { title: "Dune", copies: 99 } })
      assert.deepStrictEqual([dune.isError, dune.text], [false, "Reserved 'Dune' (6 copies left)."])
      const neuromancer = yield* peer.callTool("reserve_book", { title: "Neuromancer" })
      assert.strictEqual(neuromancer.text, "'Neuromancer' is out of stock.")
      assert.strictEqual((yield* peer.callTool("reserve_book", { title: "Emma" })).text, "'Emma' is out of stock.")
      // a string is plain text, and nothing else
      assert.isUndefined(dune.structuredContent)
    })
  )
})

describe("02", () => {
  eras("02: order_book and its delivery share one look-up per call; the next call looks again", (era) =>
    Effect.gen(function* () {
      const { counts, layer } = counting()
      const counted = Resolve.toolkit(OrderBook.Orders).pipe(Layer.provide([OrderBook.OrdersLive, layer]))
      const peer = yield* Peer.make({ ...era, registrations: counted })
      yield* listed(peer, "order_book", "Order a book from the shop.")
      const dune = yield* peer.callTool("order_book", { title: "Dune" })
      assert.strictEqual(dune.text, "Ordered 'Dune'; it arrives tomorrow.")
      assert.strictEqual(counts.lookups, 1)
      const neuromancer = yield* peer.callTool("order_book", { title: "Neuromancer" })
      assert.strictEqual(neuromancer.text, "'Neuromancer' is on backorder; it would arrive in 2-3 weeks.")
      assert.deepStrictEqual(counts, { built: 1, lookups: 2 })
    })
  )
})

describe("03", () => {
  eras("03: in stock nothing is asked, in one round, of a client that could not answer", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: AskFirst.registrations, capabilities: {} })
      assert.strictEqual((yield* peer.callTool("order_book", { title: "Dune" })).text, "Ordered 'Dune'.")
      assert.strictEqual(peer.questions.length, 0)
      assert.strictEqual(peer.transcript.filter(({ message }) => message.method === "tools/call").length, 1)
    })
  )

  eras("03: out of stock one question is put, with one boolean, and its answer decides", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: AskFirst.registrations,
        answers: { [key]: [accept(true), accept(false)] }
      })
      yield* listed(peer, "order_book", "Order a book from the shop.")
      const yes = yield* peer.callTool("order_book", { title: "Neuromancer" })
      assert.deepStrictEqual([yes.isError, yes.text], [false, "Backordered 'Neuromancer'; it ships in 2-3 weeks."])
      assert.strictEqual(peer.questions.length, 1)
      assert.deepStrictEqual(peer.questions[0]?.params, {
        mode: "form",
        message: question,
        requestedSchema: {
          type: "object",
          properties: { confirm: { type: "boolean", description: "Order anyway and wait?" } },
          required: ["confirm"]
        }
      })
      const no = yield* peer.callTool("order_book", { title: "Neuromancer" })
      assert.deepStrictEqual([no.isError, no.text], [false, "No order placed."])
      assert.strictEqual(peer.questions.length, 2)
      const calls = peer.transcript.filter(({ message }) => message.method === "tools/call")
      assert.strictEqual(calls.length, era.protocol === "2026-07-28" ? 4 : 2)
    })
  )

  eras("03: a decline and a cancel end the call, each in its own words", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: AskFirst.registrations,
        answers: { [key]: [Answer.decline, Answer.cancel] }
      })
      for (const action of ["decline", "cancel"]) {
        const result = yield* peer.callTool("order_book", { title: "Neuromancer" })
        assert.deepStrictEqual(
          [result.isError, result.text],
          [
            true,
            `Error executing tool order_book: Resolver for 'bookshop/ConfirmBackorder' could not resolve: elicitation was ${action}`
          ]
        )
      }
    })
  )
})

describe("03b", () => {
  eras("03b: a tool that lists the resolver's `.result` decides what a refusal means", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: BranchOnRefusal.registrations,
        answers: { [key]: [Answer.decline, Answer.cancel, accept(false), accept(true)] }
      })
      const texts = []
      for (let i = 0; i < 4; i++) {
        const result = yield* peer.callTool("order_book", { title: "Neuromancer" })
        assert.isFalse(result.isError)
        texts.push(result.text)
      }
      assert.deepStrictEqual(texts, [
        "Not ordered (declined). In stock instead: Dune.",
        "Not ordered (cancelled).",
        "No order placed.",
        "Ordered 'Neuromancer'."
      ])
      // what was computed without asking is a success, too
      assert.strictEqual((yield* peer.callTool("order_book", { title: "Dune" })).text, "Ordered 'Dune'.")
      assert.strictEqual(peer.questions.length, 4)
    })
  )
})
