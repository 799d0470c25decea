import { assert, describe, it } from "@effect/vitest"
import { Cache, Deferred, Duration, Effect, Exit, Fiber, Layer, Schedule, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, resolver, tool, Yes, yes } from "./kit.ts"

const era2026 = eras.of("2026-07-28")
const ask: Effect.Effect<unknown, Elicitation.ElicitationError, Elicitation.Elicitation> = Elicitation.form({
  message: "ok?",
  schema: Yes
})
const fallback: Effect.Effect<unknown> = Effect.succeed("caught")

/** What user code may put around a question. None of it may see the suspension, or change what comes of it. */
const around: { readonly [what: string]: Effect.Effect<unknown, unknown, any> } = {
  catch: Effect.catch(ask, () => fallback),
  catchTag: Effect.catchTag(ask, "Declined", () => fallback),
  catchCause: Effect.catchCause(ask, () => fallback),
  catchDefect: Effect.catchDefect(ask, () => fallback),
  sandbox: Effect.catch(Effect.sandbox(ask), () => fallback),
  exit: Effect.flatMap(Effect.exit(ask), (exit) => (Exit.isSuccess(exit) ? Effect.succeed(exit.value) : fallback)),
  result: Effect.flatMap(Effect.result(ask), (result) =>
    result._tag === "Success" ? Effect.succeed(result.success) : fallback
  ),
  option: Effect.flatMap(Effect.option(ask), (option) =>
    option._tag === "Some" ? Effect.succeed(option.value) : fallback
  ),
  matchCause: Effect.matchCause(ask, { onFailure: (): unknown => "caught", onSuccess: (value): unknown => value }),
  ignoreCause: Effect.as(Effect.ignoreCause(ask), { ok: true }),
  orElseSucceed: Effect.orElseSucceed(ask, () => "caught" as const),
  orDie: Effect.catchDefect(Effect.orDie(ask), () => fallback),
  retry: Effect.retry(ask, { times: 3 }),
  "retry with a schedule": Effect.retry(ask, Schedule.recurs(3)),
  eventually: Effect.eventually(ask),
  race: Effect.race(ask, Effect.delay(fallback, "1 hour")),
  raceFirst: Effect.raceFirst(ask, Effect.delay(fallback, "1 hour")),
  raceAll: Effect.raceAll([ask, Effect.delay(fallback, "1 hour")]),
  timeout: Effect.catch(Effect.timeout(ask, "1 hour"), () => fallback),
  timeoutOption: Effect.flatMap(Effect.timeoutOption(ask, "1 hour"), (option) =>
    option._tag === "Some" ? Effect.succeed(option.value) : fallback
  ),
  timeoutOrElse: Effect.timeoutOrElse(ask, { duration: "1 hour", orElse: () => fallback }),
  uninterruptible: Effect.uninterruptible(Effect.catchCause(ask, () => fallback)),
  uninterruptibleMask: Effect.uninterruptibleMask((restore) => Effect.catchCause(restore(ask), () => fallback)),
  "forkChild and await": Effect.flatMap(Effect.forkChild(ask), (fiber) =>
    Effect.flatMap(Fiber.await(fiber), (exit) => (Exit.isSuccess(exit) ? Effect.succeed(exit.value) : fallback))
  ),
  "forkChild and join": Effect.flatMap(Effect.forkChild(ask), (fiber) =>
    Effect.catchCause(Fiber.join(fiber), () => fallback)
  ),
  "forkDetach and await": Effect.flatMap(Effect.forkDetach(ask), (fiber) =>
    Effect.flatMap(Fiber.await(fiber), (exit) => (Exit.isSuccess(exit) ? Effect.succeed(exit.value) : fallback))
  ),
  forkScoped: Effect.flatMap(Effect.forkScoped(ask), (fiber) =>
    Effect.flatMap(Fiber.await(fiber), (exit) => (Exit.isSuccess(exit) ? Effect.succeed(exit.value) : fallback))
  ),
  cached: Effect.flatMap(Effect.cached(ask), (cached) => Effect.catchCause(cached, () => fallback)),
  once: Effect.flatMap(Effect.cached(ask), (cached) => Effect.andThen(Effect.exit(cached), cached)),
  scoped: Effect.scoped(Effect.catchCause(ask, () => fallback)),
  withPermit: Effect.flatMap(Semaphore.make(1), (semaphore) =>
    Effect.catchCause(Semaphore.withPermit(semaphore, ask), () => fallback)
  ),
  "a generator with catch inside": Effect.gen(function* () {
    const exit = yield* Effect.exit(ask)
    return Exit.isSuccess(exit) ? exit.value : yield* fallback
  }),
  Deferred: Effect.flatMap(Deferred.make<unknown, unknown>(), (deferred) =>
    Effect.andThen(
      Deferred.into(ask, deferred),
      Effect.catchCause(Deferred.await(deferred), () => fallback)
    )
  )
}

