/** (b) `@modelcontextprotocol/server` 2.x, look-ups and multi-round flow by hand: the tools, for HTTP and stdio. */
import { createHash, randomUUID } from "node:crypto"
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

const digest = (value: unknown) =>
  createHash("sha256").update(JSON.stringify(value)).digest().subarray(0, 16).toString("base64url")

/** What a user writes who wants rules I3 and I8 of effect-resolve: each answer pinned to the question that was shown. */
interface Pinned {
  readonly id: string
  readonly startedAt: number
  readonly arguments: string
  readonly asked: Record<string, string>
  readonly answers: Record<string, readonly [digest: string, content: unknown]>
}

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
  server.registerTool(
    "many_questions_pinned",
    { description: descriptions.many_questions, inputSchema: z.object({ title: z.string() }) },
    async (args, ctx) => {
      const previous = ctx.mcpReq.requestState<Pinned>()
      const known = previous?.arguments === digest(args) ? previous : undefined
      const answers = { ...known?.answers }
      for (let part = 0; part < 21; part++) {
        const key = `q${part}`
        const elicit = { message: `How many of part ${part}?`, requestedSchema: Amount }
        const shown = digest({ message: elicit.message, schema: z.toJSONSchema(Amount) })
        if (answers[key]?.[0] === shown) continue
        const content = acceptedContent(ctx.mcpReq.inputResponses, key, Amount)
        if (content !== undefined && known?.asked[key] === shown) {
          answers[key] = [shown, content]
          continue
        }
        const next: Pinned = {
          id: known?.id ?? randomUUID(),
          startedAt: known?.startedAt ?? Date.now(),
          arguments: digest(args),
          asked: { [key]: shown },
          answers
        }
        return inputRequired({
          inputRequests: { [key]: inputRequired.elicit(elicit) },
          requestState: await state.mint({ ...next }, ctx)
        })
      }
      return text("21")
    }
  )
  return server
}
