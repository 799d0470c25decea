/**
 * What a request to the endpoint must pass before effect/ai sees it: a host name we answer to, an origin we know, and a
 * body that is small, complete in time, and a message.
 */
import { type ByteSize, type Duration, Effect, Fiber, Result, type Scope } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Text from "../../base/sentences.ts"
import { errorMessage, type InputLimits, type Read, readMessage } from "../adapter/message.ts"
import { plainErrors } from "../adapter/plainErrors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export interface Limits {
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly maxBodySize: ByteSize.ByteSize
  readonly bodyTimeout: Duration.Duration
  readonly input: InputLimits
  /** Open sessions, and the streams of one on which a client hears of changes. */
  readonly maxSessions: number
  readonly maxStreams: number
  /** What one connection may leave unread, in characters. */
  readonly maxUnread: number
}

const decoder = new TextDecoder()

const invalidRequest = -32600

/** A refusal that a client can read, and that ends the connection where the rest of the body may still be on its way. */
export const refuse = (status: number, message: string, headers: { readonly [name: string]: string } = {}): Response =>
  HttpServerResponse.jsonUnsafe(
    { jsonrpc: "2.0", id: null, error: { code: invalidRequest, message } },
    { status, headers }
  )

const close = { connection: "close" }

export const unavailable = refuse(503, Text.shuttingDown, { ...close, "retry-after": "1" })

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

const hostname = (host: string): string => host.toLowerCase().replace(/:\d*$/, "")

const isAllowedHost = (host: string, allowed: ReadonlyArray<string>): boolean =>
  loopback.has(hostname(host)) ||
  allowed.some((name) => name.toLowerCase() === host.toLowerCase() || name.toLowerCase() === hostname(host))

/**
 * Refuses a foreign `Host` (a page that rebinds its own name to this address sends it) and a foreign `Origin`. A page
 * of the server itself is not foreign: its host has just been checked.
 */
export const admit = (request: Request, limits: Limits): Result.Result<Request, Response> => {
  const { host, origin } = request.headers
  // HTTP/1.1 always carries one; without it there is no page behind the request
  if (host !== undefined && !isAllowedHost(host, limits.allowedHosts)) {
    return Result.fail(refuse(403, Text.foreignHost))
  }
  if (origin === undefined || limits.allowedOrigins.includes(origin)) return Result.succeed(request)
  if (host === undefined || origin.toLowerCase().replace(/^https?:\/\//, "") !== host.toLowerCase()) {
    return Result.fail(refuse(403, Text.foreignOrigin))
  }
  // effect/ai compares with the list only
  const { origin: _, ...headers } = request.headers
  return Result.succeed(request.modify({ headers: headers as Request["headers"] }))
}

const tooLarge = refuse(413, Text.bodyTooLarge, close)
const tooSlow = refuse(408, Text.bodyTooSlow, close)
const unreadable = refuse(400, Text.bodyUnreadable, close)

const bodyError = (error: HttpServerError.HttpServerError): Response =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? tooLarge : unreadable

/**
 * Reads the body once, within its limits. The request keeps it, so that effect/ai reads the same text.
 *
 * The reading goes on in the request's scope while a late one is answered: Node hangs up when it is interrupted.
 */
export const readBody = Effect.fnUntraced(function* (
  request: Request,
  limits: Limits
): Effect.fn.Return<Read, Response, Scope.Scope> {
  if (Number(request.headers["content-length"] ?? 0) > Number(limits.maxBodySize)) return yield* Effect.fail(tooLarge)
  const reading = yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limits.maxBodySize),
    Effect.mapError(bodyError),
    Effect.forkScoped({ startImmediately: true })
  )
  const text = yield* Effect.timeoutOrElse(Fiber.join(reading), {
    duration: limits.bodyTimeout,
    orElse: () => Effect.fail(tooSlow)
  })
  const read = readMessage(text, limits.input)
  return Result.isSuccess(read)
    ? read.success
    : yield* Effect.fail(HttpServerResponse.jsonUnsafe(errorMessage(read.failure), { status: 400 }))
})

const ranges: { readonly [type: string]: ReadonlyArray<string> } = {
  "application/json": ["application/json", "application/*", "*/*"],
  "text/event-stream": ["text/event-stream", "text/*", "*/*"]
}

interface Weighed {
  readonly range: string
  readonly refused: boolean
}

const weigh = (part: string): Weighed => {
  const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith("q="))
  return { range, refused: q !== undefined && !(Number(q.slice(2)) > 0) }
}

/** Whether `Accept` takes this type: what it says most exactly counts. */
const accepts = (accept: ReadonlyArray<Weighed>, type: keyof typeof ranges): boolean =>
  ranges[type]!.flatMap((range) => accept.filter((weighed) => weighed.range === range)).at(0)?.refused === false

const acceptOf = ({ headers }: Request): ReadonlyArray<Weighed> => (headers.accept ?? "").split(",").map(weigh)

export const acceptsEvents = (request: Request): boolean => accepts(acceptOf(request), "text/event-stream")

/** The request with its `Accept` in the one form that effect/ai reads, or why its media types do not do. */
export const negotiate = (request: Request): Result.Result<Request, Response> => {
  const type = (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()
  if (type !== "application/json") return Result.fail(refuse(415, Text.noJsonBody))
  const accept = acceptOf(request)
  if (!accepts(accept, "application/json") || !accepts(accept, "text/event-stream")) {
    return Result.fail(refuse(406, Text.notAcceptable))
  }
  const both = { ...request.headers, accept: "application/json, text/event-stream" }
  return Result.succeed(request.modify({ headers: both as Request["headers"] }))
}

const reasons: { readonly [status: number]: string } = {
  400: Text.noSessionId,
  403: Text.foreignOrigin,
  404: Text.noSession,
  406: Text.notAcceptable,
  415: Text.noJsonBody
}

const bodyOf = ({ body }: Response): string | undefined =>
  body._tag === "Empty" ? "" : body._tag === "Uint8Array" ? decoder.decode(body.body) : undefined

/** A response of effect/ai as the client may see it: a refusal says why, and an error holds what the protocol has. */
export const presentable = (response: Response, why?: string): Response => {
  const { status } = response
  if (status === 405) return refuse(405, Text.noSuchMethod(response.headers.allow ?? "POST"), allowOf(response))
  const text = bodyOf(response)
  if (text === undefined) return response
  if (text === "") return status < 400 ? response : refuse(status, why ?? reasons[status] ?? Text.refusedRequest)
  const plain = plainErrors(text)
  if (plain === text) return response
  // effect/ai answers what is no request with 200
  const malformed = status === 200 && plain.startsWith('{"jsonrpc":"2.0","id":null')
  return HttpServerResponse.setBody(response, HttpBody.text(plain, response.headers["content-type"])).pipe(
    HttpServerResponse.setStatus(malformed ? 400 : status)
  )
}

const allowOf = ({ headers }: Response) => (headers.allow === undefined ? {} : { allow: headers.allow })
