/**
 * Registers with effect/ai by decorating its `McpServer` service and calling its own registration, which makes the
 * descriptors; they name no resolver (I7). What a call does is ours from its arguments to its result.
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { PreventSchedulerYield } from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"
import { CurrentSealObserver } from "../base/wire.ts"
import { CurrentPlanObserver } from "../graph/observer.ts"
import * as Plan from "../graph/plan.ts"
import { RequestState } from "../state/requestState.ts"
import * as Codec from "./codec.ts"
import * as Descriptor from "./descriptor.ts"
import * as Live from "./live.ts"
import * as Names from "./names.ts"
import * as Notices from "./notices.ts"
import * as Refusal from "./refusal.ts"
import * as Round from "./round.ts"
import * as Tools from "./tools.ts"

/** Whether the fields of a tool's declared failures ride in `_meta` (`Resolve.FailureFields`). */
export const FailureFields = Context.Reference<boolean>("effect-resolve/FailureFields", { defaultValue: () => false })

const failureKey = "effect-resolve/failure"

type AddTool = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]
type Result = McpSchema.CallToolResult

const textBlock = (text: string) => ({ type: "text" as const, text })

/** Every tool's error begins alike (its own name, so that a model that called several can tell them apart). */
const errorResult = (tool: string, message: string): Result =>
  new McpSchema.CallToolResult({ isError: true, content: [textBlock(Text.inTool(tool, message))] })

/** A result as people and programs read it: a text is plain, everything else is its JSON, as text and as structure. */
const resultOf = (pureString: boolean, encoded: Schema.Json | undefined): Result =>
  new McpSchema.CallToolResult({
    isError: false,
    content: encoded === undefined ? [] : [textBlock(Predicate.isString(encoded) ? encoded : JSON.stringify(encoded))],
    structuredContent: pureString ? undefined : encoded
  })

/**
 * A declared failure says its message, or its JSON where it has none. Where the tool says so its JSON rides along for
 * programs: not as structured content, which is checked against the schema of a success.
 */
const failureOf = (tool: Tool.Any, error: unknown, encoded: Schema.Json | undefined): Result => {
  const own = error instanceof Error && error.message !== "" ? error.message : undefined
  const text = own ?? (encoded === undefined ? Text.internalInTool : JSON.stringify(encoded))
  const result = errorResult(tool.name, text)
  return encoded !== undefined && Context.get(tool.annotations, FailureFields)
    ? new McpSchema.CallToolResult({ ...result, _meta: { [failureKey]: encoded } })
    : result
}

const encoderOf =
  (tool: Tool.Any, pureString: boolean) =>
  (value: unknown): Effect.Effect<Result, unknown> =>
    Effect.map(Tools.encodable(tool, value), (encoded) =>
      // a body's own result passes through, so that images, audio, links and resources work
      value instanceof McpSchema.CallToolResult ? value : resultOf(pureString, encoded as Schema.Json | undefined)
    )

const toolRegistration = (
  server: McpServer.McpServer["Service"],
  tool: Tool.Any,
  registration: AddTool,
  services: Context.Context<never>,
  live: Live.Live,
  { planned, handler, overrides }: Prepared
): AddTool => {
  const { name } = tool
  const codec = Codec.argumentsCodec(tool)
  const result = Codec.resultCodec(tool)
  const encode = encoderOf(tool, registration.tool.outputSchema?.type === "string")
  const body = Tools.bodyOf(handler)
  const said = (message: string) => Effect.succeed(errorResult(name, message))
  const surface = (payload: unknown): Round.Surface<Result> => ({
    server,
    method: "tools/call",
    target: name,
    arguments: payload,
    planned,
    overrides,
    decode: codec.decode,
    generated: Codec.rearguments(codec, payload),
    body: (args) => body(args, Tools.noPreliminary),
    encode,
    declared: (error) =>
      result.isFailure(error)
        ? Effect.map(result.encodeFailure(error), (encoded) => failureOf(tool, error, encoded))
        : undefined,
    said,
    invalid: said,
    broken: said(Text.internalInTool)
  })
  return {
    ...registration,
    tool: Descriptor.describe(tool, registration.tool),
    annotations: live.annotate(registration.annotations),
    services,
    handle: (payload) => Round.run(surface(payload)) as Effect.Effect<any, any> // refusals become the wire's errors in the middleware that rides in `services`
  }
}

