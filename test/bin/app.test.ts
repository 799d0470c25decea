/** The command line on the template app: PostgreSQL behind it, a check of tokens in front of it. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Parts from "../replicas/parts.ts"
import { keys, project } from "./terminal.ts"

const shop = project("examples/app", "test/bin/fixtures")
afterAll(shop.remove)

const app = "examples/app/shop.ts"
const development = ["test/bin/fixtures/app.ts", "--export", "endpoint", "--endpoint"]
const ann = ["--header", "authorization=Bearer ann"]
const order = ["call", ...development, "order_book", `{"title":"dune","copies":2}`]
const scope = Scope.makeUnsafe()

describe("the template app without a database", () => {
  it("is drawn", async () => {
    const { code, out } = await shop.run(["graph", app, "order_book"])
    assert.strictEqual(code, 0)
    assert.strictEqual(out.split("\n")[0], "tool order_book(title, copies)")
    assert.include(out, "├─ app/OrderId  durable\n")
    assert.include(out, "├─ app/ShippingAddress  asks: form\n")
    assert.include(out, "└─ app/Consent  asks: confirm, url\n")
  })

  it("is told what it lacks", async () => {
    const { code, err } = await shop.run(["check", app])
    assert.strictEqual(code, 1)
    assert.include(err, "nothing provides the service 'effect/sql/SqlClient'")
    const unset = await shop.run(["check", ...development])
    assert.strictEqual(unset.code, 1)
    assert.match(unset.err, /a setting cannot be read: .*\["(DATABASE_URL|PUBLIC_URL|STATE_KEYS)"\]/)
  })
})

describe.skipIf(Parts.isMissing("postgres"))("the template app on its database", () => {
  let env: { readonly [name: string]: string } = {}
  beforeAll(async () => {
    const { port } = await Effect.runPromise(Scope.provide(Parts.postgres, scope))
    env = {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
      PUBLIC_URL: "http://localhost",
      STATE_KEYS: "a-secret-of-at-least-thirty-two-bytes!"
    }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("has nothing that would trouble anybody", async () => {
    const terminal = shop.terminal(["check", ...development, ...ann], env)
    await terminal.sees("nothing is wrong with the 4 things it registers")
    assert.strictEqual(await terminal.ends, 0)
  })

  it.each(["2026-07-28", "2025-11-25"])("takes an order, field by field [%s]", async (protocol) => {
    const subject = `ann-${protocol}`
    const client = ["--protocol", protocol, "--header", `authorization=Bearer ${subject}`]
    const terminal = shop.terminal([...order, ...client, "--trace"], env)
    await terminal.sees("Where shall it be sent?")
    terminal.types(keys.enter)
    await terminal.sees("Street and number")
    terminal.types(`Mill Lane 3${keys.enter}`)
    await terminal.sees("City")
    terminal.types(`Bath${keys.enter}`)
    await terminal.sees("Keep this address (For the next order)")
    await terminal.sees("❯ no")
    terminal.types(keys.enter)
    await terminal.sees("Order 'Dune' for 24.00 EUR, to Mill Lane 3, Bath?")
    terminal.types(keys.enter)
    await terminal.sees("answer to app/Consent")
    await terminal.sees(`"title":"Dune"`)
    assert.strictEqual(await terminal.ends, 0)
    const listed = await shop.run(["call", ...development, "list_orders", "--json", ...client], { env })
    assert.strictEqual(listed.code, 0)
    const orders: ReadonlyArray<{ readonly id: string }> = JSON.parse(JSON.parse(listed.out).content[0].text)
    assert.deepStrictEqual(
      orders.map(({ id: _, ...rest }) => rest),
      [{ title: "Dune", copies: 2, total: 2400, address: "Mill Lane 3, Bath" }] as ReadonlyArray<object>
    )
  })

  it("takes nothing from somebody it does not know", async () => {
    const { code, err } = await shop.run(order, { env })
    assert.strictEqual(code, 1)
    assert.include(err, "HTTP 401")
  })
})
