import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, initialize } from "./fixtures.ts"

const server = fileURLToPath(new URL("./hostile.ts", import.meta.url))

const ping = { jsonrpc: "2.0", id: 1, method: "ping" }

/** A server process that has answered once, so that it is known to be up. */
const start = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["--import", "tsx", server])),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const ended = once(child, "exit")
  const seen = { out: "", err: "" }
  child.stderr.on("data", (chunk) => (seen.err += chunk))
  child.stdout.on("data", (chunk) => (seen.out += chunk))
  child.stdin.on("error", () => {})
  child.stdout.on("error", () => {})
  write(child, ping)
  yield* Effect.promise(() => once(child.stdout, "data"))
  return {
    child,
    seen,
    messages: () =>
      seen.out
        .split("\n")
        .filter((line) => line !== "")
        .slice(1)
        .map((line) => JSON.parse(line)),
    /** The exit code, of a process that is killed when it does not end in five times the limit that it was given. */
    code: Effect.promise(() =>
      Promise.race([ended.then(([code]) => code), new Promise((resolve) => setTimeout(resolve, 10_000, "it is alive"))])
    )
  }
})

const write = (child: ChildProcessWithoutNullStreams, ...lines: ReadonlyArray<unknown>) =>
  child.stdin.write(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""))

/** Until stdout or stderr says it. */
const until = (text: string, { child, seen }: Effect.Success<typeof start>) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (seen.out.includes(text) || seen.err.includes(text)) resume(Effect.void)
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    look()
  })

const nested = (depth: number, inner = "") => "[".repeat(depth) + inner + "]".repeat(depth)

const it_ = (name: string, body: Effect.Effect<void, never, import("effect").Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body), 60_000)

describe("a stdio server goes on", () => {
  it_(
    "whatever a line holds, and says why it is not taken",
    Effect.gen(function* () {
      const running = yield* start
      const { child } = running
      write(
        child,
        nested(2_500),
        `{"jsonrpc":"2.0","id":"deep","method":"ping","bogus":1,"params":${nested(5_000)}}`,
        nested(1_000, JSON.stringify("x".repeat(5_000_000))),
        `{"jsonrpc":"2.0","id":"deeper","method":"ping","params":${nested(100_000)}}`,
        `{"jsonrpc":"2.0","id":${"9".repeat(400)},"method":"ping"}`,
        "[]",
        [ping, ping, 5],
        call("echo", "last")
      )
      yield* until('"id":"last"', running)
      const depth = "Invalid Request: nested more than 200 levels deep"
      const ids = "Invalid Request: an id is a string or a number that JSON can give back as it came"
      assert.deepStrictEqual(
        running.messages().map(({ error, id }) => [id, error?.code, error?.message]),
        [
          [null, -32600, depth],
          ["deep", -32600, depth],
          [null, -32600, depth],
          ["deeper", -32600, depth],
          [null, -32600, ids],
          [null, -32600, "Invalid Request: the batch is empty"],
          [null, -32600, "Invalid Request: two requests of the batch have one id"],
          ["last", undefined, undefined]
        ]
      )
      child.stdin.end()
      assert.strictEqual(yield* running.code, 0)
    })
  )

  it_(
    "past a batch that its version does not have, and ends at once when stdin does",
    Effect.gen(function* () {
      const running = yield* start
      write(running.child, [ping, { ...ping, id: 2 }], initialize({}), [ping, 5], call("echo", "last"))
      yield* until('"id":"last"', running)
      const refused = running.messages().filter(({ error }) => error !== undefined)
      assert.deepStrictEqual(
        refused.map(({ error, id }) => [id, error.code]),
        [
          [null, -32600],
          [null, -32600]
        ]
      )
      assert.include(refused[0].error.message, "this protocol version has no batches")
      running.child.stdin.end()
      assert.strictEqual(yield* running.code, 0)
    })
  )
})

describe("a stdio server ends", () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129]
  ] as const) {
    it_(
      `when it is asked to by ${signal}, releases what a call holds and exits with ${code}`,
      Effect.gen(function* () {
        const running = yield* start
        write(running.child, call("minute", 1), call("count", 2))
        yield* until("counted", running)
        running.child.kill(signal)
        assert.strictEqual(yield* running.code, code)
        assert.include(running.seen.err, "released")
      })
    )
  }

  for (const how of ["SIGTERM", "SIGINT", "the end of stdin"] as const) {
    it_(
      `within its limit by ${how} when its client does not read 55 MB`,
      Effect.gen(function* () {
        const running = yield* start
        running.child.stdout.pause()
        write(running.child, ...Array.from({ length: 55 }, (_, id) => call("large", id)), call("count", "last"))
        yield* until("counted", running)
        if (how === "the end of stdin") running.child.stdin.end()
        else running.child.kill(how)
        assert.strictEqual(yield* running.code, { SIGTERM: 143, SIGINT: 130, "the end of stdin": 1 }[how])
      })
    )
  }

  it_(
    "when nobody reads its stdout any more, with a code that is not 0",
    Effect.gen(function* () {
      const running = yield* start
      running.child.stdout.destroy()
      write(running.child, call("echo", 1))
      assert.strictEqual(yield* running.code, 1)
      assert.include(running.seen.err, "stdout failed")
    })
  )
})