describe("I11", () => {
  for (const [what, effect] of Object.entries(around)) {
    era2026(`I11: '${what}' around a question neither sees the suspension nor changes the outcome`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const asks = resolver("asks", {}, () => Effect.tap(effect, () => ran.hit("after")))
        const registrations = tool("t", { dependencies: [asks] }, () =>
          Effect.map(asks.get, (it) => JSON.stringify(it))
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const round = asked(yield* peer.callToolOnce("t"))
        assert.deepStrictEqual(Object.keys(round.inputRequests), ["asks"])
        const result = completed(yield* peer.retry(round, { inputResponses: { asks: yes } }))
        assert.deepStrictEqual([result.isError, result.text], [false, '{"ok":true}'])
        assert.strictEqual(ran.count("after"), 1)
      })
    )
  }

  era2026(
    "I11: an app-level Cache whose lookup asks is not poisoned: the next round and the next call ask and answer",
    (era) =>
      Effect.gen(function* () {
        const cache = yield* Cache.make({
          capacity: 10,
          timeToLive: Duration.hours(1),
          lookup: (_: string) => ask,
          requireServicesAt: "lookup"
        })
        const asks = resolver("asks", {}, () => Effect.catchCause(Cache.get(cache, "key"), () => fallback))
        const registrations = tool("t", { dependencies: [asks] }, () =>
          Effect.map(asks.get, (it) => JSON.stringify(it))
        )
        const peer = yield* Peer.make({ ...era, registrations })
        const first = asked(yield* peer.callToolOnce("t"))
        const other = asked(yield* peer.callToolOnce("t"))
        assert.deepStrictEqual(Object.keys(other.inputRequests), ["asks"])
        assert.strictEqual(completed(yield* peer.retry(first, { inputResponses: { asks: yes } })).text, '{"ok":true}')
      })
  )

  era2026("I11: a question in an app-level `Effect.cached` does not leave a suspension behind for other calls", (era) =>
    Effect.gen(function* () {
      const cached = yield* Effect.cached(ask)
      const asks = resolver("asks", {}, () => Effect.catchCause(cached, () => fallback))
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.map(asks.get, (it) => JSON.stringify(it)))
      const peer = yield* Peer.make({ ...era, registrations })
      const first = asked(yield* peer.callToolOnce("t"))
      asked(yield* peer.callToolOnce("t"))
      assert.strictEqual(completed(yield* peer.retry(first, { inputResponses: { asks: yes } })).text, '{"ok":true}')
    })
  )

  era2026("I11: handlers in ordinary code do not run; finalizers do, told by `Resolver.isSuspended`", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const how = (name: string) => (exit: Exit.Exit<unknown, unknown>) =>
        ran.hit(`${name}: ${Resolver.isSuspended(exit) ? "suspended" : exit._tag}`)
      const asks = resolver("asks", {}, () =>
        ask.pipe(
          Effect.tapCause(() => ran.hit("tapCause")),
          Effect.catchCause(() => Effect.as(ran.hit("catchCause"), { ok: false })),
          Effect.onExit(how("onExit")),
          Effect.onError((cause) => how("onError")(Exit.failCause(cause))),
          Effect.onInterrupt(() => ran.hit("onInterrupt")),
          Effect.ensuring(ran.hit("ensuring")),
          (self) =>
            Effect.acquireUseRelease(
              ran.hit("acquire"),
              () => self,
              (_, exit) => how("release")(exit)
            ),
          (self) => Effect.scoped(Effect.andThen(Effect.addFinalizer(how("scoped finalizer")), self))
        )
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(ran.log.splice(0), [
        "acquire",
        "onExit: suspended",
        "onError: suspended",
        "onInterrupt",
        "ensuring",
        "release: suspended",
        "scoped finalizer: suspended"
      ])
      completed(yield* peer.retry(round, { inputResponses: { asks: yes } }))
      assert.deepStrictEqual(ran.log, [
        "acquire",
        "onExit: Success",
        "ensuring",
        "release: Success",
        "scoped finalizer: Success"
      ])
    })
  )

  era2026("I11: handlers that the user made uninterruptible run, and change nothing", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const asks = resolver("asks", {}, () =>
        Effect.uninterruptible(Effect.catchCause(ask, () => Effect.as(ran.hit("handler"), { ok: false })))
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.map(asks.get, (it) => JSON.stringify(it)))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(ran.log, ["handler"])
      assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { asks: yes } })).text, '{"ok":true}')
    })
  )

  era2026("I11: two questions of one body in `Effect.all` both go out, concurrent or not as they are asked", (era) =>
    Effect.gen(function* () {
      const both = (concurrency: 1 | "unbounded") =>
        Effect.all([ask, Elicitation.form({ message: "sure?", schema: Yes, label: "sure" })], { concurrency })
      const [one, all] = [resolver("one", {}, () => both(1)), resolver("all", {}, () => both("unbounded"))]
      const registrations = Layer.mergeAll(
        tool("one", { dependencies: [one] }, () => Effect.succeed("done")),
        tool("all", { dependencies: [all] }, () => Effect.succeed("done"))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { one: [yes], "one#sure": [yes], all: [yes], "all#sure": [yes] }
      })
      assert.deepStrictEqual(Object.keys(asked(yield* peer.callToolOnce("one")).inputRequests), ["one"])
      assert.deepStrictEqual(Object.keys(asked(yield* peer.callToolOnce("all")).inputRequests), ["all", "all#sure"])
      assert.strictEqual((yield* peer.callTool("one")).text, "done")
      assert.strictEqual((yield* peer.callTool("all")).text, "done")
    })
  )

  era2026(
    "I11: one of two concurrent questions answered, the other is asked again alone, and its answer is kept",
    (era) =>
      Effect.gen(function* () {
        const both = resolver("both", {}, () =>
          Effect.all([ask, Elicitation.form({ message: "sure?", schema: Yes, label: "sure" })], {
            concurrency: "unbounded"
          })
        )
        const registrations = tool("t", { dependencies: [both] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations })
        for (const [first, second] of [
          ["both", "both#sure"],
          ["both#sure", "both"]
        ] as const) {
          const one = asked(yield* peer.callToolOnce("t"))
          const two = asked(yield* peer.retry(one, { inputResponses: { [first]: yes } }))
          assert.deepStrictEqual(Object.keys(two.inputRequests), [second])
          assert.strictEqual(completed(yield* peer.retry(two, { inputResponses: { [second]: yes } })).text, "done")
        }
      })
  )

  era2026("I11: a question of a detached fiber ends with the round, and the fiber with it", (era) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<Exit.Exit<unknown, unknown>>()
      const asks = resolver("asks", {}, () =>
        Effect.flatMap(Effect.forkDetach(Effect.onExit(ask, (exit) => Deferred.succeed(ended, exit))), (fiber) =>
          Fiber.join(fiber)
        )
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      asked(yield* peer.callToolOnce("t"))
      assert.strictEqual((yield* Deferred.await(ended))._tag, "Failure")
    })
  )

  era2026("I11: a body that goes on after its question was cut off still suspends, whatever it returns", (era) =>
    Effect.gen(function* () {
      const asks = resolver("asks", {}, () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(ask, { startImmediately: true })
          // nobody waits for the question: the body ends as if nothing had happened
          yield* Effect.sync(() => fiber)
          return { ok: "made up" }
        })
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.deepStrictEqual(Object.keys(asked(yield* peer.callToolOnce("t")).inputRequests), ["asks"])
    })
  )

  era2026("I11: the body of a tool that asks is suspended the same way", (era) =>
    Effect.gen(function* () {
      const registrations = tool("t", { dependencies: [Elicitation.Elicitation] }, () =>
        Effect.catchCause(
          Effect.map(ask, (it: any) => `body ${it.ok}`),
          () => Effect.succeed("caught")
        )
      )
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["t"])
      assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { t: yes } })).text, "body true")
    })
  )

  era2026("I11: a suspension is no defect and no failure: nothing is logged or reported", (era) =>
    observed(({ logs, reports }) =>
      Effect.gen(function* () {
        const asks = resolver("asks", {}, () => ask)
        const registrations = tool("t", { dependencies: [asks] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations, answers: { asks: yes } })
        logs.length = 0
        yield* peer.callTool("t")
        assert.deepStrictEqual([logs, reports], [[], []])
      })
    )
  )

  era2026("I11: a suspension does not interrupt a sibling that is still running", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const slow = resolver("slow", {}, () =>
        Effect.onInterrupt(Effect.andThen(Effect.sleep("1 minute"), ran.hit("slow")), () => ran.hit("interrupted"))
      )
      const asks = resolver("asks", {}, () => ask)
      const registrations = tool("t", { dependencies: [asks, slow] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      const call = yield* Effect.forkChild(peer.callToolOnce("t"))
      yield* peer.settle
      yield* TestClock.adjust("1 minute")
      asked(yield* Fiber.join(call))
      assert.deepStrictEqual(ran.log, ["slow"])
    })
  )

  // the same programs on a back channel: there a question is an ordinary Effect, and the combinators mean what they say
  eras.of("2025-11-25")("I11: on a back channel the same combinators give the same outcome", (era) =>
    Effect.gen(function* () {
      for (const [what, effect] of Object.entries(around)) {
        const asks = resolver("asks", {}, () => effect)
        const registrations = tool("t", { dependencies: [asks] }, () =>
          Effect.map(asks.get, (it) => JSON.stringify(it))
        )
        const peer = yield* Peer.make({ ...era, registrations, answers: { asks: yes } })
        const result = yield* peer.callTool("t")
        assert.deepStrictEqual([what, result.text], [what, '{"ok":true}'])
      }
    })
  )

  it.effect("I11: an ordinary interruption is not a suspension", () =>
    Effect.gen(function* () {
      assert.isFalse(Resolver.isSuspended(Exit.interrupt()))
      assert.isFalse(Resolver.isSuspended(Exit.succeed(1)))
      assert.isFalse(Resolver.isSuspended(Exit.die("x")))
      yield* Effect.void
    })
  )

  eras("I11: a decline is an ordinary failure: `catchTag` and `catch` see it", (era) =>
    Effect.gen(function* () {
      const asks = resolver("asks", {}, () =>
        Effect.catchTags(ask, {
          Declined: () => Effect.succeed({ ok: "declined" }),
          Cancelled: () => Effect.succeed({ ok: "cancelled" })
        })
      )
      const registrations = tool("t", { dependencies: [asks] }, () => Effect.map(asks.get, (it) => String(it.ok)))
      const peer = yield* Peer.make({ ...era, registrations, answers: { asks: [Answer.decline, Answer.cancel] } })
      assert.strictEqual((yield* peer.callTool("t")).text, "declined")
      assert.strictEqual((yield* peer.callTool("t")).text, "cancelled")
    })
  )
})
