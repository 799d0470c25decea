/** (b) `@modelcontextprotocol/server` 2.x, look-ups and multi-round flow by hand: the tools, for HTTP and stdio. */
import { acceptedContent, createRequestStateCodec, inputRequired, McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import {
  backorderedText,
  confirmDescription,
  copies,
  delivery,
  descriptions,
  notPlaced,
  orderedText,
  orderText,
  question
} from "./shop.ts"

const checkStock = async (title: string) => ({ title, copies: copies(title) })
const estimateDelivery = async (stock: { readonly copies: number }) => delivery(stock.copies)

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

const state = createRequestStateCodec<Record<string, unknown>>({
  key: "0123456789abcdef0123456789abcdef",
  bind: (ctx) => `${ctx.mcpReq.method}\0${ctx.http?.authInfo?.clientId ?? ""}`
})

const Confirmation = z.object({ confirm: z.boolean().describe(confirmDescription) })
const Amount = z.object({ amount: z.number() })

export const makeServer = (): McpServer => {
  const server = new McpServer(
    { name: "Bookshop", version: "1.0.0" },
    { capabilities: { tools: {} }, requestState: { verify: state.verify } }
  )
  server.registerTool(
    "order_book",
    { description: descriptions.order_book, inputSchema: z.object({ title: z.string() }) },
    async ({ title }) => {
      const stock = await checkStock(title)
      return text(orderText(title, stock.copies, await estimateDelivery(stock)))
    }
  )
  server.registerTool(
    "confirm_order",
    { description: descriptions.confirm_order, inputSchema: z.object({ title: z.string() }) },
    async ({ title }, ctx) => {
      const stock = await checkStock(title)
      if (stock.copies > 0) return text(orderedText(title))
      const asked = ctx.mcpReq.requestState<{ readonly title: string }>()
      const answer = ctx.mcpReq.inputResponses?.confirm
      // an answer counts only for the question of this title
      if (answer === undefined || asked?.title !== title) {
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({ message: question(title), requestedSchema: Confirmation })
          },
          requestState: await state.mint({ title }, ctx)
        })
      }
      const confirmed = acceptedContent(ctx.mcpReq.inputResponses, "confirm", Confirmation)
      return text(confirmed === undefined || !confirmed.confirm ? notPlaced : backorderedText(title))
    }
  )
  server.registerTool(
    "many_questions",
    { description: descriptions.many_questions, inputSchema: z.object({ title: z.string() }) },
    async ({ title }, ctx) => {
      const previous = ctx.mcpReq.requestState<{ readonly title: string; readonly answers: Record<string, unknown> }>()
      const answers = previous?.title === title ? previous.answers : {}
      const key = `q${Object.keys(answers).length}`
      const content = acceptedContent(ctx.mcpReq.inputResponses, key, Amount)
      if (content !== undefined) answers[key] = content
      const part = Object.keys(answers).length
      if (part >= 21) return text(`${part}`)
      return inputRequired({
        inputRequests: {
          [`q${part}`]: inputRequired.elicit({ message: `How many of part ${part}?`, requestedSchema: Amount })
        },
        requestState: await state.mint({ title, answers }, ctx)
      })
    }
  )
  return server
}
