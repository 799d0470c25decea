/** `check`: all that would trouble somebody, before there is anybody to be troubled. */
import { Clock, Console, Duration, Effect, FileSystem, Schema } from "effect"
import type * as Peer from "../testing/Peer.ts"
import type { JsonRpcError } from "../testing/PeerError.ts"
import * as Answers from "./answers.ts"
import type { Json } from "./field.ts"
import { load } from "./load.ts"
import * as Text from "./sentences.ts"
import { ofCause, scoped, serve } from "./serve.ts"
import * as Strict from "./strict.ts"
import { style } from "./style.ts"
import { failed, say, unusable } from "./trouble.ts"

export interface Options {
  readonly module: string
  readonly exported: string
  readonly endpoint: boolean
  readonly calls: string | undefined
  readonly answers: string | undefined
  readonly headers: { readonly [name: string]: string }
}

type Finding = Strict.Finding

const error = (text: string): Finding => ({ kind: "error", text })

const Args = Schema.Record(Schema.String, Schema.Unknown)
const Calls = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Union([Args, Schema.Array(Args)])))

type Call = readonly [tool: string, args: { readonly [name: string]: unknown }]

const readCalls = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), () => unusable(Text.noFile(file)))
  const calls = yield* Effect.mapError(Schema.decodeUnknownEffect(Calls)(text), () => unusable(Text.noCalls(file)))
  return Object.entries(calls).flatMap(([tool, args]) =>
    (Array.isArray(args) ? args : [args]).map((args): Call => [tool, args])
  )
})

/** Runs at another time of day, so that a question that shows the time shows another one. */
const later = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const ahead = Duration.toMillis("9 minutes")
    const shifted: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + ahead),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n,
      currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + BigInt(ahead) * 1_000_000n)
    })
    return Effect.provideService(effect, Clock.Clock, shifted)
  })

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const ofCall = ([tool, args]: Call) => Text.ofCall(tool, JSON.stringify(args))

/** The questions of one call, each round of it run twice as a client may make it run: they must not differ. */
const rehearse = Effect.fnUntraced(function* (peer: Peer.Peer, [tool, args]: Call, answers: Answers.Answers) {
  const found: Array<Finding> = []
  const wrong = (text: string) => found.push(error(`${ofCall([tool, args])}: ${text}`))
  let round = yield* peer.callToolOnce(tool, args)
  for (let count = 0; count < 10 && round._tag === "InputRequired"; count++) {
    const asked = round.inputRequests
    const again = yield* later(peer.retry(round, { inputResponses: {} }))
    const repeated = again._tag === "InputRequired" ? again.inputRequests : {}
    const moved = Object.keys(asked).filter((key) => !same(asked[key], repeated[key]))
    for (const key of moved) {
      wrong(Text.moved(key, asked[key]?.params?.message, repeated[key]?.params?.message))
    }
    if (moved.length > 0) return found
    const given = Object.keys(asked).flatMap((key) => {
      const answer = answers.take(key)
      return answer === undefined ? [] : [[key, answer] as const]
    })
    if (given.length < Object.keys(asked).length) return found
    round = yield* peer.retry(round, { inputResponses: Object.fromEntries(given) })
  }
  if (round._tag === "Complete" && round.value.isError) wrong(round.value.text)
  return found
})

/** A finding for whatever ends an inspection early. */
const caught = <R>(about: string, inspection: Effect.Effect<ReadonlyArray<Finding>, JsonRpcError, R>) =>
  inspection.pipe(
    Effect.catch(({ code, message }) => Effect.succeed([error(`${about}: ${Text.refused(code, message)}`)])),
    Effect.catchCause((cause) => Effect.succeed(ofCause(cause).map((text) => error(`${about}: ${text}`))))
  )

/** Everything that a client of this protocol is shown. */
const listed = Effect.fnUntraced(function* (peer: Peer.Peer) {
  const { capabilities } = yield* peer.discover
  const tools: ReadonlyArray<Json> = "tools" in capabilities ? yield* peer.listTools : []
  const prompts = "prompts" in capabilities ? yield* peer.listPrompts : []
  const resources =
    "resources" in capabilities ? [...(yield* peer.listResources), ...(yield* peer.listResourceTemplates)] : []
  return { tools, count: tools.length + prompts.length + resources.length }
})

export const check = Effect.fnUntraced(function* (options: Options) {
  const loaded = yield* load(options.module, options.exported)
  const calls = options.calls === undefined ? [] : yield* readCalls(options.calls)
  const answers = options.answers === undefined ? Answers.none : yield* Answers.read(options.answers)
  const served = yield* serve(loaded, options.endpoint)
  const { headers } = options
  const newest = yield* served.connect({ headers })
  const older = yield* served.connect({ protocol: "2025-11-25", headers })
  let count = 0
  const lists = yield* Effect.forEach([newest, older], (peer) =>
    caught(
      loaded.name,
      Effect.map(listed(peer), (lists) => {
        count = lists.count
        return lists.tools.flatMap(Strict.ofTool)
      })
    )
  )
  const rehearsed = yield* Effect.forEach(calls, (call) => caught(ofCall(call), rehearse(newest, call, answers)))
  const found = [...lists.flat(), ...rehearsed.flat()]
  const each = found.filter(({ text }, index) => found.findIndex((one) => one.text === text) === index)
  const paint = yield* style
  for (const { kind, text } of each) yield* Console.log(say(kind, text, paint))
  const errors = each.filter(({ kind }) => kind === "error").length
  yield* Console.log(
    errors === 0 ? paint.green(Text.nothingWrong(loaded.name, count)) : paint.red(Text.wrong(loaded.name, errors))
  )
  if (errors > 0) return yield* failed
}, scoped)
