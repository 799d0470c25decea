/**
 * The official clients behind one interface: what a cell of the matrix does is written once, whoever speaks.
 */
import { fileURLToPath } from "node:url"
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client"
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  type JSONRPCMessage,
  ListRootsRequestSchema
} from "@modelcontextprotocol/sdk/types.js"

export type Version = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28"

/** How a client comes to its version. `auto` probes first, `pin` speaks the new protocol only. */
export type Negotiation = "v1" | "v2 legacy" | "v2 pin" | "v2 auto"

export interface Answer {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: Record<string, string | number | boolean | Array<string>>
}
export interface Block {
  readonly type: "text"
  readonly text: string
}
/** What the user, the model and the client answer. Replaced by a test for one step. */
export interface Answers {
  form: (message: string) => Answer | Promise<Answer>
  url: (message: string, url: string) => Answer | Promise<Answer>
  sampling: (prompt: string) => Block | Promise<Block>
  roots: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
}

export type Reply =
  | { readonly kind: "result"; readonly isError: boolean; readonly text: string; readonly structured: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown }
  | { readonly kind: "aborted" }

export interface CallOptions {
  readonly onprogress?: (update: {
    readonly progress: number
    readonly total?: number | undefined
    readonly message?: string | undefined
  }) => void
  readonly signal?: AbortSignal
}

export interface Peer {
  readonly version: string | undefined
  readonly answers: Answers
  /** Questions put to this client, since the last `reset`. */
  readonly asked: { form: number; url: number; sampling: number; roots: number }
  readonly notifications: Array<{ readonly method: string; readonly params: unknown }>
  readonly errors: Array<string>
  readonly reset: () => void
  /** Waits for a notification that has arrived or will. */
  readonly notified: (method: string, count?: number) => Promise<void>
  /** Asks for notifications, where a protocol wants that: `subscriptions/listen`, `resources/subscribe`. */
  readonly subscribe: (uri: string) => Promise<void>
  readonly tools: () => Promise<ReadonlyArray<{ name: string; arguments: ReadonlyArray<string> }>>
  readonly call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<Reply>
  /** One `tools/call` with members that no client sends by itself; the questions are not answered. */
  readonly raw: (params: Record<string, unknown>) => Promise<Reply>
  readonly prompts: () => Promise<ReadonlyArray<string>>
  readonly prompt: (name: string, args?: Record<string, string>) => Promise<Reply>
  readonly complete: (prompt: string, argument: string, value: string) => Promise<ReadonlyArray<string>>
  readonly read: (uri: string) => Promise<Reply>
  readonly resources: () => Promise<{ uris: ReadonlyArray<string>; templates: ReadonlyArray<string> }>
  readonly close: () => Promise<void>
}

export type Target =
  | {
      readonly transport: "stdio"
      readonly protocols: ReadonlyArray<Version>
      /** The server's arguments to node, for a server other than the matrix's own. */
      readonly server?: ReadonlyArray<string>
    }
  | { readonly transport: "http"; readonly url: string }

const root = fileURLToPath(new URL("../../", import.meta.url))
const tsx = (...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: ["--import", "tsx", ...args],
  cwd: root
})
export const serverCommand = (...args: ReadonlyArray<string>) =>
  tsx(fileURLToPath(new URL("server.ts", import.meta.url)), ...args)

const commandOf = (target: Target & { readonly transport: "stdio" }) =>
  target.server === undefined ? serverCommand("stdio", ...target.protocols) : tsx(...target.server)

const declared = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }

type Options = CallOptions | undefined
/** The methods that both official clients have, under one signature. */
interface Wire {
  readonly close: () => Promise<void>
  readonly listTools: () => Promise<{ tools: ReadonlyArray<any> }>
  readonly callTool: (params: { name: string; arguments: Record<string, unknown> }, options: Options) => Promise<any>
  readonly request: (method: "tools/call", params: Record<string, unknown>) => Promise<any>
  readonly getPrompt: (params: { name: string; arguments: Record<string, string> }) => Promise<any>
  readonly listPrompts: () => Promise<{ prompts: ReadonlyArray<any> }>
  readonly complete: (params: {
    ref: { type: "ref/prompt"; name: string }
    argument: { name: string; value: string }
  }) => Promise<{ completion: { values: ReadonlyArray<string> } }>
  readonly readResource: (params: { uri: string }) => Promise<any>
  readonly listResources: () => Promise<{ resources: ReadonlyArray<any> }>
  readonly listResourceTemplates: () => Promise<{ resourceTemplates: ReadonlyArray<any> }>
}

