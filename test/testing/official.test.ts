/**
 * The official clients are the peer's oracle: one script through each of them, every frame compared.
 */
import { assert, it } from "@effect/vitest"
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { Answer, Peer, Transcript } from "effect-resolve/testing"
import { bookshop } from "./plainServer.ts"
import { registrations } from "./resolveServer.ts"

type Fetch = (url: URL | string, init?: RequestInit) => Promise<Response>

const frame = (
  from: Transcript.Frame["from"],
  message: Transcript.Message,
  headers?: Transcript.Frame["headers"]
): Transcript.Frame => ({ from, message, at: 0, headers, httpStatus: undefined })

/** What the protocol says about headers; the session id only by its presence. */
const headersOf = (frames: ReadonlyArray<Transcript.Frame>) =>
  frames.flatMap(({ headers }) => {
    if (headers === undefined) return []
    const { "content-type": type, accept, "mcp-session-id": session, ...rest } = headers
    const mcp = Object.entries(rest).filter(([name]) => name.startsWith("mcp-"))
    return [{ type, accept, session: session !== undefined, ...Object.fromEntries(mcp) }]
  })

/** A `fetch` that notes each message before the client sees it. */
const recorder = (fetch: Fetch, frames: Array<Transcript.Frame>): Fetch => {
  const note = (from: Transcript.Frame["from"], text: string, headers?: Transcript.Frame["headers"]) => {
    if (text !== "") frames.push(frame(from, JSON.parse(text), headers))
  }
  return async (url, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers).entries())
    if (typeof init?.body === "string") note("client", init.body, headers)
    const response = await fetch(url, init)
    if (response.body === null) return response
    const decoder = new TextDecoder()
    const stream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    let rest = ""
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true })
        if (stream) {
          const events = rest.split("\n\n")
          rest = events.pop() ?? ""
          // an event that begins a stream has an id and no data
          for (const event of events) note("server", /^data: ?(.*)$/m.exec(event)?.[1] ?? "")
        }
        controller.enqueue(chunk)
      },
      flush() {
        if (!stream) note("server", rest)
      }
    })
    return new Response(response.body.pipeThrough(through), response)
  }
}

const answers = {
  form: { action: "accept", content: { confirm: true, line: "Fear is the mind-killer" } },
  sampling: {
    role: "assistant",
    model: "test-model",
    stopReason: "endTurn",
    content: { type: "text", text: "Fear is the mind-killer" }
  },
  roots: { roots: [{ uri: "file:///shop", name: "shop" }] }
} as const

const clientInfo = { name: "official", version: "1.0.0" }

const form = Answer.result(answers.form)

/** What is served, what is called, and the answers of the peer; the official clients answer by method. */
const servers = {
  "effect/ai alone": {
    registrations: bookshop(),
    tools: ["echo", "order", "gift", "progress"],
    answers: { confirm: form, note: Answer.sampled("Fear is the mind-killer"), folder: Answer.result(answers.roots) }
  },
  "the engine": {
    registrations,
    tools: ["order_book", "order_book"],
    answers: { "bookshop/ConfirmBackorder": form, "bookshop/GiftNote": form }
  }
}

type Served = (typeof servers)[keyof typeof servers]

interface Caller {
  readonly callTool: (params: { name: string; arguments: { title: string } }) => Promise<unknown>
  readonly listTools: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const script = async (client: Caller, tools: ReadonlyArray<string>) => {
  await client.listTools()
  for (const name of tools) await client.callTool({ name, arguments: { title: "Dune" } })
  await client.close()
}

const v2 = async (tools: ReadonlyArray<string>, fetch: Fetch, url: string, protocol: Peer.ProtocolVersion) => {
  const client = new ClientV2(clientInfo, {
    capabilities: Peer.allCapabilities(protocol),
    ...(protocol === "2026-07-28" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {})
  })
  client.setRequestHandler("elicitation/create", async () => ({
    ...answers.form,
    content: { ...answers.form.content }
  }))
  client.setRequestHandler("sampling/createMessage", async () => answers.sampling)
  client.setRequestHandler("roots/list", async () => ({ roots: [...answers.roots.roots] }))
  await client.connect(new HttpV2(new URL(url), { fetch }))
  await script(client, tools)
}

const v1 = async (tools: ReadonlyArray<string>, fetch: Fetch, url: string) => {
  const client = new ClientV1(clientInfo, { capabilities: Peer.allCapabilities("2025-11-25") })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ ...answers.form, content: { ...answers.form.content } }))
  client.setRequestHandler(CreateMessageRequestSchema, async () => answers.sampling)
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [...answers.roots.roots] }))
  // the v1 transport's optional members do not allow undefined under exactOptionalPropertyTypes
  await client.connect(new HttpV1(new URL(url), { fetch }) as unknown as Parameters<typeof client.connect>[0])
  await script(client, tools)
}

const peerFrames = (served: Served, protocol: Peer.ProtocolVersion) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({ registrations: served.registrations, protocol, answers: served.answers })
    // a pinned v2 client asks who is there before its first request
    if (protocol === "2026-07-28") yield* peer.discover
    yield* peer.listTools
    for (const name of served.tools) yield* peer.callTool(name, { title: "Dune" })
    return peer.transcript
  })

const clientFrames = (served: Served, run: (fetch: Fetch, url: string) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* Peer.serve({ registrations: served.registrations })
    const frames: Array<Transcript.Frame> = []
    yield* Effect.promise(() => run(recorder(server.fetch, frames), server.url))
    return frames
  })

const clients = [
  ["the official v2 client", "2026-07-28", v2],
  ["the official v2 client", "2025-11-25", v2],
  ["the official v1 client", "2025-11-25", v1]
] as const

for (const [on, served] of Object.entries(servers)) {
  for (const [client, protocol, run] of clients) {
    it.effect(`on ${on}, the peer of ${protocol} sends and receives every frame and header that ${client} does`, () =>
      Effect.gen(function* () {
        const theirs = yield* clientFrames(served, (fetch, url) => run(served.tools, fetch, url, protocol))
        const ours = yield* peerFrames(served, protocol)
        assert.isAbove(theirs.length, 9)
        assert.deepStrictEqual(Transcript.mask(ours), Transcript.mask(theirs))
        assert.deepStrictEqual(headersOf(ours), headersOf(theirs))
      })
    )
  }
}
