/**
 * Registers with effect/ai by decorating two public things, the `McpServer` service and the handlers, and calling its
 * own registration: it decodes once (I6) and keeps its descriptors, strict mode and error mapping (FINDINGS b2).
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Live from "./live.ts"
import * as Plan from "./plan.ts"
import * as Refusal from "./refusal.ts"
import * as Round from "./round.ts"
import * as Tools from "./tools.ts"

type AddTool = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]
type Result = McpSchema.CallToolResult

// effect/ai's own words for everything that it scrubs; `test/upstream` watches them
const scrubbed = "Tool execution failed due to an internal server error."

const prefixed = (tool: string, message: string) => `Error executing tool ${tool}: ${message}`

const errorResult = (tool: string, message: string): Result =>
  new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: prefixed(tool, message) }] })

/** Results as people expect them (DESIGN.md 9): a prefix on errors, plain text for strings. */
const present = (tool: string, pureString: boolean, result: Result, value: unknown): Result => {
  // a body's own result passes through, so that images, audio, links and resources work
  if (value instanceof McpSchema.CallToolResult) return value
  if (result.isError === true) {
    return new McpSchema.CallToolResult({
      ...result,
      content: result.content.map((block) =>
        block.type === "text"
          ? { ...block, text: prefixed(tool, block.text === scrubbed ? "internal error" : block.text) }
          : block
      )
    })
  }
  const text = result.structuredContent
  if (!Predicate.isString(text)) return result
  return new McpSchema.CallToolResult({
    ...result,
    content: [{ type: "text", text }],
    structuredContent: pureString ? undefined : text
  })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Which arguments are wrong, in our own words: a validator's may say too much (PARITY N-04). */
const argumentProblems = (tool: Tool.Any, payload: unknown): Effect.Effect<string> => {
  const decode = Schema.decodeUnknownEffect(tool.parametersSchema as Schema.Codec<unknown, unknown>)
  const onExcessProperty = Tool.getStrictMode(tool) === true ? "error" : "ignore"
  return Effect.match(decode(payload ?? {}, { errors: "all", onExcessProperty }), {
    onSuccess: () => "the arguments are not valid",
    onFailure: ({ issue }) => {
      const problems = format(issue).issues.map(({ path = [] }) => describe(payload ?? {}, path))
      return Array.from(new Set(problems)).join("; ")
    }
  })
}

const describe = (payload: unknown, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string => {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  if (keys.length === 0) return "the arguments are not valid"
  let value: unknown = payload
  for (const key of keys) {
    if (!Predicate.isObject(value) || !Object.hasOwn(value, key)) return `argument '${keys.join(".")}' is missing`
    value = (value as { readonly [key: PropertyKey]: unknown })[key]
  }
  return `argument '${keys.join(".")}' is not valid`
}

/** Re-encoded arguments, when decoding added something to what was sent; a schema that cannot encode adds nothing. */
const generated = (tool: Tool.Any, sent: unknown) => {
  const encode = Schema.encodeUnknownEffect(tool.parametersSchema as Schema.Codec<unknown, unknown>)
  return (decoded: unknown): Effect.Effect<unknown> =>
    Effect.match(encode(decoded), {
      onFailure: () => undefined,
      onSuccess: (encoded) => (addsTo(encoded, sent ?? {}) ? encoded : undefined)
    })
}

const addsTo = (encoded: unknown, sent: unknown): boolean =>
  Predicate.isObject(encoded) && !Array.isArray(encoded)
    ? !Predicate.isObject(sent) ||
      Object.entries(encoded).some(
        ([key, value]) =>
          value !== undefined && (!Object.hasOwn(sent, key) || addsTo(value, (sent as Record<string, unknown>)[key]))
      )
    : false

const descriptorOf = (tool: Tool.Any, { tool: descriptor }: AddTool): McpSchema.Tool => {
  const type = descriptor.outputSchema?.type
  return type === "string" || type === "null" || (tool.successSchema as unknown) === McpSchema.CallToolResult
    ? new McpSchema.Tool({ ...descriptor, outputSchema: undefined })
    : descriptor
}

const toolRegistration = (
  server: McpServer.McpServer["Service"],
  tool: Tool.Any,
  planned: Tools.Planned,
  registration: AddTool,
  services: Context.Context<never>,
  live: Live.Live
): AddTool => {
  const { name } = tool
  const pureString = registration.tool.outputSchema?.type === "string"
  // a schema without names refuses every name: unknown ones are ignored there as everywhere (DESIGN.md 9)
  const nameless = (tool.parametersSchema as unknown) === Tool.EmptyParams && Tool.getStrictMode(tool) !== true
  const complete = (payload: unknown) => (exit: Exit.Exit<Result, unknown>, round: Round.Round) => {
    if (Exit.isSuccess(exit)) {
      const value = round.ending?._tag === "Value" ? round.ending.value : undefined
      return Effect.succeed(present(name, pureString, exit.value, value))
    }
    return round.started
      ? Effect.failCause(exit.cause as Cause.Cause<unknown>)
      : Effect.map(invalid(tool, payload, exit), (message) => errorResult(name, message))
  }
  return {
    ...registration,
    tool: descriptorOf(tool, registration),
    annotations: live.annotate(registration.annotations),
    services,
    handle: (payload) =>
      Round.run<Result>({
        server,
        plan: planned.plan,
        method: "tools/call",
        target: name,
        arguments: payload,
        handle: ((args) => registration.handle(nameless ? {} : args)) as Round.Options<Result>["handle"], // a toolkit's handler never gives an interim result
        generated: generated(tool, payload),
        complete: complete(payload),
        said: (message) => Effect.succeed(errorResult(name, message))
      }) as ReturnType<AddTool["handle"]> // refusals become the wire's errors in the middleware that rides in `services`
  }
}

const invalid = (
  tool: Tool.Any,
  payload: unknown,
  exit: Exit.Failure<unknown, unknown>
): Effect.Effect<string, unknown> =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof McpSchema.InvalidParams)
    ? argumentProblems(tool, payload)
    : Effect.failCause(exit.cause)

/** Registers the tools of a toolkit; fails before it has touched the server when a graph cannot run. */
export const toolkit = Effect.fnUntraced(function* (toolkit: Toolkit.Any, live: Live.Live) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  const services = Context.merge(context, yield* Refusal.services)
  const planned = new Map<string, { readonly tool: Tool.Any; readonly planned: Tools.Planned }>()
  let handlers = context
  for (const tool of Object.values(toolkit.tools)) {
    const plan = yield* Effect.fromResult(Tools.planOf(tool))
    planned.set(tool.name, { tool, planned: plan })
    const handler = Context.getOrUndefined(context, handlerKey(tool))
    if (handler !== undefined) {
      handlers = Context.add(
        handlers,
        handlerKey(tool),
        Tools.wrap(plan, handler, Plan.overridesOf(plan.plan, context))
      )
    }
  }
  const decorated = McpServer.McpServer.of({
    ...server,
    addTool: (registration) => {
      const { tool, planned: plan } = planned.get(registration.tool.name)!
      return server.addTool(toolRegistration(server, tool, plan, registration, services, live))
    }
  })
  yield* Effect.updateContext(
    McpServer.registerToolkit(toolkit as Toolkit.Toolkit<Record<string, Tool.Any>>),
    (_: Context.Context<never>) => Context.add(handlers, McpServer.McpServer, decorated)
  )
})

const handlerKey = (tool: Tool.Any): Context.Key<never, Tool.Handler<string>> => Context.Service(tool.id)
