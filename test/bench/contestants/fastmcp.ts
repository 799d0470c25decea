/** (c) `fastmcp`, look-ups by hand. It serves 2025-11-25 and older only. */
import { FastMCP } from "fastmcp"
import { z } from "zod"
import { freePort, ready } from "../lib/child.ts"
import { copies, delivery, descriptions, orderText } from "./shop.ts"

const checkStock = async (title: string) => ({ title, copies: copies(title) })
const estimateDelivery = async (stock: { readonly copies: number }) => delivery(stock.copies)

const server = new FastMCP({
  name: "Bookshop",
  version: "1.0.0",
  // FastMCP prints each session to stdout, which the others do not
  logger: { debug() {}, error: console.error, info() {}, log() {}, warn() {} }
})
server.addTool({
  name: "order_book",
  description: descriptions.order_book,
  parameters: z.object({ title: z.string() }),
  execute: async ({ title }) => {
    const stock = await checkStock(title)
    return orderText(title, stock.copies, await estimateDelivery(stock))
  }
})

const port = await freePort()
await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1", endpoint: "/mcp" } })
ready(port)
