/** 7. What 10,000 suspended calls leave behind when their client never comes back. */
import { Effect } from "effect"
import { registrations } from "../contestants/ours-shop.ts"
import { memoryServer } from "../lib/memory-server.ts"
import { report } from "../lib/rounds.ts"

const heap = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const call = memoryServer(registrations)

const suspend = Effect.fnUntraced(function* (from: number, to: number) {
  for (let i = from; i < to; i++) {
    const reply = yield* call("confirm_order", { title: `Title ${i}` })
    if (reply.result?.resultType !== "input_required") return yield* Effect.fail(new Error(JSON.stringify(reply)))
  }
})

report(
  Effect.gen(function* () {
    // compiled code and caches first
    yield* suspend(0, 2000)
    yield* Effect.sleep(200)
    const before = heap()
    yield* suspend(2000, 12_000)
    yield* Effect.sleep(200)
    return { bytes: heap() - before }
  })
)