const text = (content: ReadonlyArray<any> | undefined): string =>
  (content ?? []).map((block) => block.text ?? block.resource?.text ?? `<${block.type}>`).join("\n")

const reply = (promise: Promise<any>, options?: CallOptions): Promise<Reply> =>
  promise.then(
    (result): Reply => ({
      kind: "result",
      isError: result.isError === true,
      text: text(result.content ?? result.contents ?? result.messages?.map((message: any) => message.content)),
      structured: result.structuredContent
    }),
    (error): Reply => {
      if (options?.signal?.aborted) return { kind: "aborted" }
      if (typeof error?.code !== "number") throw error
      // the v1 client puts its own words before the server's
      const message = String(error.message).replace(/^MCP error -?\d+: /, "")
      return { kind: "error", code: error.code, message, data: error.data }
    }
  )

const state = () => {
  const asked = { form: 0, url: 0, sampling: 0, roots: 0 }
  const notifications: Array<{ method: string; params: unknown }> = []
  const waiting = new Set<() => void>()
  const defaults = (): Answers => ({
    form: () => ({ action: "accept", content: { confirm: true } }),
    url: () => ({ action: "accept" }),
    sampling: () => ({ type: "text", text: "Dune" }),
    roots: () => ["file:///shop"]
  })
  const answers = defaults()
  return {
    answers,
    asked,
    notifications,
    errors: [] as Array<string>,
    reset: () => {
      Object.assign(asked, { form: 0, url: 0, sampling: 0, roots: 0 })
      Object.assign(answers, defaults())
      notifications.length = 0
    },
    received: (notification: { method: string; params?: unknown }) => {
      notifications.push({ method: notification.method, params: notification.params })
      for (const wake of waiting) wake()
    },
    notified: (method: string, count = 1) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (notifications.filter((notification) => notification.method === method).length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    elicit: async (params: any): Promise<any> => {
      if (params.mode === "url") {
        asked.url++
        return answers.url(params.message, params.url)
      }
      asked.form++
      return answers.form(params.message)
    },
    sample: async (params: any) => {
      asked.sampling++
      const content = params.messages[0].content
      return {
        role: "assistant" as const,
        model: "interop",
        content: await answers.sampling((Array.isArray(content) ? content[0] : content).text)
      }
    },
    roots: async () => {
      asked.roots++
      return { roots: (await answers.roots()).map((uri) => ({ uri })) }
    }
  }
}

const peer = (
  wire: Wire,
  version: string | undefined,
  subscribe: Peer["subscribe"],
  shared: ReturnType<typeof state>
): Peer => ({
  version,
  answers: shared.answers,
  asked: shared.asked,
  notifications: shared.notifications,
  errors: shared.errors,
  reset: shared.reset,
  notified: shared.notified,
  subscribe,
  tools: async () =>
    (await wire.listTools()).tools.map((tool) => ({
      name: tool.name,
      arguments: Object.keys(tool.inputSchema.properties ?? {})
    })),
  call: (name, args = {}, options) => reply(wire.callTool({ name, arguments: args }, options), options),
  raw: (params) => reply(wire.request("tools/call", params)),
  prompts: async () => (await wire.listPrompts()).prompts.map((prompt) => prompt.name),
  prompt: (name, args = {}) => reply(wire.getPrompt({ name, arguments: args })),
  complete: async (name, argument, value) => {
    const ref = { type: "ref/prompt", name } as const
    return (await wire.complete({ ref, argument: { name: argument, value } })).completion.values
  },
  read: (uri) => reply(wire.readResource({ uri })),
  resources: async () => ({
    uris: (await wire.listResources()).resources.map((resource) => resource.uri),
    templates: (await wire.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate)
  }),
  close: wire.close
})

/** An older release of the client differs in the version it offers, and in nothing else that the server sees. */
const offering = <T extends { send(message: JSONRPCMessage, options?: any): Promise<void> }>(
  transport: T,
  version: Version
): T => {
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send(
      "method" in message && message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion: version } }
        : message,
      options
    )
  return transport
}

