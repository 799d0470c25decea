/**
 * Lines of JSON-RPC as they come from a process we do not control. One that is not a message gets its error and takes
 * nothing beside it along.
 */
import { Predicate, Result } from "effect"
import * as Text from "../../base/sentences.ts"
import {
  errorMessage,
  type InputLimits,
  parseErrorCode,
  type Read,
  type Refusal,
  readMessage
} from "../adapter/message.ts"

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

/** The JSON-RPC error of a line that is not taken, as the line to write. */
export const errorLine = (refusal: Refusal): string => `${JSON.stringify(errorMessage(refusal))}\n`

const members = ["jsonrpc", "id", "method", "params", "result", "error"]

const isPlain = (value: unknown) =>
  !Predicate.isReadonlyObject(value) || Object.keys(value).every((key) => members.includes(key))

const onlyMembers = (value: unknown) =>
  Predicate.isReadonlyObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => members.includes(key)))
    : value

/**
 * The message without members that JSON-RPC does not have. effect/rpc speaks JSON-RPC with more of them (`headers`,
 * `chunk`, ..), and one of a wrong shape would stop its reader.
 */
const plain = (value: unknown): unknown => {
  const items = Array.isArray(value) ? value : [value]
  if (items.every(isPlain)) return value
  return Array.isArray(value) ? items.map(onlyMembers) : onlyMembers(value)
}

/** A line as its messages, its JSON, and what to pass on. */
export interface Line extends Read {
  readonly line: string
}

/** Reads a line, or says why it is not taken. `undefined` is one that was too long to keep. */
export const readLine = (line: string | undefined, limits: InputLimits): Result.Result<Line, Refusal> =>
  line === undefined
    ? Result.fail({ code: parseErrorCode, message: Text.lineTooLong, id: null })
    : Result.map(readMessage(line, limits), (read) => {
        const value = plain(read.value)
        return { ...read, value, line: value === read.value ? line : JSON.stringify(value) }
      })
