/**
 * Registers with effect/ai by decorating two public things, the `McpServer` service and the handlers, and calling its
 * own registration: it decodes once (I6), keeps its descriptors, which name no resolver (I7), its strict mode and error
 * mapping (FINDINGS b2).
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { PreventSchedulerYield } from "effect/Scheduler"
import { RequestState } from "../../RequestState.ts"
import * as Text from "../base/sentences.ts"
import { CurrentSealObserver } from "../base/wire.ts"
import { CurrentPlanObserver } from "../graph/observer.ts"
import * as Plan from "../graph/plan.ts"
import * as Arguments from "./arguments.ts"
import type * as Live from "./live.ts"
import * as Refusal from "./refusal.ts"
import * as Round from "./round.ts"
import * as Tools from "./tools.ts"

type AddTool = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]
type Result = McpSchema.CallToolResult

// effect/ai's own words for everything that it scrubs; `test/upstream` watches them
const scrubbed = "Tool execution failed due to an internal server error."

const errorResult = (tool: string, message: string): Result =>
  new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: Text.inTool(tool, message) }] })

/** Results as people expect them (DESIGN.md 9): a prefix on errors, plain text for strings. */
const present = (tool: string, pureString: boolean, result: Result, value: unknown): Result => {
  // a body's own result passes through, so that images, audio, links and resources work
  if (value instanceof McpSchema.CallToolResult) return value
  if (result.isError === true) {
    return new McpSchema.CallToolResult({
      ...result,
      content: result.content.map((block) =>
        block.type === "text"
          ? { ...block, text: Text.inTool(tool, block.text === scrubbed ? Text.internalInTool : block.text) }
          : block
      )
    })
  }
  const text = result.structuredContent
  if (!Predicate.isString(text)) return result
  // effect/ai has made it for this call alone, and checked it: a new one would be checked again, in every call
  return Object.assign(result, {
    content: [{ type: "text", text }],
    structuredContent: pureString ? undefined : text
  })
}

const descriptorOf = (tool: Tool.Any, { tool: descriptor }: AddTool): McpSchema.Tool => {
  const type = descriptor.outputSchema?.type
  return type === "string" || type === "null" || (tool.successSchema as unknown) === McpSchema.CallToolResult
    ? new McpSchema.Tool({ ...descriptor, outputSchema: undefined })
    : descriptor
}

const toolRegistration = (
  server: McpServer.McpServer["Service"],
  tool: Tool.Any,
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
        method: "tools/call",
        target: name,
        arguments: payload,
        handle: ((args) => registration.handle(nameless ? {} : args)) as Round.Options<Result>["handle"], // a toolkit's handler never gives an interim result
        generated: Arguments.generated(tool.parametersSchema, payload),
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
    ? Arguments.problems(tool.parametersSchema, payload, Tool.getStrictMode(tool) === true ? "error" : "ignore")
    : Effect.failCause(exit.cause)

/**
 * Plans the tools of a toolkit, and gives what registers them, now or while the server runs: an Effect that cannot fail,
 * in whatever request it is run. Fails before it has touched the server when a graph cannot run.
 */
export const prepare = Effect.fnUntraced(function* (toolkit: Toolkit.Any) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  Context.get(context, CurrentSealObserver)?.(Context.get(context, RequestState).configured)
  const services = Context.merge(context, yield* Refusal.services)
  let handlers = context
  for (const tool of Object.values(toolkit.tools)) {
    const plan = yield* Effect.fromResult(Tools.planOf(tool))
    const handler = Context.getOrUndefined(context, plan.handler)
    Context.get(context, CurrentPlanObserver)?.({ ...plan, handled: handler !== undefined })
    if (handler !== undefined) {
      handlers = Context.add(handlers, plan.handler, Tools.wrap(plan, handler, Plan.overridesOf(plan.plan, context)))
    }
  }
  return (live: Live.Live): Effect.Effect<void> => {
    const decorated = McpServer.McpServer.of({
      ...server,
      addTool: (registration) => {
        const tool = toolkit.tools[registration.tool.name]!
        return server.addTool(toolRegistration(server, tool, registration, services, live))
      }
    })
    const context = Context.add(Context.add(handlers, McpServer.McpServer, decorated), PreventSchedulerYield, true)
    const register = McpServer.registerToolkit(toolkit as Toolkit.Toolkit<Record<string, Tool.Any>>)
    // not in the context of the request in which it may be run, which effect/ai would keep
    const add = Effect.updateContext(register as Effect.Effect<void>, (_: Context.Context<never>) => context)
    return announced(server, add)
  }
})

/**
 * Clients are told once, however many tools there are. In a request effect/ai waits until a change is delivered, so that
 * each tool would be a change of its own: one that is on its way stands for all that are added in the same breath.
 */
const announced = (server: McpServer.McpServer["Service"], add: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    Context.getOrUndefined(fiber.context, McpSchema.McpRequestContext) === undefined
      ? add
      : Effect.flatMap(
          Effect.forkChild(server.notifications["notifications/tools/list_changed"]({}), { startImmediately: true }),
          (told) => Effect.andThen(add, Fiber.join(told))
        )
  )
