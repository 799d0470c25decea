/**
 * The load generator: a process of its own. Told `{ port, era, tool, ms, .. }` it keeps every connection busy for that
 * long and tells how many calls ended well.
 */

import { backorderedText, copies, delivery, hoursText, orderText, titles } from "./contestants/shop.ts"
import * as Mcp from "./lib/mcp.ts"

export interface Order {
  readonly port: number
  readonly era: Mcp.Era
  readonly tool: "order_book" | "shop_hours" | "confirm_order"
  readonly connections: number
  readonly ms: number
  /** The floor answers with a constant: nothing to check. */
  readonly check: boolean
}
export interface Outcome {
  readonly calls: number
  readonly seconds: number
  readonly errors: number
  readonly sample: string | undefined
}

const inputs = titles.filter((title) => title !== "Dune" && title !== "")
const expected = {
  order_book: (title: string) => orderText(title, copies(title), delivery(copies(title))),
  shop_hours: hoursText,
  confirm_order: backorderedText
}
const needles = Object.fromEntries(
  Object.entries(expected).map(([tool, text]) => [
    tool,
    inputs.map((title) => JSON.stringify(text(title)).slice(1, -1))
  ])
)
const capabilities = { elicitation: { form: {} } }
const sessions = new Map<string, string | undefined>()

const run = async (order: Order): Promise<Outcome> => {
  const clients = await Promise.all(
    Array.from({ length: order.connections }, async (_, i) => {
      const name = `${order.port} ${order.era} ${i}`
      const client = await Mcp.open(order.port, order.era, capabilities, sessions.get(name))
      sessions.set(name, client.session)
      return client
    })
  )
  const outcome = { calls: 0, errors: 0, sample: undefined as string | undefined }
  const once = async (client: Mcp.Client, i: number): Promise<void> => {
    const title = inputs[i % inputs.length]!
    const reply =
      order.tool === "confirm_order"
        ? await Mcp.callAnswering(client, order.tool, title, { confirm: true })
        : await Mcp.call(client, order.tool, title)
    if (!order.check || reply.body.includes(needles[order.tool]![i % inputs.length]!)) outcome.calls++
    else {
      outcome.errors++
      outcome.sample ??= `${title}: ${reply.status} ${reply.body.slice(0, 400)}`
    }
  }
  // one call on each connection before the clock starts
  await Promise.all(clients.map((client, i) => once(client, i)))
  outcome.calls = 0
  const started = process.hrtime.bigint()
  const until = started + BigInt(Math.round(order.ms * 1e6))
  await Promise.all(
    clients.map(async (client, at) => {
      for (let i = at; process.hrtime.bigint() < until; i += clients.length) await once(client, i)
    })
  )
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  for (const client of clients) client.connection.close()
  return { ...outcome, seconds }
}

process.on("message", (order: Order) => {
  run(order).then(
    (outcome) => process.send?.({ outcome }),
    (error) => process.send?.({ failed: String(error?.stack ?? error) })
  )
})
process.on("disconnect", () => process.exit(0))
