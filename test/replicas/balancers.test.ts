/** The configurations of the guide, between official clients and two replicas. */
import { assert, describe, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { answer, begin, post } from "./client.ts"
import * as Parts from "./parts.ts"
import { ledger, replica } from "./processes.ts"

const clientInfo = { name: "replicas", version: "1.0.0" }
const urlOf = (port: number) => new URL(`http://127.0.0.1:${port}/mcp`)

/** Both official clients, in a session of 2025-11-25. */
const clients = {
  v1: async (port: number) => {
    const client = new ClientV1(clientInfo)
    const transport = new HttpV1(urlOf(port))
    await client.connect(transport as any) // its own types disagree under exactOptionalPropertyTypes
    return { call: (name: string) => client.callTool({ name }), close: () => client.close(), transport }
  },
  v2: async (port: number) => {
    const client = new ClientV2(clientInfo)
    const transport = new HttpV2(urlOf(port))
    await client.connect(transport as any) // as above
    return { call: (name: string) => client.callTool({ name }), close: () => client.close(), transport }
  }
}

const textOf = (result: any): string => result.content[0].text

for (const [name, part] of [
  ["nginx", Parts.nginx],
  ["haproxy", Parts.haproxy]
] as const) {
  describe.skipIf(Parts.isMissing(name) || Parts.isMissing("redis"))(`two replicas behind ${name}`, () => {
    it.live("keep a session on its replica, and a call of 2026-07-28 goes on at any", () =>
      Effect.gen(function* () {
        const redis = yield* Parts.redis
        const book = yield* ledger
        const environment = { STORE: `redis:${redis.port}`, LEDGER: book.file }
        const [r1, r2] = yield* Effect.all(
          [replica({ ...environment, REPLICA: "r1" }), replica({ ...environment, REPLICA: "r2" })],
          { concurrency: 2 }
        )
        const { port } = yield* part([r1.port, r2.port])
        yield* Effect.promise(async () => {
          const opened = await Promise.all([clients.v1(port), clients.v2(port), clients.v1(port), clients.v2(port)])
          const homes = new Set<string>()
          for (const { call, transport } of opened) {
            const answers = new Set<string>()
            for (let i = 0; i < 6; i++) answers.add(textOf(await call("announce")))
            assert.strictEqual(answers.size, 1)
            const [home] = answers
            assert.match(transport.sessionId ?? "", new RegExp(`^${home}\\.`))
            homes.add(home!)
          }
          assert.deepStrictEqual([...homes].sort(), ["r1", "r2"])

          // 2026-07-28 has no session, and is sent to either
          const seen = new Set<string>()
          for (let i = 0; i < 8; i++) {
            seen.add(
              (await post(port, "tools/call", { name: "announce", arguments: {} })).message.result.content[0].text
            )
          }
          assert.deepStrictEqual([...seen].sort(), ["r1", "r2"])
          for (let i = 0; i < 4; i++) {
            const asked = await begin(port, "order", `book ${i}`)
            const first = await answer(port, asked)
            assert.strictEqual((await answer(port, asked)).text, first.text)
          }
          assert.deepStrictEqual(book.lines(), ["order book 0", "order book 1", "order book 2", "order book 3"])

          // a replica that is gone: another one knows nothing of its sessions
          await r1.kill()
          for (const { call, close, transport } of opened) {
            if (transport.sessionId?.startsWith("r1.") !== true) {
              assert.strictEqual(textOf(await call("announce")), "r2")
            } else {
              const error = await call("announce").then(
                () => undefined,
                (error: unknown) => error
              )
              assert.match(String(error), /404|Session not found/)
            }
            await close()
          }
          const anew = await clients.v2(port)
          assert.strictEqual(textOf(await anew.call("announce")), "r2")
          await anew.close()
        })
      })
    )
  })
}

describe("the name of a replica in the ids of its sessions", () => {
  it.live("is looked at: an id of another replica, or without a name, is answered 404", () =>
    Effect.gen(function* () {
      const book = yield* ledger
      const { port } = yield* replica({ LEDGER: book.file, REPLICA: "r1" })
      yield* Effect.promise(async () => {
        const { call, close, transport } = await clients.v1(port)
        const id = transport.sessionId ?? assert.fail("no session")
        assert.match(id, /^r1\.[0-9a-f-]{36}$/)
        assert.strictEqual(textOf(await call("announce")), "r1")
        for (const [session, status] of [
          [id, 200],
          [id.slice(3), 404],
          [`r2.${id.slice(3)}`, 404],
          ["r1.", 404]
        ] as const) {
          const response = await fetch(urlOf(port), {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-protocol-version": "2025-11-25",
              "mcp-session-id": session
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
          })
          await response.text()
          assert.strictEqual(response.status, status, session)
        }
        await close()
      })
    })
  )
})
