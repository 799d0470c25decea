/**
 * A bookshop, tested as its author would: on both eras, with answers by resolver key.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { CheckStock, Inventory, openRegistrations, registrations } from "./resolveServer.ts"

const note = Answer.accept({ line: "Fear is the mind-killer" })

eras("orders what the user confirms", (era) =>
  Effect.gen(function* () {
    const answers = { "bookshop/ConfirmBackorder": Answer.accept({ confirm: true }), "bookshop/GiftNote": note }
    const peer = yield* Peer.make({ ...era, registrations, answers })
    const result = yield* peer.callTool("order_book", { title: "Dune" })
    assert.include(result.text, "ordered Dune with")
    assert.include(result.text, "mind-killer")
    assert.deepStrictEqual(peer.questions.map(({ key }) => key).sort(), [
      "bookshop/ConfirmBackorder",
      "bookshop/GiftNote"
    ])
  })
)

eras("orders nothing when the user declines, and says who asked", (era) =>
  Effect.gen(function* () {
    const answers = { "bookshop/ConfirmBackorder": Answer.decline, "bookshop/GiftNote": Answer.optional(note) }
    const peer = yield* Peer.make({ ...era, registrations, answers })
    const result = yield* peer.callTool("order_book", { title: "Dune" })
    assert.isTrue(result.isError)
    assert.include(result.text, "Resolver for 'bookshop/ConfirmBackorder' could not resolve")
  })
)

eras("an answer for a question that is not asked fails the test", (era) =>
  Effect.gen(function* () {
    const answers = { "bookshop/ConfirmBackorder": Answer.decline, "bookshop/GiftNote": note }
    const exit = yield* Peer.make({ ...era, registrations, answers }).pipe(
      Effect.flatMap((peer) => peer.callTool("order_book", { title: "Emma" })),
      Effect.scoped,
      Effect.exit
    )
    assert.include(String(exit), "nobody asked for: 'bookshop/ConfirmBackorder'")
  })
)

eras("a slow resolver waits for the test's clock", (era) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ ...era, registrations, answers: { "bookshop/GiftNote": [note] } })
    const call = yield* Effect.forkChild(peer.callTool("order_book", { title: "Slow" }))
    yield* peer.settle
    yield* TestClock.adjust("5 minutes")
    if (era.protocol === "2026-07-28") {
      // a round runs its resolvers again
      yield* peer.settle
      yield* TestClock.adjust("5 minutes")
    }
    assert.include((yield* Fiber.join(call)).text, "ordered Slow")
  })
)

eras("an override that a call uses replaces the resolver", (era) =>
  Effect.gen(function* () {
    const overridden = Layer.provide(registrations, Resolver.override(CheckStock, { copies: 1 }))
    const peer = yield* Peer.make({ ...era, registrations: overridden, answers: { "bookshop/GiftNote": note } })
    assert.include((yield* peer.callTool("order_book", { title: "Dune" })).text, "ordered Dune")
  })
)

class Unlisted extends Resolver.Service<Unlisted>()("bookshop/Unlisted", { resolve: () => Effect.succeed(1) }) {}

eras("an override that no plan uses fails the test", (era) =>
  Effect.gen(function* () {
    const overridden = Layer.provide(registrations, Resolver.override(Unlisted, 2))
    const exit = yield* Peer.make({ ...era, registrations: overridden, answers: () => note }).pipe(
      Effect.flatMap((peer) => peer.callTool("order_book", { title: "Emma" })),
      Effect.scoped,
      Effect.exit
    )
    assert.isTrue(Exit.isFailure(exit))
    assert.include(String(exit), "Resolver.override of 'bookshop/Unlisted'")
  })
)

eras("app services may be left to the test", (era) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ ...era, registrations: openRegistrations, answers: { "bookshop/GiftNote": note } })
    assert.include((yield* peer.callTool("order_book", { title: "Dune" })).text, "ordered Dune")
  }).pipe(Effect.provideService(Inventory, { copies: () => Effect.succeed(7) }))
)

it.effect("a body needs no peer: its resolvers are services", () =>
  Effect.gen(function* () {
    const body = Effect.map(CheckStock, ({ copies }) => (copies > 0 ? "in stock" : "sold out"))
    assert.strictEqual(yield* Effect.provideService(body, CheckStock, { copies: 0 }), "sold out")
  })
)