interface Prepared {
  readonly planned: Tools.Planned
  readonly handler: Tool.Handler<string>
  readonly overrides: ReturnType<typeof Plan.overridesOf>
}

/**
 * Plans the tools of a toolkit, and gives what registers them, now or while the server runs, in whatever request it
 * is run: an Effect that fails only when a name is taken. Fails before it has touched the server when a graph cannot run.
 */
export const prepare = Effect.fnUntraced(function* (toolkit: Toolkit.Any) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  Context.get(context, CurrentSealObserver)?.(Context.get(context, RequestState).configured)
  const services = Context.merge(context, yield* Refusal.services)
  const prepared = new Map<string, Prepared>()
  for (const tool of Object.values(toolkit.tools)) {
    const planned = yield* Effect.fromResult(Tools.planOf(tool))
    yield* Effect.fromResult(Descriptor.check(tool))
    const handler = Context.getOrUndefined(context, planned.handler)
    Context.get(context, CurrentPlanObserver)?.({ ...planned, handled: handler !== undefined })
    if (handler !== undefined) {
      prepared.set(tool.name, { planned, handler, overrides: Plan.overridesOf(planned.plan, context) })
    }
  }
  Names.guard(server)
  const free = Effect.forEach(Object.keys(toolkit.tools), (name) => Names.free(server, "Tool", name), { discard: true })
  return (live: Live.Live): Effect.Effect<void, Plan.InvalidSignature> => {
    const decorated = McpServer.McpServer.of({
      ...server,
      addTool: (registration) => {
        const tool = toolkit.tools[registration.tool.name]!
        const known = prepared.get(tool.name)
        // the types ask for it; a program without them would be told of nothing by effect/ai
        if (known === undefined) return Effect.die(new Error(Text.noHandler(tool.name)))
        return server.addTool(toolRegistration(server, tool, registration, services, live, known))
      }
    })
    const own = Context.add(Context.add(context, McpServer.McpServer, decorated), PreventSchedulerYield, true)
    const register = McpServer.registerToolkit(
      toolkit as Toolkit.Toolkit<Record<string, Tool.Any>>
    ) as Effect.Effect<void> // what it needs is in `own`
    const checked: Effect.Effect<void, Plan.InvalidSignature> = Effect.andThen(free, register)
    // not in the context of the request in which it may be run, which effect/ai would keep
    const add = Effect.updateContext(checked, (_: Context.Context<never>) => own)
    return announced(server, add)
  }
})

/**
 * Clients are told once, however many tools there are. In a request effect/ai waits until a change is delivered, so that
 * each tool would be a change of its own: one that is on its way stands for all that are added in the same breath.
 */
const announced = <E>(server: McpServer.McpServer["Service"], add: Effect.Effect<void, E>): Effect.Effect<void, E> =>
  Effect.withFiber((fiber) =>
    Context.getOrUndefined(fiber.context, McpSchema.McpRequestContext) === undefined
      ? add
      : Effect.flatMap(
          Effect.forkChild(server.notifications["notifications/tools/list_changed"]({}), { startImmediately: true }),
          (told) => Effect.andThen(add, Fiber.join(told))
        )
  )

/** A toolkit that stays as long as its scope. */
export const standing = Effect.fnUntraced(function* (toolkit: Toolkit.Any) {
  const live = Live.make(yield* McpServer.McpServer, "tools")
  const register = yield* prepare(toolkit)
  yield* register(live)
  yield* Effect.addFinalizer(() => live.retire)
})

/** A toolkit that comes and goes; each time it comes it is another registration. */
export const switched = Effect.fnUntraced(function* (toolkit: Toolkit.Any) {
  const server = yield* McpServer.McpServer
  const context = yield* Effect.context<never>()
  const register = yield* prepare(toolkit)
  const passed = <E>(change: Effect.Effect<void, E>) => Notices.pass(context, { _tag: "ToolsChanged" }, change)
  let live: Live.Live | undefined
  return {
    add: Effect.suspend(() => {
      if (live?.intact() === true) return Effect.void
      live = Live.make(server, "tools")
      return passed(register(live))
    }),
    remove: Effect.suspend(() => (live === undefined || live.isRetired() ? Effect.void : passed(live.retire)))
  }
})
