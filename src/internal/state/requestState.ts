/** The seal of a suspended call's state, and the key under which it is found. */
import * as Context from "effect/Context"
import type { CryptoError } from "effect/crypto"
import * as Effect from "effect/Effect"
import { Base64Url } from "effect/encoding"
import { type Binding, issue, type Opened, type Policy, type State, verify } from "./claims.ts"
import { Principal, principalOf } from "./principal.ts"
import {
  type Codec,
  deriveKey,
  once,
  openWith,
  Rejected,
  type Ring,
  ringCodec,
  SealFailed,
  sealWith,
  sha256,
  type Tools,
  utf8,
  tools as webCrypto
} from "./seal.ts"

/**
 * Service that seals the state of a suspended call and opens it again (I8).
 *
 * `open` takes whatever the client sent; that nothing was sent (absent or null) is for the caller to see first.
 * `digest` is the first 16 bytes of the SHA-256 of a text as UTF-8, in unpadded base64url (22 characters); give it
 * canonical text only. A sealed text longer than `maxBytes` is never opened, so the engine refuses to send one.
 * `sealRecord` and `openRecord` do the same for a text that a server keeps, under the same keys: without claims, so that
 * no client can send it as a state, and without a limit of length.
 * `configured` is false when the key is the process's own: right for stdio, wrong behind a balancer.
 *
 * @category services
 * @since 0.1.0
 */
export interface Service {
  readonly seal: (binding: Binding, state: State) => Effect.Effect<string, SealFailed>
  readonly open: (binding: Binding, token: unknown) => Effect.Effect<Opened, Rejected>
  readonly sealRecord: (text: string) => Effect.Effect<string, SealFailed>
  readonly openRecord: (sealed: string) => Effect.Effect<string, Rejected>
  readonly digest: (text: string) => Effect.Effect<string>
  readonly maxBytes: number
  readonly configured: boolean
}

export interface Settings extends Policy {
  readonly maxBytes: number
}

export const defaults = { ttl: 600_000, maxAge: 3_600_000, maxBytes: 65_536 }

/** No JSON begins so: a record is no state, and a state no record. */
const recordMark = "record:"

const currentPrincipal = Effect.flatMap(Principal, (principal) => Effect.fromResult(principalOf(principal)))

/** A seal over a codec, which says how it fails: the built-in one by `seal`, a user's by `codec`. */
export const build = (
  settings: Settings,
  tools: Effect.Effect<Tools>,
  codec: Codec,
  failure: "seal" | "codec",
  configured: boolean
): Service => ({
  maxBytes: settings.maxBytes,
  configured,
  digest: (text) =>
    tools.pipe(
      Effect.flatMap((tools) => sha256(tools, utf8(text))),
      Effect.map((hash) => Base64Url.encode(hash.subarray(0, 16)))
    ),
  seal: Effect.fnUntraced(function* (binding, state) {
    const principal = yield* Effect.mapError(currentPrincipal, () => new SealFailed({ reason: "principal" }))
    const claims = yield* issue(yield* tools, settings, binding, principal, state)
    return yield* sealWith(codec, claims, failure)
  }),
  open: Effect.fnUntraced(function* (binding, token) {
    if (typeof token !== "string") return yield* new Rejected({ reason: "not a string" })
    if (token === "") return yield* new Rejected({ reason: "malformed" })
    // before any work on it: nothing longer was ever minted
    if (token.length > settings.maxBytes) return yield* new Rejected({ reason: "too long" })
    const claims = yield* openWith(codec, token, failure)
    const principal = yield* Effect.mapError(currentPrincipal, () => new Rejected({ reason: "principal" }))
    return yield* verify(yield* tools, settings, binding, principal, claims)
  }),
  sealRecord: (text) => sealWith(codec, utf8(recordMark + text), failure),
  openRecord: (sealed) =>
    Effect.flatMap(openWith(codec, sealed, failure), (bytes) => {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
      return text.startsWith(recordMark)
        ? Effect.succeed(text.slice(recordMark.length))
        : Effect.fail(new Rejected({ reason: "claims" }))
    })
})

/** A seal under a key of its own, made at its first use. */
export const ephemeral = (settings: Settings): Service => {
  const tools = once(webCrypto)
  const ring: Effect.Effect<Ring, CryptoError.CryptoError> = once(
    Effect.gen(function* () {
      const services = yield* tools
      return [yield* deriveKey(services, yield* services.random.randomBytes(32))] as const
    })
  )
  return build(settings, tools, ringCodec(tools, ring), "seal", false)
}

/**
 * The seal in use. Its default has a random key of this process, made at its first use.
 *
 * @category services
 * @since 0.1.0
 */
export const RequestState: Context.Reference<Service> = Context.Reference<Service>("effect-resolve/RequestState", {
  defaultValue: () => ephemeral({ ...defaults, audience: undefined })
})