type Connect = (target: Target, version: Version, capabilities: object, mode: Negotiation) => Promise<Peer>

const connectV1: Connect = async (target, version, capabilities) => {
  const shared = state()
  const client = new ClientV1({ name: "interop-v1", version: "1.0.0" }, { capabilities })
  if ("elicitation" in capabilities)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => shared.elicit(params))
  if ("sampling" in capabilities) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => shared.sample(params))
  }
  if ("roots" in capabilities) client.setRequestHandler(ListRootsRequestSchema, () => shared.roots())
  client.fallbackNotificationHandler = async (notification) => shared.received(notification)
  client.onerror = (error) => shared.errors.push(error.message)
  const transport = offering(
    // its optional members are not typed for exactOptionalPropertyTypes
    (target.transport === "stdio"
      ? new StdioV1({ ...commandOf(target), stderr: "inherit" })
      : new HttpV1(new URL(target.url))) as Parameters<ClientV1["connect"]>[0],
    version
  )
  // this client keeps the version that was agreed on to itself
  let agreed: string | undefined
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => {
    agreed = version
    setProtocolVersion?.(version)
  }
  await client.connect(transport)
  return peer(
    {
      close: () => client.close(),
      listTools: () => client.listTools(),
      callTool: (params, options) => client.callTool(params, undefined, options),
      request: (method, params) => client.request({ method, params: params as { name: string } }, CallToolResultSchema),
      getPrompt: (params) => client.getPrompt(params),
      listPrompts: () => client.listPrompts(),
      complete: (params) => client.complete(params),
      readResource: (params) => client.readResource(params),
      listResources: () => client.listResources(),
      listResourceTemplates: () => client.listResourceTemplates()
    },
    agreed,
    async (uri) => {
      await client.subscribeResource({ uri })
    },
    shared
  )
}

const connectV2: Connect = async (target, version, capabilities, mode) => {
  const shared = state()
  const client = new ClientV2(
    { name: "interop-v2", version: "1.0.0" },
    {
      capabilities,
      ...(mode === "v2 legacy" ? { supportedProtocolVersions: [version] } : {}),
      versionNegotiation: { mode: mode === "v2 pin" ? { pin: version } : mode === "v2 auto" ? "auto" : "legacy" }
    }
  )
  if ("elicitation" in capabilities) {
    client.setRequestHandler("elicitation/create", ({ params }) => shared.elicit(params))
  }
  if ("sampling" in capabilities) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => shared.sample(params))
  }
  if ("roots" in capabilities) client.setRequestHandler("roots/list", () => shared.roots())
  client.fallbackNotificationHandler = async (notification) => shared.received(notification)
  client.onerror = (error) => shared.errors.push(error.message)
  await client.connect(
    target.transport === "stdio"
      ? new StdioV2({ ...commandOf(target), stderr: "inherit" })
      : new HttpV2(new URL(target.url))
  )
  const subscribe: Peer["subscribe"] = async (uri) => {
    if (client.getProtocolEra() === "legacy") return void (await client.subscribeResource({ uri }))
    await client.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uri]
    })
  }
  return peer(
    {
      close: () => client.close(),
      listTools: () => client.listTools(undefined, { cacheMode: "refresh" }),
      callTool: (params, options) => client.callTool(params, options),
      request: (method, params) => client.request({ method, params: params as { name: string } }),
      getPrompt: (params) => client.getPrompt(params),
      listPrompts: () => client.listPrompts(),
      complete: (params) => client.complete(params),
      readResource: (params) => client.readResource(params, { cacheMode: "refresh" }),
      listResources: () => client.listResources(),
      listResourceTemplates: () => client.listResourceTemplates()
    },
    client.getNegotiatedProtocolVersion(),
    subscribe,
    shared
  )
}

/** Connects; `capabilities` is all of them unless given. */
export const connect = (
  mode: Negotiation,
  target: Target,
  version: Version,
  capabilities: object = declared
): Promise<Peer> => (mode === "v1" ? connectV1 : connectV2)(target, version, capabilities, mode)
