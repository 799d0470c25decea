/**
 * How a test learns that a call was refused, and how it learns that the test itself, or the server, is wrong.
 *
 * The first is a typed failure of the call; the second is a defect, because no test wants to handle it.
 *
 * @since 0.1.0
 */
import { Data } from "effect"

/**
 * The JSON-RPC error that ended a call, as data.
 *
 * **Details**
 *
 * `httpStatus` is the status of the HTTP reply, undefined on stdio. `origin` is `"peer"` for a call that the peer gave
 * up itself, on 2026-07-28, because a scripted answer was an error, which that protocol has no message for: nothing of it was on the wire.
 *
 * @category errors
 * @since 0.1.0
 */
export class JsonRpcError extends Data.TaggedError("JsonRpcError")<{
  readonly method: string
  readonly code: number
  readonly message: string
  readonly data: unknown
  readonly httpStatus: number | undefined
  readonly origin: "server" | "peer"
}> {}

/**
 * The defect with which the peer fails a test: an answer nobody asked for, a question without an answer, the round cap,
 * or a server that breaks the protocol. Its message says which, and what to do.
 *
 * @category errors
 * @since 0.1.0
 */
export class PeerFailure extends Data.TaggedError("PeerFailure")<{ readonly message: string }> {}
