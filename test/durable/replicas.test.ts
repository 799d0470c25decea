import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RequestState } from "effect-resolve"
import { Answer, Peer } from "effect-resolve/testing"
import { registrations } from "../../examples/03-ask-first.ts"

const old = "an-old-secret-of-at-least-thirty-two-bytes"
const fresh = "a-new-secret-of-at-least-thirty-two-bytes"

const replica = (keys: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly child: ChildProcess; readonly port: number }>((resume) => {
      const child = spawn(
        process.execPath,
        ["--import", "tsx", fileURLToPath(new URL("replica.ts", import.meta.url))],
        { env: { ...process.env, KEYS: keys }, stdio: ["ignore", "pipe", "inherit"] }
      )
      createInterface({ input: child.stdout }).once("line", (line) =>
        resume(Effect.succeed({ child, port: Number(line) }))
      )
    }),
    ({ child }) => kill(child)
  )

const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

const post = (port: number, id: number, extra: object) =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "order_book"
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: {
          name: "order_book",
          arguments: { title: "Neuromancer" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } }
          },
          ...extra
        }
      })
    })
    return (await response.json()) as any
  })

describe("more than one replica", () => {
  it.live("a call begun in one process, killed before the retry, finishes in another with the same keys", () =>
    Effect.gen(function* () {
      const first = yield* replica(fresh)
      const asked = yield* post(first.port, 1, {})
      assert.strictEqual(asked.result.resultType, "input_required")
      yield* kill(first.child)
      const [second, stranger] = yield* Effect.all([replica(fresh), replica(old)], { concurrency: 2 })
      const retry = {
        inputResponses: { "bookshop/ConfirmBackorder": { action: "accept", content: { confirm: true } } },
        requestState: asked.result.requestState
      }
      const done = yield* post(second.port, 2, retry)
      assert.strictEqual(done.result.content[0].text, "Backordered 'Neuromancer'; it ships in 2-3 weeks.")
      const refused = yield* post(stranger.port, 3, retry)
      assert.deepStrictEqual(refused.error, {
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "invalid_request_state" }
      })
    })
  )

  it.effect("I8: rotation of keys in three phases loses no call in flight", () =>
    Effect.gen(function* () {
      // every replica knows both keys before one of them seals with the new one; then the old one goes
      const phases = [[old], [old, fresh], [fresh, old], [fresh]]
      const servers = yield* Effect.forEach(phases, (keys) =>
        Peer.make({
          registrations: registrations.pipe(Layer.provide(RequestState.layer({ keys, audience: "bookshop" }))),
          protocol: "2026-07-28"
        })
      )
      const cross = Effect.fnUntraced(function* (from: number, to: number) {
        const round: any = yield* servers[from]!.callToolOnce("order_book", { title: "Neuromancer" })
        return yield* Effect.exit(
          servers[to]!.retry(round, {
            inputResponses: { "bookshop/ConfirmBackorder": Answer.accept({ confirm: true }) }
          })
        )
      })
      for (const [from, to] of [
        [0, 1],
        [1, 0],
        [1, 2],
        [2, 1],
        [2, 3],
        [3, 2]
      ] as const) {
        assert.strictEqual((yield* cross(from, to))._tag, "Success", `${from} -> ${to}`)
      }
      // a phase left out would lose them
      assert.strictEqual((yield* cross(0, 3))._tag, "Failure")
    })
  )
})
