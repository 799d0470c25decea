import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Journal } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, resolver, tool, Yes } from "../rules/kit.ts"
import { frozen, gate, keyOf, lastReply, no, replica, textStore, yes } from "./kit.ts"

const modern = eras.of("2026-07-28")

/** A tool that asks and then does something, on two replicas that share a journal. */
const shop = (body: Effect.Effect<string, unknown> = Effect.succeed("done"), options: Journal.Options = {}) => {
  const ran = counter()
  const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
  const registrations = tool("t", { dependencies: [ask] }, () => Effect.andThen(ran.hit("body"), body))
  const shared = textStore()
  const journal = Journal.layer(shared.store, options)
  return { ran, ...shared, journal, registrations: replica(registrations, journal) }
}

const refusalOf = (round: Effect.Effect<unknown, Peer.JsonRpcError>) =>
  Effect.map(Effect.flip(round), ({ code, data, message }) => [code, message, data])
const reasonOf = (round: Effect.Effect<unknown, Peer.JsonRpcError>) =>
  Effect.map(Effect.flip(round), ({ code, data }) => [code, (data as { readonly reason: string }).reason])

describe("a round that is sent again", () => {
  modern("to another replica is given the first reply, byte for byte, and nothing runs", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const { ran, registrations } = shop(Effect.sync(() => `done ${performance.now()}`))
        const a = yield* Peer.make({ ...era, registrations })
        const b = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* a.callToolOnce("t"))
        completed(yield* a.retry(round, yes))
        const first = lastReply(a)
        for (const peer of [a, b, b]) {
          completed(yield* peer.retry(round, yes))
          assert.strictEqual(lastReply(peer), first)
        }
        assert.strictEqual(ran.count("body"), 1)
        assert.strictEqual(logs.filter((line) => line.includes("given its first reply")).length, 3)
      })
    )
  )

  modern("with other answers is refused as a bad state, and the log says why", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const { ran, registrations } = shop()
        const peer = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t"))
        yield* peer.retry(round, yes)
        assert.deepStrictEqual(yield* refusalOf(peer.retry(round, no)), frozen)
        assert.strictEqual(ran.count("body"), 1)
        assert.include(
          logs.join("\n"),
          "requestState rejected on tools/call: other answers than the ones it was used with"
        )
      })
    )
  )

  modern("while it is run waits for the first reply; with other answers it is refused then", (era) =>
    Effect.gen(function* () {
      const { open, pass, reached } = gate()
      const { ran, registrations } = shop(Effect.as(pass, "done"))
      const a = yield* Peer.make({ ...era, registrations })
      const b = yield* Peer.make({ ...era, registrations })
      const c = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* a.callToolOnce("t"))
      const running = yield* Effect.forkChild(a.retry(round, yes))
      yield* reached
      const same = yield* Effect.forkChild(b.retry(round, yes))
      const other = yield* Effect.forkChild(Effect.flip(c.retry(round, no)))
      yield* b.settle
      yield* TestClock.adjust("1 second")
      yield* open
      yield* Fiber.join(running)
      yield* b.settle
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(same)
      assert.strictEqual(lastReply(b), lastReply(a))
      assert.strictEqual((yield* Fiber.join(other)).code, -32602)
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("while it is run for longer than the limit is told so, and later given the reply", (era) =>
    Effect.gen(function* () {
      const { open, pass, reached } = gate()
      const { ran, registrations } = shop(Effect.as(pass, "done"), { waitLimit: "5 seconds" })
      const a = yield* Peer.make({ ...era, registrations })
      const b = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* a.callToolOnce("t"))
      const running = yield* Effect.forkChild(a.retry(round, yes))
      yield* reached
      const late = yield* Effect.forkChild(reasonOf(b.retry(round, yes)))
      yield* b.settle
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(yield* Fiber.join(late), [-32603, "round_in_progress"])
      yield* open
      yield* Fiber.join(running)
      yield* b.retry(round, yes)
      assert.strictEqual(lastReply(b), lastReply(a))
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("after its body had failed is told the same again, and the body does not run again", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = shop(Effect.die("broken"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const first = completed(yield* peer.retry(round, yes))
      const reply = lastReply(peer)
      assert.isTrue(first.isError)
      yield* peer.retry(round, yes)
      assert.strictEqual(lastReply(peer), reply)
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("in the middle of a call is given the same question, and its durable resolver does not run again", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const first = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const seat = resolver("seat", { dependencies: [first], durable: Schema.Number }, () =>
        Effect.map(ran.hit("seat"), () => ran.count("seat"))
      )
      const second = resolver("second", { dependencies: [seat] }, () =>
        Effect.flatMap(seat.get, (n) => Elicitation.form({ message: `seat ${n}?`, schema: Yes }))
      )
      const { store } = textStore()
      const registrations = replica(
        tool("t", { dependencies: [seat, second] }, () => Effect.map(seat.get, (n) => `seat ${n}`)),
        Journal.layer(store)
      )
      const a = yield* Peer.make({ ...era, registrations })
      const b = yield* Peer.make({ ...era, registrations })
      const opening = asked(yield* a.callToolOnce("t"))
      const middle = asked(yield* a.retry(opening, yes))
      const reply = lastReply(a)
      asked(yield* b.retry(opening, yes))
      assert.strictEqual(lastReply(b), reply)
      assert.strictEqual(ran.count("seat"), 1)
      const last = { inputResponses: { second: yes.inputResponses.ask } }
      assert.strictEqual(completed(yield* b.retry(middle, last)).text, "seat 1")
      assert.strictEqual(completed(yield* a.retry(middle, last)).text, "seat 1")
      assert.strictEqual(ran.count("seat"), 1)
    })
  )

  modern("after nothing had begun is run: a bad answer may be sent anew", (era) =>
    Effect.gen(function* () {
      const { asked: steps, ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const wrong = { inputResponses: { ask: Answer.result({ action: "accept", content: { ok: "perhaps" } }) } }
      assert.isTrue(completed(yield* peer.retry(round, wrong)).isError)
      assert.deepStrictEqual(steps, ["claim", "release"])
      assert.strictEqual(completed(yield* peer.retry(round, yes)).text, "done")
      assert.deepStrictEqual(steps, ["claim", "release", "claim", "keep"])
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("by several that wait for one which began nothing is run by one of them", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const { open, pass, reached } = gate()
      const ask = resolver("ask", {}, () =>
        Effect.flatMap(Elicitation.form({ message: "ok?", schema: Yes }), () =>
          Effect.andThen(
            ran.hit("ask"),
            Effect.suspend(() => (ran.count("ask") === 1 ? Effect.andThen(pass, Effect.die("first")) : Effect.void))
          )
        )
      )
      const { store } = textStore()
      const registrations = replica(
        tool("t", { dependencies: [ask] }, () => Effect.as(ran.hit("body"), "done")),
        Journal.layer(store)
      )
      const peers = yield* Effect.replicateEffect(Peer.make({ ...era, registrations }), 4)
      const round = asked(yield* peers[0]!.callToolOnce("t"))
      const first = yield* Effect.forkChild(peers[0]!.retry(round, yes))
      yield* reached
      const others = yield* Effect.forEach(peers.slice(1), (peer) => Effect.forkChild(peer.retry(round, yes)))
      yield* peers[3]!.settle
      yield* open
      assert.isTrue(completed(yield* Fiber.join(first)).isError)
      yield* TestClock.adjust("1 second")
      yield* peers[3]!.settle
      yield* TestClock.adjust("1 second")
      for (const other of others) assert.strictEqual(completed(yield* Fiber.join(other)).text, "done")
      assert.deepStrictEqual([ran.count("ask"), ran.count("body")], [2, 1])
    })
  )

  modern("is given the reply after the keys were rotated", (era) =>
    Effect.gen(function* () {
      const { journal, ran, registrations } = shop()
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const same = tool("t", { dependencies: [ask] }, () => Effect.as(ran.hit("body"), "again"))
      const rotated = replica(same, journal, [keyOf("b"), keyOf("a")])
      const a = yield* Peer.make({ ...era, registrations })
      const b = yield* Peer.make({ ...era, registrations: rotated })
      const round = asked(yield* a.callToolOnce("t"))
      yield* a.retry(round, yes)
      yield* b.retry(round, yes)
      assert.strictEqual(lastReply(b), lastReply(a))
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("with a reply too large to keep is told so", (era) =>
    Effect.gen(function* () {
      const { ran, registrations } = shop(Effect.succeed("x".repeat(2_000)), { maxReplyBytes: 1_000 })
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.strictEqual(completed(yield* peer.retry(round, yes)).text.length, 2_000)
      assert.deepStrictEqual(yield* reasonOf(peer.retry(round, yes)), [-32603, "reply_not_kept"])
      assert.deepStrictEqual(yield* refusalOf(peer.retry(round, no)), frozen)
      assert.strictEqual(ran.count("body"), 1)
    })
  )
})

describe("a round whose client goes away", () => {
  modern("after a body has begun stays claimed: it is listed, and settled either way", (era) =>
    observed(({ logs }) =>
      Effect.gen(function* () {
        const { pass, reached } = gate()
        let calls = 0
        const { journal, ran, registrations } = shop(
          Effect.suspend(() => (calls++ === 0 ? Effect.as(pass, "never") : Effect.succeed("done"))),
          { waitLimit: "1 second" }
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t"))
        const running = yield* Effect.forkChild(peer.retry(round, yes))
        yield* reached
        yield* Fiber.interrupt(running)
        yield* peer.settle
        const again = yield* Effect.forkChild(reasonOf(peer.retry(round, yes)))
        yield* peer.settle
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(yield* Fiber.join(again), [-32603, "round_in_progress"])
        const [doubt, ...rest] = yield* Effect.provide(Journal.inDoubt(), journal)
        assert.deepStrictEqual(rest, [])
        assert.deepInclude(doubt, { method: "tools/call", target: "t", since: 0 })
        assert.include(logs.join("\n"), `stays claimed: tools/call of 't', call ${doubt?.call}`)
        assert.isTrue(yield* Effect.provide(Journal.settle(doubt!.key, "again"), journal))
        assert.strictEqual(completed(yield* peer.retry(round, yes)).text, "done")
        assert.strictEqual(ran.count("body"), 2)
      })
    )
  )

  modern("and that was settled as spent is refused", (era) =>
    Effect.gen(function* () {
      const { pass, reached } = gate()
      const { journal, ran, registrations } = shop(Effect.as(pass, "never"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const running = yield* Effect.forkChild(peer.retry(round, yes))
      yield* reached
      yield* Fiber.interrupt(running)
      yield* peer.settle
      const [doubt] = yield* Effect.provide(Journal.inDoubt({ olderThan: 0 }), journal)
      assert.isTrue(yield* Effect.provide(Journal.settle(doubt!.key, "spent"), journal))
      assert.deepStrictEqual(yield* refusalOf(peer.retry(round, yes)), frozen)
      assert.strictEqual(ran.count("body"), 1)
    })
  )

  modern("before anything has begun is released, and can be run", (era) =>
    Effect.gen(function* () {
      const { pass, reached } = gate()
      const ran = counter()
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const slow = resolver("slow", { dependencies: [ask] }, () =>
        Effect.andThen(
          ran.hit("slow"),
          Effect.suspend(() => (ran.count("slow") === 1 ? pass : Effect.void))
        )
      )
      const { entries, store } = textStore()
      const registrations = replica(
        tool("t", { dependencies: [slow] }, () => Effect.as(ran.hit("body"), "done")),
        Journal.layer(store)
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const running = yield* Effect.forkChild(peer.retry(round, yes))
      yield* reached
      yield* Fiber.interrupt(running)
      yield* peer.settle
      assert.strictEqual(entries.size, 0)
      assert.strictEqual(completed(yield* peer.retry(round, yes)).text, "done")
      assert.strictEqual(ran.count("body"), 1)
    })
  )
})

describe("a store that is down", () => {
  for (const [name, trouble] of [
    ["fails", Effect.fail("down")],
    ["does not answer", Effect.never]
  ] as const) {
    modern(`before the claim, and ${name}: nothing runs, and the round is run when it is back`, (era) =>
      observed(({ logs }) =>
        Effect.gen(function* () {
          const { asked: steps, control, entries, ran, registrations } = shop()
          const peer = yield* Peer.make({ ...era, registrations })
          const round = asked(yield* peer.callToolOnce("t"))
          control.before = () => trouble
          const refused = yield* Effect.forkChild(reasonOf(peer.retry(round, yes)))
          yield* peer.settle
          yield* TestClock.adjust("2 seconds")
          assert.deepStrictEqual(yield* Fiber.join(refused), [-32603, "journal_unavailable"])
          assert.strictEqual(ran.count("body"), 0)
          assert.include(logs.join("\n"), "a round was not run, because it could not be claimed")
          control.before = () => Effect.void
          yield* TestClock.adjust("10 seconds")
          yield* peer.settle
          // what may have been written is taken back
          assert.strictEqual(steps.at(-1), "release")
          assert.strictEqual(entries.size, 0)
          assert.strictEqual(completed(yield* peer.retry(round, yes)).text, "done")
          assert.strictEqual(ran.count("body"), 1)
        })
      )
    )

    modern(`after the claim, and ${name}: the reply is sent, and kept when it is back`, (era) =>
      Effect.gen(function* () {
        const { control, ran, registrations } = shop()
        const peer = yield* Peer.make({ ...era, registrations })
        const other = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t"))
        control.before = (step) => (step === "claim" ? Effect.void : trouble)
        const running = yield* Effect.forkChild(peer.retry(round, yes))
        yield* peer.settle
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(completed(yield* Fiber.join(running)).text, "done")
        const first = lastReply(peer)
        control.before = () => Effect.void
        yield* TestClock.adjust("10 seconds")
        yield* peer.settle
        yield* other.retry(round, yes)
        assert.strictEqual(lastReply(other), first)
        assert.strictEqual(ran.count("body"), 1)
      })
    )
  }
})

describe("a journal", () => {
  eras("is asked only for rounds that come with a state", (era) =>
    Effect.gen(function* () {
      const { asked: steps, ran, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [yes.inputResponses.ask] } })
      assert.strictEqual((yield* peer.callTool("t", {})).text, "done")
      assert.strictEqual(ran.count("body"), 1)
      assert.deepStrictEqual(steps, peer.protocol === "2026-07-28" ? ["claim", "keep"] : [])
    })
  )

  modern("claims nothing for a state that does not verify", (era) =>
    Effect.gen(function* () {
      const { asked: steps, registrations } = shop()
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(
        yield* refusalOf(peer.retry(round, { ...yes, requestState: `${round.requestState}A` })),
        frozen
      )
      assert.deepStrictEqual(steps, [])
    })
  )

  modern("keeps nothing that can be read without the keys", (era) =>
    Effect.gen(function* () {
      const { entries, registrations } = shop(Effect.succeed("a secret reply"))
      const peer = yield* Peer.make({ ...era, registrations })
      yield* peer.retry(asked(yield* peer.callToolOnce("t")), yes)
      const kept = JSON.stringify([...entries.values()])
      assert.include(kept, '"_tag":"Kept"')
      assert.notInclude(kept, "secret")
      assert.notInclude(kept, "accept")
    })
  )

  modern("says in the span of a round that its reply was given back", (era) =>
    Effect.gen(function* () {
      const { registrations } = shop()
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Effect.gen(function* () {
        const peer = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t"))
        yield* peer.retry(round, yes)
        yield* peer.retry(round, yes)
      }).pipe(Effect.withTracer(tracer))
      const rounds = spans.filter(({ name }) => name === "Resolve.round")
      assert.deepStrictEqual(
        rounds.map(({ attributes }) => attributes.get("effect_resolve.given_back")),
        [undefined, undefined, true]
      )
    })
  )

  modern("in memory gives one reply as well, until the state has ended", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = replica(
        tool("t", { dependencies: [ask] }, () => Effect.as(ran.hit("body"), "done")),
        Journal.layerMemory()
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      const both = yield* Effect.forkChild(
        Effect.all([peer.retry(round, yes), peer.retry(round, yes)], { concurrency: "unbounded" })
      )
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(both)
      const reply = lastReply(peer)
      yield* peer.retry(round, yes)
      assert.strictEqual(lastReply(peer), reply)
      assert.deepStrictEqual(yield* refusalOf(peer.retry(round, no)), frozen)
      assert.strictEqual(ran.count("body"), 1)
      yield* TestClock.adjust("12 minutes")
      assert.deepStrictEqual(yield* refusalOf(peer.retry(round, yes)), frozen)
    })
  )

  modern("whose options make no sense does not start", () =>
    Effect.gen(function* () {
      const { store } = textStore()
      for (const [options, problem] of [
        [{ claimTimeout: 0 }, "claimTimeout must be a positive, finite duration"],
        [{ waitLimit: "Infinity" as const }, "waitLimit must be a positive, finite duration"],
        [{ maxReplyBytes: 0.5 }, "maxReplyBytes must be a positive whole number"]
      ] as const) {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(Journal.layer(store, options))))
        assert.include(Exit.isFailure(exit) ? String(exit.cause) : "", problem)
      }
    })
  )
})
