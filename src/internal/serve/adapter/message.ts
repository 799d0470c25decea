/**
 * One bounded look at what a client sent, before anything decodes it: how deep it is nested, how many messages it holds,
 * and whether each of them is one. Both transports look through here, so that no text costs more than one pass over it.
 */
import { Predicate, Result } from "effect"
import * as Text from "../../base/sentences.ts"

type Id = string | number

/** How much of anything one message may hold. */
export interface InputLimits {
  /** Levels of nesting. */
  readonly maxDepth: number
  /** Messages in one batch. */
  readonly maxBatch: number
  /** Entries of `inputResponses`. */
  readonly maxAnswers: number
}

/** The options that set them, each with its default. */
export type InputOptions = { readonly [limit in keyof InputLimits]?: InputLimits[limit] | undefined }

export const inputLimits = ({ maxAnswers, maxBatch, maxDepth }: InputOptions): InputLimits => ({
  maxDepth: maxDepth ?? 200,
  maxBatch: maxBatch ?? 100,
  maxAnswers: maxAnswers ?? 1_000
})

/** Why something is not taken, as a JSON-RPC error with the id of the request where there is one. */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly id: Id | null
}

export const parseErrorCode = -32700
export const invalidRequestCode = -32600
export const invalidParamsCode = -32602

export const errorMessage = ({ code, id, message }: Refusal) => ({ jsonrpc: "2.0", id, error: { code, message } })

/** What a message is to us. */
export type Message =
  | { readonly _tag: "Request"; readonly method: string; readonly id: Id }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Response"; readonly id: Id }
  | { readonly _tag: "Other" }

/** A text that may be passed on. `value` is its JSON; a batch has several messages. */
export interface Read {
  readonly value: unknown
  readonly messages: ReadonlyArray<Message>
}

const quote = 0x22
const backslash = 0x5c

// anchored and bounded: a long text is looked at once, wherever it is
const idAfterKey = /\s*:\s*("(?:[^"\\]|\\.){0,1000}"|-?\d[\d.eE+-]{0,30})/y

const idAt = (text: string, index: number): Id | null => {
  idAfterKey.lastIndex = index
  const found = idAfterKey.exec(text)?.[1]
  const parsed = found === undefined ? null : Result.getOrNull(Result.try((): unknown => JSON.parse(found)))
  return isId(parsed) ? parsed : null
}

interface Nesting {
  readonly deep: boolean
  /** The id of the request, read without a parser. */
  readonly id: Id | null
}

/** Without a parser: a text of brackets alone costs a parser half a second for each megabyte. */
const nesting = (text: string, maxDepth: number): Nesting => {
  let depth = 0
  let deep = false
  let id: Id | null = null
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const start = at + 1
      for (at = start; at < text.length && text.charCodeAt(at) !== quote; at++) {
        if (text.charCodeAt(at) === backslash) at++
      }
      if (depth === 1 && at - start === 2 && text.startsWith("id", start)) id ??= idAt(text, at + 1)
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) deep = true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return { deep, id }
}

/** A number that JSON cannot give back as it came would be answered under another id. */
const isId = (id: unknown): id is Id =>
  typeof id === "string" ||
  (typeof id === "number" && (Number.isSafeInteger(id) || (Number.isFinite(id) && !Number.isInteger(id))))

const other: Message = { _tag: "Other" }

const invalid = (message: string, id: Id | null = null): Result.Result<never, Refusal> =>
  Result.fail({ code: invalidRequestCode, message, id })

const answerCount = (params: unknown): number =>
  Predicate.isReadonlyObject(params) && Predicate.isReadonlyObject(params.inputResponses)
    ? Object.keys(params.inputResponses).length
    : 0

const classify = (value: unknown, { maxAnswers }: InputLimits): Result.Result<Message, Refusal> => {
  if (!Predicate.isReadonlyObject(value)) return invalid(Text.noRequest)
  const { id, method, params } = value
  const known = isId(id) ? id : null
  if (method === undefined) {
    if (value.result === undefined && value.error === undefined) return invalid(Text.noRequest, known)
    return Result.succeed(isId(id) ? { _tag: "Response", id } : other)
  }
  if (typeof method !== "string") return invalid(Text.noRequest, known)
  const answers = answerCount(params)
  if (answers > maxAnswers) {
    return Result.fail({ code: invalidParamsCode, message: Text.tooManyAnswers(answers, maxAnswers), id: known })
  }
  if (!("id" in value)) return Result.succeed({ _tag: "Notification", method, params })
  return isId(id) ? Result.succeed({ _tag: "Request", method, id }) : invalid(Text.badId)
}

const batch = (items: ReadonlyArray<unknown>, limits: InputLimits): Result.Result<ReadonlyArray<Message>, Refusal> => {
  if (items.length === 0) return invalid(Text.emptyBatch)
  if (items.length > limits.maxBatch) return invalid(Text.batchTooLong(items.length, limits.maxBatch))
  const messages: Array<Message> = []
  const ids = new Set<Id>()
  for (const item of items) {
    const message = classify(item, limits)
    // one answer for all: what is no message has no id to be told apart by
    if (Result.isFailure(message)) return invalid(message.failure.message)
    if (message.success._tag === "Request") {
      if (ids.has(message.success.id)) return invalid(Text.idTwice)
      ids.add(message.success.id)
    }
    messages.push(message.success)
  }
  return Result.succeed(messages)
}

/** Looks at one message or batch. What comes of it is safe to decode. */
export const readMessage = (text: string, limits: InputLimits): Result.Result<Read, Refusal> => {
  const { deep, id } = nesting(text, limits.maxDepth)
  if (deep) return invalid(Text.nestedTooDeep(limits.maxDepth), id)
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return Result.fail({ code: parseErrorCode, message: Text.badJson, id: null })
  const value = parsed.success
  const messages = Array.isArray(value)
    ? batch(value, limits)
    : Result.map(classify(value, limits), (message) => [message])
  return Result.map(messages, (messages) => ({ value, messages }))
}
