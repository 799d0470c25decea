/**
 * Lines of JSON-RPC as they come from a process we do not control. One that is not a message gets its error and takes
 * nothing beside it along (WIRE.md 8).
 */
import { Predicate, Result } from "effect"
import * as Text from "../../base/sentences.ts"

/** Longer than any message a client means to send: what one line may hold in memory. In characters. */
const maxLine = 16 * 1_024 * 1_024

/** Cuts text into lines across chunks. `undefined` stands for a line that was too long to keep. */
export class LineSplitter {
  private readonly decoder = new TextDecoder()
  private rest = ""
  private skipping = false

  push(chunk: Uint8Array): ReadonlyArray<string | undefined> {
    const lines: Array<string | undefined> = []
    const parts = this.decoder.decode(chunk, { stream: true }).split("\n")
    const last = parts.pop() ?? ""
    for (const part of parts) {
      lines.push(this.skipping ? undefined : this.rest + part)
      this.rest = ""
      this.skipping = false
    }
    this.rest = this.skipping ? "" : this.rest + last
    if (this.rest.length > maxLine) {
      this.rest = ""
      this.skipping = true
    }
    return lines
  }

  /** What stood on the last line when the input ended. */
  end(): string {
    const rest = this.rest
    this.rest = ""
    return rest
  }
}

type Id = string | number

/** What a line is to us. */
export type Message =
  | { readonly _tag: "Request"; readonly method: string; readonly id: Id }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Response"; readonly id: Id }
  | { readonly _tag: "Other" }

const isId = (id: unknown): id is Id => typeof id === "string" || typeof id === "number"

const other: Message = { _tag: "Other" }

const classify = (value: unknown): Result.Result<Message, Id | null> => {
  if (!Predicate.isReadonlyObject(value)) return Result.fail(null)
  const { id, method, params } = value
  if (method === undefined) {
    if (value.result === undefined && value.error === undefined) return Result.fail(isId(id) ? id : null)
    return Result.succeed(isId(id) ? { _tag: "Response", id } : other)
  }
  if (typeof method !== "string") return Result.fail(isId(id) ? id : null)
  if (!("id" in value)) return Result.succeed({ _tag: "Notification", method, params })
  return isId(id) ? Result.succeed({ _tag: "Request", method, id }) : Result.fail(null)
}

/** The JSON-RPC error of a line that is not a message. */
export const errorLine = (code: number, message: string, id: Id | null): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`

const members = ["jsonrpc", "id", "method", "params", "result", "error"]

/**
 * The line without members that JSON-RPC does not have. effect/rpc speaks JSON-RPC with more of them (`headers`,
 * `chunk`, ..), and one of a wrong shape would stop its reader.
 */
const plain = (value: unknown, line: string): string => {
  if (Array.isArray(value)) return `[${value.map((item) => plain(item, JSON.stringify(item))).join(",")}]`
  if (!Predicate.isReadonlyObject(value) || Object.keys(value).every((key) => members.includes(key))) return line
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([key]) => members.includes(key))))
}

/** A line as a message and as what to pass on, or the error line to answer it with. A batch is effect/ai's to judge. */
export const readLine = (
  line: string | undefined
): Result.Result<{ readonly message: Message; readonly line: string }, string> => {
  if (line === undefined) return Result.fail(errorLine(-32700, Text.lineTooLong, null))
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed)) return Result.fail(errorLine(-32700, Text.badJson, null))
  const value = parsed.success
  return (Array.isArray(value) ? Result.succeed(other) : classify(value)).pipe(
    Result.map((message) => ({ message, line: plain(value, line) })),
    Result.mapError((id) => errorLine(-32600, Text.noRequest, id))
  )
}
