/**
 * A bookshop on effect/ai alone, without the engine: what the peer is tried against.
 *
 * It asks the way effect/ai offers it: an `InputRequired` on 2026-07-28, the reverse client on older versions.
 */
import { Context, Deferred, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { HttpServerRequest } from "effect/http"

export const form = {
  message: "'Dune' is out of stock. Order anyway?",
  requestedSchema: { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] }
}

export const sampling = {
  messages: [{ role: "user", content: { type: "text", text: "A line for a Dune fan" } }],
  maxTokens: 60
}

type Questions = { readonly [key: string]: { readonly method: string; readonly params?: any } }

const decodeForm = Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)

const askBack = ({ method, params }: Questions[string]) =>
  Effect.gen(function* () {
    const client = yield* (yield* McpSchema.McpServerClient).getClient
    if (method === "elicitation/create") return yield* client.elicit(yield* decodeForm(params))
    if (method === "roots/list") return yield* client.listRoots({})
    return yield* client.createMessage(params)
  }).pipe(
    Effect.scoped,
    Effect.catch((error) => Effect.succeed({ refused: String((error as { readonly message?: string }).message) }))
  )

/** Asks all at once on 2026-07-28, one after another on a back channel. Gives the answers by key. */
const ask = (questions: Questions) =>
  Effect.gen(function* () {
    const back = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (Option.isSome(back)) {
      const answers: { [key: string]: unknown } = {}
      for (const [key, question] of Object.entries(questions)) {
        answers[key] = yield* Effect.provideService(askBack(question), McpSchema.McpServerClient, back.value)
      }
      return answers
    }
    const { inputResponses } = yield* McpSchema.McpRequestContext
    const missing = Object.keys(questions).some((key) => inputResponses?.[key] === undefined)
    return missing
      ? new McpSchema.InputRequired({
          inputRequests: questions as any,
          requestState: `state of ${Object.keys(questions)}`
        })
      : inputResponses!
  })

const text = (text: string, isError = false) =>
  new McpSchema.CallToolResult({ content: [{ type: "text", text }], ...(isError ? { isError } : {}) })

const asking = (questions: Questions) =>
  Effect.map(ask(questions), (answers) =>
    answers instanceof McpSchema.InputRequired ? answers : text(JSON.stringify(answers))
  )

const progress = Effect.gen(function* () {
  const server = yield* McpServer.McpServer
  const { requestMetadata } = yield* McpSchema.McpRequestContext
  const progressToken = requestMetadata?.progressToken as string | undefined
  if (progressToken !== undefined) {
    yield* server.notifications["notifications/progress"]({ progressToken, progress: 1, total: 2 })
    yield* server.notifications["notifications/progress"]({ progressToken, progress: 2, total: 2, message: "packed" })
  }
  return text("packed")
})

/** What a test sees of the server from outside the wire. */
export interface Probe {
  readonly started: Deferred.Deferred<void>
  readonly interrupted: Deferred.Deferred<void>
}

export const probe: Effect.Effect<Probe> = Effect.sync(() => ({
  started: Deferred.makeUnsafe<void>(),
  interrupted: Deferred.makeUnsafe<void>()
}))

const waits = ({ interrupted, started }: Probe) =>
  Deferred.succeed(started, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
  )

let rounds = 0

/** Stands for whatever a test provides around a call: a logger, a tracer, a limit. */
export const Ambient = Context.Reference<string>("test/Ambient", { defaultValue: () => "default" })

const tools = (probe: Probe | undefined) => ({
  echo: (args: unknown) => Effect.succeed(text(JSON.stringify(args))),
  order: () => asking({ confirm: { method: "elicitation/create", params: form } }),
  gift: () =>
    asking({
      confirm: { method: "elicitation/create", params: form },
      note: { method: "sampling/createMessage", params: sampling },
      folder: { method: "roots/list" }
    }),
  sleepy: () => Effect.as(Effect.sleep("1 hour"), text("rested")),
  hashes: () =>
    Effect.promise(async () => {
      const key = await crypto.subtle.importKey("raw", new Uint8Array(16), "PBKDF2", false, ["deriveBits"])
      const how = { name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(16), iterations: 60_000 }
      return crypto.subtle.deriveBits(how, key, 256)
    }).pipe(Effect.andThen(Effect.sleep("1 hour")), Effect.as(text("hashed"))),
  waits: () => (probe === undefined ? Effect.never : waits(probe)),
  progress: () => progress,
  adds: () =>
    Effect.as(
      Effect.flatMap(McpServer.McpServer, (server) =>
        server.addTool({
          tool: new McpSchema.Tool({ name: "added", inputSchema: { type: "object" } }),
          annotations: Context.empty(),
          handle: () => Effect.succeed(text("added"))
        })
      ),
      text("added")
    ),
  touches: () =>
    Effect.as(
      Effect.flatMap(McpServer.McpServer, (server) =>
        server.notifications["notifications/resources/updated"]({ uri: "shop://stock" })
      ),
      text("touched")
    ),
  endless: () =>
    Effect.sync(() => {
      const key = `again ${++rounds}`
      return new McpSchema.InputRequired({
        inputRequests: { [key]: { method: "elicitation/create", params: form } } as any
      })
    }),
  headers: () =>
    Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), (request) =>
      text(JSON.stringify(Option.getOrUndefined(Option.map(request, ({ headers }) => headers)) ?? {}))
    ),
  ambient: () => Effect.map(Ambient, (ambient) => text(ambient)),
  broken: () => Effect.die("secret")
})

/** The registrations of the bookshop, as `layerHttp` and `layerStdio` take them. */
export const bookshop = (probe?: Probe) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      for (const [name, handle] of Object.entries(tools(probe))) {
        yield* server.addTool({
          tool: new McpSchema.Tool({ name, inputSchema: { type: "object" } }),
          annotations: Context.empty(),
          // the handlers stand for any server: what they need is in every request
          handle: (args) => Effect.provideService(handle(args) as Effect.Effect<any>, McpServer.McpServer, server)
        })
      }
      yield* server.addPrompt({
        prompt: new McpSchema.Prompt({ name: "blurb", arguments: [{ name: "title", required: true }] }),
        annotations: Context.empty(),
        completions: {},
        handle: ({ title }) =>
          Effect.gen(function* () {
            const answers = (yield* McpSchema.McpRequestContext).protocolVersion.startsWith("2026")
              ? yield* ask({ confirm: { method: "elicitation/create", params: form } })
              : {}
            if (answers instanceof McpSchema.InputRequired) return answers
            const content = { type: "text", text: `A blurb for ${title}` } as const
            return new McpSchema.GetPromptResult({ messages: [{ role: "user", content }] })
          })
      })
    })
  ).pipe(
    Layer.merge(
      McpServer.resource({
        uri: "shop://stock",
        name: "stock",
        mimeType: "text/plain",
        content: Effect.succeed("3 copies")
      })
    ),
    Layer.merge(
      McpServer.resource`shop://book/${McpSchema.param("title", Schema.String)}`({
        name: "book",
        completion: { title: () => Effect.succeed(["Dune", "Emma"]) },
        content: (_uri, title) => Effect.succeed(`About ${title}`)
      })
    )
  )
