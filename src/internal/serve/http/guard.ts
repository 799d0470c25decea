/**
 * What a request to the endpoint must pass before effect/ai sees it: a host name we answer to, an origin we know, and a
 * body that is small and complete in time (WIRE.md 13, SPEC 96).
 */
import { type ByteSize, type Duration, Effect, Fiber, Result, type Scope } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Text from "../../base/sentences.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export interface Limits {
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly maxBodySize: ByteSize.ByteSize
  readonly bodyTimeout: Duration.Duration
}

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
): Effect.fn.Return<void, Response, Scope.Scope> {
  if (Number(request.headers["content-length"] ?? 0) > Number(limits.maxBodySize)) return yield* Effect.fail(tooLarge)
  const reading = yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limits.maxBodySize),
    Effect.mapError(bodyError),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* Effect.timeoutOrElse(Fiber.join(reading), {
    duration: limits.bodyTimeout,
    orElse: () => Effect.fail(tooSlow)
  })
})
