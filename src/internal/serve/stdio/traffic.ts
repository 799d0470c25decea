/**
 * What goes over one pair of standard streams: which requests of the client and which questions of the server are open,
 * and which version the two have agreed on.
 */
import { type Cause, Effect, Predicate, Queue, Result } from "effect"
import * as Text from "../../base/sentences.ts"
import { type InputLimits, invalidRequestCode, type Message, type Refusal } from "../adapter/message.ts"
import { plainErrors } from "../adapter/plainErrors.ts"
import { errorLine, type Line, readLine } from "./lines.ts"

const encoder = new TextEncoder()

type Key = string
const keyOf = (id: string | number): Key => `${typeof id}:${id}`

export interface Traffic {
  readonly input: Queue.Queue<Uint8Array, Cause.Done>
  readonly output: Queue.Queue<string | Uint8Array, Cause.Done>
  /** Requests of the client without an answer. */
  readonly open: Set<Key>
  /** Requests of the server without an answer. */
  readonly questions: Map<Key, string | number>
  /** Holds one value after something was sent. */
  readonly sent: Queue.Queue<void>
  readonly limits: InputLimits
  /** The version of the session, if the client has opened one. */
  version: string | undefined
}

export const makeTraffic = (limits: InputLimits) =>
  Effect.gen(function* () {
    const traffic: Traffic = {
      input: yield* Queue.bounded<Uint8Array, Cause.Done>(16),
      output: yield* Queue.bounded<string | Uint8Array, Cause.Done>(16),
      open: new Set(),
      questions: new Map(),
      sent: yield* Queue.sliding<void>(1),
      limits,
      version: undefined
    }
    return traffic
  })

/** An id that came back as text is still the id: some clients make text of every one. */
const likeOurs = (known: { readonly has: (key: Key) => boolean }, id: string | number): string | number => {
  const other = typeof id === "string" ? Number(id) : String(id)
  return !known.has(keyOf(id)) && known.has(keyOf(other)) ? other : id
}

const withParams = (value: object, params: object) => JSON.stringify({ ...value, params })

/** The line as effect/rpc is to see it, and what it says about what is open. */
const noted = (traffic: Traffic, message: Message, { line, value }: Line): string => {
  if (!Predicate.isReadonlyObject(value)) return line
  if (message._tag === "Response") {
    const id = likeOurs(traffic.questions, message.id)
    traffic.questions.delete(keyOf(id))
    return id === message.id ? line : JSON.stringify({ ...value, id })
  }
  if (message._tag !== "Notification" || message.method !== "notifications/cancelled") return line
  const { params } = message
  if (!Predicate.isReadonlyObject(params)) return line
  const { requestId } = params
  if (typeof requestId !== "string" && typeof requestId !== "number") return line
  const id = likeOurs(traffic.open, requestId)
  // a cancelled request is never answered
  traffic.open.delete(keyOf(id))
  return id === requestId ? line : withParams(value, { ...params, requestId: id })
}

const versionKey = "io.modelcontextprotocol/protocolVersion"

const opensOrVersions = (item: unknown): boolean =>
  Predicate.isReadonlyObject(item) &&
  (item.method === "initialize" ||
    (Predicate.isReadonlyObject(item.params) &&
      Predicate.isReadonlyObject(item.params._meta) &&
      versionKey in item.params._meta))

/** Only one version has batches, and what opens a session or belongs to none cannot come in one. */
const takesBatch = ({ version }: Traffic, value: unknown): boolean =>
  !Array.isArray(value) || (version === "2025-03-26" && !value.some(opensOrVersions))

/** Passes on what is a message, and answers what is none. */
export const receive = (traffic: Traffic, input: string | undefined): Effect.Effect<unknown> => {
  if (input?.trim() === "") return Effect.void
  const read = readLine(input, traffic.limits)
  const refuse = (refusal: Refusal) => Queue.offer(traffic.output, errorLine(refusal))
  if (Result.isFailure(read)) return refuse(read.failure)
  const { messages, value } = read.success
  if (!takesBatch(traffic, value)) return refuse({ code: invalidRequestCode, message: Text.noBatch, id: null })
  if (messages.some((message) => message._tag === "Request" && traffic.open.has(keyOf(message.id)))) {
    // effect/rpc would drop it and stop reading; an answer under that id would be taken for the other's
    return refuse({ code: invalidRequestCode, message: Text.idInUse, id: null })
  }
  let line = read.success.line
  for (const message of messages) {
    if (message._tag === "Request") traffic.open.add(keyOf(message.id))
    else line = noted(traffic, message, { ...read.success, line })
  }
  return Queue.offer(traffic.input, encoder.encode(`${line}\n`))
}

const noteAnswer = (traffic: Traffic, value: unknown): void => {
  if (!Predicate.isReadonlyObject(value)) return
  const { id, method, result } = value
  if (typeof id !== "string" && typeof id !== "number") return
  if (method !== undefined) {
    traffic.questions.set(keyOf(id), id)
    return
  }
  traffic.open.delete(keyOf(id))
  // only the answer to `initialize` says it
  if (Predicate.isReadonlyObject(result) && typeof result.protocolVersion === "string") {
    traffic.version = result.protocolVersion
  }
}

/** Writes what the server has to say. */
export const wroteTo = (traffic: Traffic, chunk: string): Effect.Effect<unknown> => {
  const parsed = Result.getOrUndefined(Result.try((): unknown => JSON.parse(chunk)))
  for (const value of Array.isArray(parsed) ? parsed : [parsed]) noteAnswer(traffic, value)
  Queue.offerUnsafe(traffic.sent, undefined)
  return Queue.offer(traffic.output, plainErrors(chunk))
}
