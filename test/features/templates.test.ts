/** Parameters of templates that climb or hide are no resource, before their schema and the handler. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { counter } from "../rules/kit.ts"

const files = (ran: ReturnType<typeof counter>, allowTraversal?: boolean) =>
  Resolve.resourceTemplate`files://root/${McpSchema.param("path", Schema.String)}`({
    name: "file",
    allowTraversal,
    content: (_, path) => Effect.as(ran.hit(path), path)
  })

const refused = [
  "..%2F..%2Fetc%2Fpasswd",
  "..",
  "%2e%2e",
  "a%2F..%2Fb",
  "a%2F..",
  "..%5Cb",
  "a%5C..%5Cb",
  "%2Fetc%2Fpasswd",
  "%5Cserver%5Cshare",
  "C%3A%5CWindows",
  "c%3A",
  "%00x",
  "x%00.txt"
]

const taken = [
  "a",
  "1..5",
  "a..b",
  "...",
  "https%3A%2F%2Fa.example%2Fb",
  "a%2Fb",
  ".hidden",
  "a%5Cb",
  "%252e%252e",
  "ab%3Ac"
]

describe("parameters of templates", () => {
  for (const path of refused) {
    eras(`${path} is an unknown resource`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const peer = yield* Peer.make({ ...era, registrations: files(ran) })
        const uri = `files://root/${path}`
        assert.deepInclude(yield* Effect.flip(peer.readResource(uri)), {
          code: era.protocol === "2026-07-28" ? -32602 : -32002,
          message: `Unknown resource: ${uri}`
        })
        assert.deepStrictEqual(ran.log, [])
      })
    )
  }

  eras("that only look like it are taken", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const peer = yield* Peer.make({ ...era, registrations: files(ran) })
      for (const path of taken) yield* peer.readResource(`files://root/${path}`)
      assert.deepStrictEqual(
        ran.log,
        taken.map((path) => decodeURIComponent(path))
      )
    })
  )

  eras("are taken by a template that takes them", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const peer = yield* Peer.make({ ...era, registrations: files(ran, true) })
      yield* peer.readResource("files://root/..%2Fx")
      assert.deepStrictEqual(ran.log, ["../x"])
    })
  )

  eras("that climb are the same answer as a name that nobody has, whatever their schema", (era) =>
    Effect.gen(function* () {
      const numbers = Resolve.resourceTemplate`n://${McpSchema.param("n", Schema.Int)}`({
        name: "n",
        content: (_, n) => Effect.succeed(`${n}`)
      })
      const peer = yield* Peer.make({ ...era, registrations: numbers })
      const errors = yield* Effect.forEach(["n://..", "m://1"], (uri) => Effect.flip(peer.readResource(uri)))
      const [first, second] = errors.map(({ code, data, message }) => [code, data, message])
      assert.deepStrictEqual(JSON.stringify(first).replaceAll("n://..", "m://1"), JSON.stringify(second))
    })
  )
})
