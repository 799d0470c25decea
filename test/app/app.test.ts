/** The template app on PostgreSQL: who calls, what is asked, what is written, and what is not. */
import "../../examples/app/shop.test.ts"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Resolver } from "effect-resolve"
import { Answer, eras } from "effect-resolve/testing"
import { Book, Consent, OrderId, ShippingAddress } from "../../examples/app/resolvers.ts"
import { asked } from "../rules/kit.ts"
import { shop } from "./fixtures.ts"

const address = { street: "Mill Lane 3", city: "Bath" }
const yes = Answer.accept({ confirm: true })
const order = { title: "dune", copies: 2 }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("the template app", () => {
  eras("places an order once its address and its price are agreed to, and keeps the address", (era) =>
    Effect.gen(function* () {
      const { connect, sql } = yield* shop()
      const answers = {
        "app/ShippingAddress": Answer.accept({ ...address, keep: true }),
        "app/Consent": [yes, yes]
      }
      const peer = yield* connect("ann", { ...era, answers })
      const placed = yield* peer.callTool("order_book", order)
      assert.isFalse(placed.isError, placed.text)
      const { id, ...rest } = placed.structuredContent as { readonly id: string }
      assert.match(id, uuid)
      assert.deepStrictEqual(rest, { title: "Dune", copies: 2, total: 2400, address: "Mill Lane 3, Bath" })
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["Where shall it be sent?", "Order 'Dune' for 24.00 EUR, to Mill Lane 3, Bath?"]
      )
      // the address is known from now on, and the stock is less
      yield* peer.callTool("order_book", { title: "Dune", copies: 1 })
      assert.strictEqual(peer.questions.length, 3)
      assert.deepStrictEqual(yield* sql`SELECT copies FROM books WHERE title = 'Dune'`, [{ copies: 4 }])
    })
  )

  eras("a large order is paid on the shop's page, by the person who was asked and nobody else", (era) =>
    Effect.gen(function* () {
      const { connect, pay, sql } = yield* shop()
      const statuses: Array<number> = []
      const answers = {
        "app/ShippingAddress": Answer.accept(address),
        "app/Consent": ({ params }: { readonly params: { readonly url: string } }) => {
          const id = params.url.replace("https://bookshop.example/pay/", "")
          return Effect.gen(function* () {
            for (const subject of ["mallory", "ann"]) statuses.push((yield* pay(id, subject)).status)
            return Answer.accept()
          })
        }
      }
      const peer = yield* connect("ann", { ...era, answers })
      const placed = yield* peer.callTool("order_book", { title: "Codex Seraphinianus", copies: 1 })
      assert.isFalse(placed.isError, placed.text)
      assert.deepStrictEqual(statuses, [404, 200])
      // the id of the page is the id of the order
      const [{ id }] = (yield* sql`SELECT id FROM orders`) as [{ id: string }]
      assert.deepStrictEqual(yield* sql`SELECT order_id, amount FROM payments WHERE paid`, [
        { order_id: id, amount: 12500 }
      ])
    })
  )

  eras("what sold out while somebody was thinking is not sold, and nothing is written", (era) =>
    Effect.gen(function* () {
      const { connect, sql } = yield* shop()
      const sellOut = sql`UPDATE books SET copies = 0 WHERE title = 'Emma'`.pipe(Effect.orDie)
      const answers = {
        "app/ShippingAddress": Answer.accept({ ...address, keep: true }),
        "app/Consent": () => Effect.as(sellOut, yes)
      }
      const peer = yield* connect("ann", { ...era, answers })
      const { isError, text } = yield* peer.callTool("order_book", { title: "Emma", copies: 1 })
      assert.isTrue(isError)
      assert.include(text, "'Emma' has sold out, or its price has changed")
      for (const table of ["orders", "customers"]) assert.deepStrictEqual(yield* sql`SELECT * FROM ${sql(table)}`, [])
    })
  )

  eras("a title that the shop has not is said so before anything is asked", (era) =>
    Effect.gen(function* () {
      const { connect } = yield* shop()
      const peer = yield* connect("ann", era)
      const { isError, text } = yield* peer.callTool("order_book", { title: "Middlemarch", copies: 1 })
      assert.isTrue(isError)
      assert.include(text, "There is no book 'Middlemarch'")
    })
  )

  eras("a decline places nothing", (era) =>
    Effect.gen(function* () {
      const { connect, sql } = yield* shop()
      const answers = { "app/ShippingAddress": Answer.accept(address), "app/Consent": Answer.decline }
      const peer = yield* connect("ann", { ...era, answers })
      const { isError } = yield* peer.callTool("order_book", order)
      assert.isTrue(isError)
      assert.deepStrictEqual(yield* sql`SELECT * FROM orders`, [])
    })
  )

  eras("everybody sees their own orders", (era) =>
    Effect.gen(function* () {
      const { connect } = yield* shop(Resolver.override(ShippingAddress, { address: "the shop", keep: false }))
      const ann = yield* connect("ann", { ...era, answers: { "app/Consent": yes } })
      yield* ann.callTool("order_book", order)
      const own = yield* ann.callTool("list_orders", {})
      assert.include(own.text, "the shop")
      const ben = yield* connect("ben", era)
      assert.notInclude((yield* ben.callTool("list_orders", {})).text, "the shop")
    })
  )

  eras("the same id is one order: its stock is taken once, and the stored order is told again", (era) =>
    Effect.gen(function* () {
      const id = "00000000-0000-4000-8000-000000000000"
      const { connect, sql } = yield* shop(
        Layer.mergeAll(
          Resolver.override(OrderId, id),
          Resolver.override(Consent, undefined),
          Resolver.override(ShippingAddress, { address: "the shop", keep: false })
        )
      )
      const peer = yield* connect("ann", era)
      const first = yield* peer.callTool("order_book", order)
      const again = yield* peer.callTool("order_book", order)
      assert.deepStrictEqual(again.structuredContent, first.structuredContent)
      assert.deepStrictEqual(yield* sql`SELECT copies FROM books WHERE title = 'Dune'`, [{ copies: 5 }])
    })
  )

  eras.of("2026-07-28")("the last round sent twice places one order", (era) =>
    Effect.gen(function* () {
      const { connect, sql } = yield* shop(Resolver.override(ShippingAddress, { address: "the shop", keep: false }))
      const peer = yield* connect("ann", era)
      const round = asked(yield* peer.callToolOnce("order_book", order))
      const send = peer.retry(round, { inputResponses: { "app/Consent": yes } })
      const [first, second] = [yield* send, yield* send]
      assert.deepStrictEqual((second as any).result, (first as any).result)
      assert.deepStrictEqual(yield* sql`SELECT copies FROM orders`, [{ copies: 2 }])
    })
  )

  eras("the prompt and the template read the same records", (era) =>
    Effect.gen(function* () {
      const { connect } = yield* shop()
      const peer = yield* connect("ann", era)
      const prompt = JSON.stringify(yield* peer.getPrompt("gift_note", { title: "dune", to: "Ben" }))
      assert.include(prompt, "who is given 'Dune'")
      const read = JSON.stringify(yield* peer.readResource("book://Emma"))
      assert.include(read, "900")
    })
  )

  eras("without a token nothing is answered but who gives out tokens", (era) =>
    Effect.gen(function* () {
      const { server } = yield* shop(Resolver.override(Book, { title: "Dune", price: 1, copies: 1 }))
      const response = yield* Effect.promise(() =>
        server.fetch("http://localhost/mcp", {
          method: "POST",
          body: "{}",
          headers: { "mcp-protocol-version": era.protocol }
        })
      )
      assert.strictEqual(response.status, 401)
      const url = "https://bookshop.example/.well-known/oauth-protected-resource/mcp"
      assert.strictEqual(response.headers.get("www-authenticate"), `Bearer resource_metadata="${url}"`)
      // the one thing that is for everybody: who gives out tokens
      const metadata = yield* Effect.promise(async () =>
        (await server.fetch(url.replace("https://bookshop.example", "http://localhost"))).json()
      )
      assert.deepInclude(metadata, {
        resource: "https://bookshop.example/mcp",
        authorization_servers: ["https://login.example"]
      })
    })
  )
})
