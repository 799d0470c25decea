/** The commands, what they take, and what they say of themselves. */
import { createRequire } from "node:module"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Layer, Option, Runtime } from "effect"
import { Argument, Command, Flag, Prompt, TerminalCapabilities } from "effect/cli"
import { call } from "./call.ts"
import { check } from "./check.ts"
import { graph } from "./graph.ts"
import * as Text from "./sentences.ts"
import { log, ofCause } from "./serve.ts"
import { report, Trouble, unusable } from "./trouble.ts"

const { version }: { readonly version: string } = createRequire(import.meta.url)("../../package.json")

const module = Argument.String("module").pipe(
  Argument.withDescription(Text.moduleArgument),
  Argument.withFallbackPrompt(
    Prompt.File({ message: Text.whichModule, filter: (file) => /^(?!node_modules$)[^.]+$|\.[cm]?[tj]s$/.test(file) })
  )
)
const exported = Flag.String("export").pipe(
  Flag.withAlias("e"),
  Flag.withDescription(Text.exportFlag),
  Flag.withDefault("registrations")
)
const endpoint = Flag.Boolean("endpoint").pipe(Flag.withDescription(Text.endpointFlag), Flag.withDefault(false))
const headers = Flag.KeyValuePair("header").pipe(Flag.withDescription(Text.headerFlag), Flag.withDefault({}))
const answers = Flag.String("answers").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription(Text.answersFlag),
  Flag.optional
)

/** Says what is wrong, whatever it is, and ends with the code of it. */
const ending = <A, E, R>(command: Effect.Effect<A, E | Trouble, R>) =>
  command.pipe(
    Effect.catchDefect((defect) => Effect.fail(new Trouble({ lines: ofCause(Cause.die(defect)), code: 1 }))),
    Effect.tapError((error) => (error instanceof Trouble ? report(error) : Effect.void))
  )

const graphCommand = Command.make(
  "graph",
  {
    module,
    tool: Argument.String("tool").pipe(Argument.withDescription(Text.graphTool), Argument.optional),
    exported,
    endpoint,
    mermaid: Flag.Boolean("mermaid").pipe(Flag.withDescription(Text.mermaidFlag), Flag.withDefault(false)),
    json: Flag.Boolean("json").pipe(Flag.withDescription(Text.graphJsonFlag), Flag.withDefault(false))
  },
  ({ endpoint, exported, json, mermaid, module, tool }) =>
    ending(
      json && mermaid
        ? Effect.fail(unusable(Text.oneForm))
        : graph({
            module,
            exported,
            endpoint,
            tool: Option.getOrUndefined(tool),
            as: json ? "json" : mermaid ? "mermaid" : "tree"
          })
    )
).pipe(Command.withDescription(Text.graphCommand), Command.withShortDescription(Text.graphShort))

const callCommand = Command.make(
  "call",
  {
    module,
    tool: Argument.String("tool").pipe(Argument.withDescription(Text.callTool), Argument.optional),
    json: Argument.String("json").pipe(Argument.withDescription(Text.callArguments), Argument.optional),
    exported,
    endpoint,
    protocol: Flag.Literals("protocol", ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]).pipe(
      Flag.withAlias("p"),
      Flag.withDescription(Text.protocolFlag),
      Flag.withDefault("2026-07-28")
    ),
    answers,
    model: Flag.String("model").pipe(Flag.withMetavar("text"), Flag.withDescription(Text.modelFlag), Flag.optional),
    roots: Flag.String("root").pipe(Flag.withMetavar("uri"), Flag.withDescription(Text.rootFlag), Flag.between(0, 100)),
    headers,
    without: Flag.Literals("without", ["elicitation", "sampling", "roots"]).pipe(
      Flag.withDescription(Text.withoutFlag),
      Flag.between(0, 3)
    ),
    trace: Flag.Boolean("trace").pipe(Flag.withDescription(Text.traceFlag), Flag.withDefault(false)),
    raw: Flag.Boolean("json").pipe(Flag.withDescription(Text.callJsonFlag), Flag.withDefault(false))
  },
  (options) =>
    ending(
      call({
        ...options,
        tool: Option.getOrUndefined(options.tool),
        json: Option.getOrUndefined(options.json),
        answers: Option.getOrUndefined(options.answers),
        model: Option.getOrUndefined(options.model)
      })
    )
).pipe(
  Command.withDescription(Text.callCommand),
  Command.withShortDescription(Text.callShort),
  Command.withExamples([
    { command: Text.callLine, description: Text.callExample },
    { command: Text.traceLine, description: Text.traceExample }
  ])
)

const checkCommand = Command.make(
  "check",
  {
    module,
    exported,
    endpoint,
    calls: Flag.String("calls").pipe(Flag.withMetavar("file"), Flag.withDescription(Text.callsFlag), Flag.optional),
    answers,
    headers
  },
  ({ answers, calls, endpoint, exported, headers, module }) =>
    ending(
      check({
        module,
        exported,
        endpoint,
        headers,
        calls: Option.getOrUndefined(calls),
        answers: Option.getOrUndefined(answers)
      })
    )
).pipe(Command.withDescription(Text.checkCommand), Command.withShortDescription(Text.checkShort))

const command = Command.make("effect-resolve").pipe(
  Command.withDescription(Text.program),
  Command.withSubcommands([graphCommand, callCommand, checkCommand])
)

// what a module leaves open must not keep the command from ending
const teardown: Runtime.Teardown = (exit) => Runtime.defaultTeardown(exit, (code) => process.exit(code))

Command.run(command, { version }).pipe(
  Effect.provide(Layer.provideMerge(TerminalCapabilities.layer, NodeServices.layer)),
  Effect.provide(log),
  (program) => NodeRuntime.runMain(program, { teardown })
)
