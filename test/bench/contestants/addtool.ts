/** (a2) By hand on effect/ai, through bare `addTool`: its own decoding, its own result. */
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { serveEffect } from "./effect-http.ts"
import { Inventory } from "./inventory.ts"
import { delivery, descriptions, orderText } from "./shop.ts"

const Arguments = Schema.Struct({ title: Schema.String })
const decode = Schema.decodeUnknownEffect(Arguments)

const registration = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const inventory = yield* Inventory
    const checkStock = Effect.fnUntraced(function* (title: string) {
      return { title, copies: yield* inventory.copies(title) }
    })
    const estimateDelivery = (stock: { readonly copies: number }) => Effect.succeed(delivery(stock.copies))
    yield* server.addTool({
      tool: new McpSchema.Tool({
        name: "order_book",
        description: descriptions.order_book,
        inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] }
      }),
      annotations: Context.empty(),
      handle: Effect.fnUntraced(function* (payload: unknown) {
        const { title } = yield* decode(payload).pipe(
          Effect.mapError((error) => new McpSchema.InvalidParams({ message: error.message }))
        )
        const stock = yield* checkStock(title)
        const text = orderText(title, stock.copies, yield* estimateDelivery(stock))
        return new McpSchema.CallToolResult({ content: [{ type: "text", text }] })
      })
    })
  })
)

serveEffect(registration.pipe(Layer.provide(Inventory.layer)))
