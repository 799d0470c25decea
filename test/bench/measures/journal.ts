/** 8. A call of two rounds with a journal in memory, and without one: what the claim costs. */
import { Effect, Layer } from "effect"
import { Journal } from "effect-resolve"
import { registrations } from "../contestants/ours-shop.ts"
import * as Mcp from "../lib/mcp.ts"
import { memoryServer } from "../lib/memory-server.ts"
import { report, rounds } from "../lib/rounds.ts"

const twoRounds = (call: ReturnType<typeof memoryServer>) => (i: number) =>
  Effect.gen(function* () {
    const args = { title: `Title ${i}` }
    const { result } = yield* call("confirm_order", args)
    const reply = yield* call("confirm_order", args, Mcp.answers(result, { confirm: true }))
    if (reply.result?.content === undefined) return yield* Effect.fail(new Error(JSON.stringify(reply)))
  })

report(
  rounds(
    {
      without: twoRounds(memoryServer(registrations)),
      journal: twoRounds(memoryServer(Layer.provide(registrations, Journal.layerMemory())))
    },
    { rounds: 16, ms: 150, batch: 20 }
  )
)
