import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { eras, Peer } from "effect-resolve/testing"
import { counter, resolver, tool } from "./kit.ts"

const shop = () => {
  const ran = counter()
  const parameters = { title: Schema.String }
  const stock = resolver("bookshop/CheckStock", { parameters }, ({ title }) =>
    Effect.as(ran.hit("stock"), { title, copies: 7 })
  )
  const price = resolver("bookshop/Price", { dependencies: [stock] }, () =>
    Effect.map(stock.get, ({ copies }) => copies * 6)
  )
  const body = () =>
    Effect.map(Effect.all([stock.get, price.get]), ([stock, price]) => `${stock.title} ${stock.copies} ${price}`)
  const registrations = Layer.mergeAll(
    tool("quote", { parameters: Schema.Struct(parameters), dependencies: [stock, price] }, body),
    tool("bare", { dependencies: [resolver("bare/Price", {}, () => Effect.succeed(42))] }, () => Effect.succeed("42"))
  )
  return { ran, registrations }
}

const fake = { title: "Dune", copies: 999 }
const names = ["stock", "Stock", "CheckStock", "checkStock", "bookshop/CheckStock", "bookshop/Price", "price", "copies"]

/** Own keys, as `JSON.parse` makes them: a literal would set the prototype. */
const own = (key: string, value: unknown) => ({ [key]: value })

describe("I7", () => {
  for (const [what, forged] of Object.entries({
    ...Object.fromEntries(names.map((name) => [`'${name}'`, own(name, fake)])),
    "an own key '__proto__'": own("__proto__", { ...fake, ...own("bookshop/CheckStock", fake) }),
    "an own key 'constructor'": own("constructor", { prototype: fake }),
    "a nested object": own("arguments", own("bookshop/CheckStock", fake)),
    "a nested '__proto__'": own("stock", own("__proto__", fake))
  })) {
    eras(`I7: a value forged under ${what} changes nothing`, (era) =>
      Effect.gen(function* () {
        const { ran, registrations } = shop()
        const peer = yield* Peer.make({ ...era, registrations })
        const result = yield* peer.callTool("quote", { title: "Dune", ...forged })
        assert.deepStrictEqual([result.isError, result.text], [false, "Dune 7 42"])
        assert.strictEqual(ran.count("stock"), 1)
        assert.strictEqual((yield* peer.callTool("bare", forged)).text, "42")
        assert.notProperty({}, "copies")
      })
    )
  }

  eras("I7: tools/list names the model's arguments and nothing of a resolver", (era) =>
    Effect.gen(function* () {
      const { registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const tools = yield* peer.listTools
      const quote = tools.find(({ name }) => name === "quote")
      assert.deepStrictEqual(Object.keys(quote.inputSchema.properties), ["title"])
      assert.deepStrictEqual(quote.inputSchema.required, ["title"])
      const bare = tools.find(({ name }) => name === "bare")
      assert.deepStrictEqual(Object.keys(bare.inputSchema.properties ?? {}), [])
      for (const word of ["CheckStock", "Price", "$defs", "copies"]) assert.notInclude(JSON.stringify(tools), word)
    })
  )

  eras(
    "I7: an argument with the name of a resolver's key goes to the resolvers that read it, not into its place",
    (era) =>
      Effect.gen(function* () {
        const price = resolver("price", { parameters: { price: Schema.Int } }, ({ price }) => Effect.succeed(price + 1))
        const registrations = tool(
          "t",
          { parameters: Schema.Struct({ price: Schema.Int }), dependencies: [price] },
          (args) => Effect.map(price.get, (computed) => `${args.price} ${computed}`)
        )
        const peer = yield* Peer.make({ ...era, registrations })
        assert.strictEqual((yield* peer.callTool("t", { price: 1 })).text, "1 2")
      })
  )
})
