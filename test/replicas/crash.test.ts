/** What becomes of a round when a process, the store or a clock is not as it should be. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "effect-resolve"
import * as JournalRedis from "effect-resolve/JournalRedis"
import * as JournalSql from "effect-resolve/JournalSql"
import { redisAt, sqlAt } from "../journal/stores.ts"
import { answer, begin, next, type Reply, reasonOf } from "./client.ts"
import * as Parts from "./parts.ts"
import { type Environment, key, ledger, replica } from "./processes.ts"

const stores = [
  {
    name: "Redis",
    needs: "redis",
    part: Parts.redis,
    url: (port: number) => `redis:${port}`,
    crash: "SIGKILL",
    journal: (port: number): Layer.Layer<never, unknown> => JournalRedis.layer().pipe(Layer.provide(redisAt(port)))
  },
  {
    name: "PostgreSQL",
    needs: "postgres",
    part: Parts.postgres,
    url: (port: number) => `postgres:${port}`,
    // its other processes end at once as well, and it recovers from its log
    crash: "SIGQUIT",
    journal: (port: number): Layer.Layer<never, unknown> => JournalSql.layer().pipe(Layer.provide(sqlAt(port)))
  }
] as const

const frozen = (reply: Reply) => reply.message.error?.data?.reason === "invalid_request_state"

/** Sends until there is a reply: the store may be away, and the round at work. */
const untilReply = async (send: () => Promise<Reply>): Promise<Reply> => {
  for (;;) {
    const reply = await send()
    if (reasonOf(reply) === undefined) return reply
    assert.include(["journal_unavailable", "round_in_progress"], reasonOf(reply))
  }
}

