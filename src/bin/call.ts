/** `call`: one tool, run here, by a client that speaks a real protocol and has somebody at its keyboard. */
import { Console, Deferred, Effect, Result, Schema, Semaphore, Terminal, Tracer } from "effect"
import { Prompt, TerminalCapabilities } from "effect/cli"
import * as Answer from "../testing/Answer.ts"
import * as Peer from "../testing/Peer.ts"
import type { JsonRpcError } from "../testing/PeerError.ts"
import * as Answers from "./answers.ts"
import * as Field from "./field.ts"
import * as Keyboard from "./keyboard.ts"
import { load } from "./load.ts"
import * as Text from "./sentences.ts"
import { scoped, serve } from "./serve.ts"
import { style } from "./style.ts"
import * as Trace from "./trace.ts"
import { failed, say, Trouble, unusable } from "./trouble.ts"

export interface Options {
  readonly module: string
  readonly exported: string
  readonly endpoint: boolean
  readonly tool: string | undefined
  readonly json: string | undefined
  readonly protocol: Peer.ProtocolVersion
  readonly answers: string | undefined
  readonly model: string | undefined
  readonly roots: ReadonlyArray<string>
  readonly headers: { readonly [name: string]: string }
  readonly without: ReadonlyArray<string>
  readonly trace: boolean
  readonly raw: boolean
}

interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Field.Json
}

const canPrompt = Effect.map(TerminalCapabilities.TerminalCapabilities, (terminal) => terminal.canPrompt)

const choose = Effect.fnUntraced(function* (tools: ReadonlyArray<ListedTool>, name: string | undefined) {
  const [first] = tools
  const names = tools.map((tool) => tool.name)
  if (first === undefined) return yield* unusable(Text.noTools)
  if (name !== undefined) return tools.find((tool) => tool.name === name) ?? (yield* unusable(Text.noTool(name, names)))
  if (tools.length === 1) return first
  if (!(yield* canPrompt)) return yield* unusable(Text.whichTool(names))
  const choices = tools.map((tool) => ({
    title: tool.name,
    value: tool,
    ...(tool.description === undefined ? {} : { description: tool.description })
  }))
  return yield* Prompt.run(Prompt.Select({ message: Text.callWhich, choices }))
})

const Given = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** The arguments as given, and those that are missing as somebody types them. */
const argumentsOf = Effect.fnUntraced(function* ({ inputSchema }: ListedTool, json: string | undefined) {
  const given = json === undefined ? {} : Result.getOrUndefined(Schema.decodeUnknownResult(Given)(json))
  if (given === undefined) return yield* unusable(Text.noArguments)
  const wanted: ReadonlyArray<string> = inputSchema.required ?? []
  const missing = wanted.filter((name) => !Object.hasOwn(given, name))
  if (json !== undefined && missing.length === 0) return given
  if (!(yield* canPrompt)) return missing.length === 0 ? given : yield* unusable(Text.missingArguments(missing))
  // who gave none at all is asked for the optional ones as well
  const asked = yield* Field.askAll(
    inputSchema,
    (name, required) => !Object.hasOwn(given, name) && (required || json === undefined)
  )
  return { ...given, ...asked }
})

const show = (answer: Answer.Answer): string => (answer._tag === "Result" ? JSON.stringify(answer.result) : answer._tag)

/** Whatever answers: what was told beforehand, else the keyboard, one question at a time. */
const answering = Effect.fnUntraced(function* (options: Options, answers: Answers.Answers, tracing: Trace.Tracing) {
  const context = yield* Effect.context<Prompt.Environment>()
  const stopped = yield* Deferred.make<never, Trouble | Terminal.QuitError>()
  const turn = yield* Semaphore.make(1)
  const stop = (error: Trouble | Terminal.QuitError) => Effect.andThen(Deferred.fail(stopped, error), Effect.never)
  const told = ({ key = "", method }: Answer.Question): Answer.Answer | undefined => {
    if (method === "sampling/createMessage" && options.model !== undefined) return Answer.sampled(options.model)
    if (method === "roots/list" && options.roots.length > 0) return Answer.roots(options.roots)
    return answers.take(key)
  }
  const answer = (question: Answer.Question): Effect.Effect<Answer.Answer> =>
    Effect.suspend(() => {
      const known = told(question)
      if (known !== undefined) {
        return options.raw ? Effect.succeed(known) : Effect.as(Keyboard.show(question, show(known)), known)
      }
      return Effect.flatMap(canPrompt, (can) =>
        can
          ? Effect.catch(Effect.provideContext(Keyboard.ask(question), context), stop)
          : stop(unusable(Text.nobodyAnswers(question.key ?? question.method, question.message)))
      )
    }).pipe((answer) => tracing.waiting(Text.answerOf(question.key ?? question.method), answer), turn.withPermits(1))
  return { answer, stopped: Deferred.await(stopped) }
})

const block = (content: any): string => {
  switch (content.type) {
    case "text":
      return content.text
    case "image":
    case "audio":
      return Text.binary(content.type, content.mimeType)
    case "resource_link":
      return content.uri
    default:
      return JSON.stringify(content.resource ?? content, undefined, 2)
  }
}

const print = Effect.fnUntraced(function* (
  { content, isError, raw, structuredContent }: Peer.ToolResult,
  json: boolean
) {
  const { bold, red } = yield* style
  if (json) return yield* Console.log(JSON.stringify(raw, undefined, 2))
  const text = content.map(block).join("\n")
  const shown = text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent, undefined, 2) : text
  yield* Console.log(isError ? red(shown) : bold(shown))
})

const refused = ({ code, data, message }: JsonRpcError) =>
  new Trouble({ lines: [Text.refused(code, message), ...(data === undefined ? [] : [JSON.stringify(data)])], code: 1 })

export const call = Effect.fnUntraced(function* (options: Options) {
  const loaded = yield* load(options.module, options.exported)
  const answers = options.answers === undefined ? Answers.none : yield* Answers.read(options.answers)
  const tracing = Trace.make()
  const { answer, stopped } = yield* answering(options, answers, tracing)
  const capabilities = Object.fromEntries(
    Object.entries(Peer.allCapabilities(options.protocol)).filter(([name]) => !options.without.includes(name))
  )
  const served = yield* serve(loaded, options.endpoint)
  const peer = yield* served.connect({
    protocol: options.protocol,
    capabilities,
    headers: options.headers,
    answers: answer,
    maxRounds: 100
  })
  const tool = yield* choose(yield* Effect.mapError(peer.listTools, refused), options.tool)
  const args = yield* argumentsOf(tool, options.json)
  const { cyan, dim } = yield* style
  if (!options.raw) yield* Console.log([cyan(tool.name), JSON.stringify(args), dim(options.protocol)].join(" "))
  const calling = Effect.mapError(peer.callTool(tool.name, args), refused)
  const traced = options.trace ? Effect.provideService(calling, Tracer.Tracer, tracing.tracer) : calling
  const exit = yield* Effect.exit(Effect.raceFirst(traced, stopped))
  if (options.trace) {
    const terminal = yield* Terminal.Terminal
    const drawn = tracing.render((yield* terminal.columns) || 80, yield* style)
    yield* options.raw ? Console.error(drawn) : Console.log(`\n${drawn}\n`)
  }
  const result = yield* exit
  yield* print(result, options.raw)
  const unused = answers.unused()
  if (unused.length > 0) yield* Console.error(say("hint", Text.unusedAnswers(unused), yield* style))
  if (result.isError) return yield* failed
}, scoped)
