/** Two processes that share a store, and clients that send everything several times. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, begin, each, next, type Reply } from "./client.ts"
import * as Parts from "./parts.ts"
import { ledger, replica } from "./processes.ts"

// `npm run replicas` and CI do a thousand
const calls = Number(process.env.RACES ?? "150")
const atOnce = 40

const stores = [
  { name: "Redis", needs: "redis", part: Parts.redis, url: (port: number) => `redis:${port}` },
  { name: "PostgreSQL", needs: "postgres", part: Parts.postgres, url: (port: number) => `postgres:${port}` }
] as const

const equal = (replies: ReadonlyArray<ReadonlyArray<Reply>>) =>
  replies.every((ofOne) => ofOne.every(({ text }) => text === ofOne[0]!.text))

for (const { name, needs, part, url } of stores) {
  describe.skipIf(Parts.isMissing(needs))(`two replicas on ${name}`, () => {
    it.live(`run ${calls} rounds once that are raced, and sent twice more, and give equal replies`, () =>
      Effect.gen(function* () {
        const { port } = yield* part
        const book = yield* ledger
        const environment = { STORE: url(port), LEDGER: book.file }
        const [a, b] = yield* Effect.all([replica(environment), replica(environment)], { concurrency: 2 })
        const titles = Array.from({ length: calls }, (_, i) => `book ${i}`)
        const replies = yield* Effect.promise(() =>
          each(titles, atOnce, async (title) => {
            const asked = await begin(a.port, "order", title)
            const raced = await Promise.all([answer(a.port, asked), answer(b.port, asked)])
            return [...raced, await answer(a.port, asked), await answer(b.port, asked)]
          })
        )
        assert.isTrue(equal(replies))
        assert.match(replies[0]![0]!.text, /order [0-9a-f-]{36}/)
        assert.sameMembers(
          Array.from(book.lines()),
          titles.map((title) => `order ${title}`)
        )
      })
    )

    it.live(`run a durable effect once in ${calls} middle rounds that are raced, and sent twice more`, () =>
      Effect.gen(function* () {
        const { port } = yield* part
        const book = yield* ledger
        const environment = { STORE: url(port), LEDGER: book.file }
        const [a, b] = yield* Effect.all([replica(environment), replica(environment)], { concurrency: 2 })
        const titles = Array.from({ length: calls }, (_, i) => `book ${i}`)
        const replies = yield* Effect.promise(() =>
          each(titles, atOnce, async (title) => {
            const asked = await begin(b.port, "seat", title)
            const raced = await Promise.all([answer(a.port, asked), answer(b.port, asked)])
            const middle = [...raced, await answer(a.port, asked), await answer(b.port, asked)]
            const last = await answer(b.port, next(asked, middle[1]!))
            return { middle, last }
          })
        )
        assert.isTrue(equal(replies.map(({ middle }) => middle)))
        assert.isTrue(
          replies.every(({ last, middle }) => middle[0]!.text.includes(last.message.result.content[0].text))
        )
        assert.sameMembers(
          Array.from(book.lines()),
          titles.flatMap((title) => [`seat ${title}`, `seated ${title}`])
        )
      })
    )
  })
}