for (const { crash, journal, name, needs, part, url } of stores) {
  const world = (a: Partial<Environment> = {}, b: Partial<Environment> = {}) =>
    Effect.gen(function* () {
      const store = yield* part
      const book = yield* ledger
      const environment = { STORE: url(store.port), LEDGER: book.file, WAIT_LIMIT: "1000" }
      const [first, second] = yield* Effect.all(
        [replica({ ...environment, ...a }), replica({ ...environment, ...b })],
        { concurrency: 2 }
      )
      return { store, book, a: first, b: second }
    })

  describe.skipIf(Parts.isMissing(needs))(`a round claimed on ${name}`, () => {
    it.live("by a process that is killed is in doubt, before and after its effect, until it is settled", () =>
      Effect.gen(function* () {
        const { a, b, book, store } = yield* world()
        const [before, after] = yield* Effect.promise(async () => {
          const [before, after] = [
            await begin(a.port, "order", "hang before"),
            await begin(a.port, "order", "hang after")
          ]
          for (const asked of [before, after]) answer(a.port, asked).catch(() => {})
          await Promise.all([book.until("reached hang before"), book.until("order hang after")])
          await a.kill("SIGKILL")
          for (const asked of [before, after]) {
            assert.strictEqual(reasonOf(await answer(b.port, asked)), "round_in_progress")
            assert.strictEqual(reasonOf(await answer(b.port, asked, false)), "round_in_progress")
          }
          return [before, after] as const
        })
        assert.deepStrictEqual([book.count("order hang before"), book.count("order hang after")], [0, 1])
        const operator = Effect.gen(function* () {
          const doubts = yield* Journal.inDoubt({ olderThan: 0 })
          assert.deepStrictEqual(
            doubts.map(({ method, target }) => [method, target]),
            [
              ["tools/call", "order"],
              ["tools/call", "order"]
            ]
          )
          // the ledger says which is which: they were claimed in the order they were sent, or in the other
          for (const { key } of doubts) assert.isTrue(yield* Journal.settle(key, "spent"))
          assert.deepStrictEqual(yield* Journal.inDoubt({ olderThan: 0 }), [])
        })
        yield* Effect.provide(operator, Layer.orDie(journal(store.port)))
        yield* Effect.promise(async () => {
          for (const asked of [before, after]) assert.isTrue(frozen(await answer(b.port, asked)))
        })
        assert.deepStrictEqual([book.count("order hang before"), book.count("order hang after")], [0, 1])
      })
    )

    it.live("by a process that was killed after it had answered is answered by another, byte for byte", () =>
      Effect.gen(function* () {
        const { a, b, book } = yield* world()
        yield* Effect.promise(async () => {
          const asked = await begin(a.port, "order", "Dune")
          const first = await answer(a.port, asked)
          await a.kill("SIGKILL")
          assert.strictEqual((await answer(b.port, asked)).text, first.text)
          assert.isTrue(frozen(await answer(b.port, asked, false)))
        })
        assert.strictEqual(book.count("order Dune"), 1)
      })
    )

    it.live("stays claimed when the store is killed in the middle of it, and comes back", () =>
      Effect.gen(function* () {
        const { a, b, book, store } = yield* world()
        yield* Effect.promise(async () => {
          const asked = await begin(a.port, "order", "slow Dune")
          const running = answer(a.port, asked)
          await book.until("reached slow Dune")
          await store.kill(crash)
          assert.strictEqual(reasonOf(await answer(b.port, asked)), "journal_unavailable")
          await store.restart()
          const again = await untilReply(() => answer(b.port, asked))
          assert.strictEqual(again.text, (await running).text)
        })
        assert.deepStrictEqual([book.count("reached slow Dune"), book.count("order slow Dune")], [1, 1])
      })
    )

    it.live("is answered once when the store is away at its end, and given back when it is there again", () =>
      Effect.gen(function* () {
        const { a, b, book, store } = yield* world()
        yield* Effect.promise(async () => {
          const asked = await begin(a.port, "order", "slow Emma")
          const running = answer(a.port, asked)
          await book.until("reached slow Emma")
          await store.kill(crash)
          const first = await running
          assert.match(first.text, /order [0-9a-f-]{36}/)
          assert.strictEqual(reasonOf(await answer(b.port, asked)), "journal_unavailable")
          await store.restart()
          assert.strictEqual((await untilReply(() => answer(b.port, asked))).text, first.text)
        })
        assert.deepStrictEqual([book.count("reached slow Emma"), book.count("order slow Emma")], [1, 1])
      })
    )

    it.live("is not run while the store is away, and run once when it is back", () =>
      Effect.gen(function* () {
        const { a, b, book, store } = yield* world()
        yield* Effect.promise(async () => {
          const asked = await begin(a.port, "order", "Dune")
          await store.kill(crash)
          const refused = await Promise.all([answer(a.port, asked), answer(b.port, asked)])
          assert.deepStrictEqual(refused.map(reasonOf), ["journal_unavailable", "journal_unavailable"])
          assert.deepStrictEqual(book.lines(), [])
          await store.restart()
          const first = await untilReply(() => answer(b.port, asked))
          assert.strictEqual((await answer(a.port, asked)).text, first.text)
        })
        assert.strictEqual(book.count("order Dune"), 1)
      })
    )

    it.live("is one round to replicas whose clocks are 59 s apart and whose keys are being rotated", () =>
      Effect.gen(function* () {
        const { a, b, book } = yield* world(
          { KEYS: `${key("a")} ${key("b")}` },
          { KEYS: `${key("b")} ${key("a")}`, AHEAD: "59000" }
        )
        yield* Effect.promise(async () => {
          for (const [from, to] of [
            [a, b],
            [b, a]
          ] as const) {
            const title = from === a ? "behind" : "ahead"
            const asked = await begin(from.port, "seat", title)
            const first = await answer(to.port, asked)
            assert.strictEqual((await answer(from.port, asked)).text, first.text)
            const middle = next(asked, first)
            const last = await answer(from.port, middle)
            assert.strictEqual((await answer(to.port, middle)).text, last.text)
          }
        })
        assert.deepStrictEqual(book.lines(), ["seat behind", "seated behind", "seat ahead", "seated ahead"])
      })
    )
  })
}
