/**
 * The state of a suspended call while the client holds it: sealed so that a hostile client can neither read it, change
 * it, use it for another call or another person, nor keep it (DESIGN.md 4, I8).
 *
 * On 2026-07-28 a call that asks ends its round with an opaque `requestState`, which the client sends back with the
 * answers. Nothing is kept on the server. The state is encrypted (AES-256-GCM), and says inside until when it is good,
 * for which method, target and arguments, by which audience it was minted and for which principal; all of that is
 * checked before any resolver or body runs. What it cannot prove: that an answer is true, or that a state is used once.
 *
 * Nothing has to be provided: without a layer, one key is made for the life of the process. **Fatal misuses:**
 *
 * - The process's own key behind a balancer, or across a restart: another process refuses the call. Use {@link layer} or
 *   {@link layerConfig} with the same keys and audience in every replica.
 * - A server with several users that does not provide {@link Principal}: whoever gets hold of a state can finish the
 *   call in their own name, and whoever gets hold of a session id can use the session.
 * - Keys in the source, in git or in an image. They belong in the environment or a secret store: {@link layerConfig}.
 *
 * @since 0.1.0
 */
import { Config, Context, Data, Duration, Effect, Layer, Option, Redacted, type Schema } from "effect"
import type { CryptoError } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import * as Text from "./internal/base/sentences.ts"
import { issue, type Policy, principalOf, verify } from "./internal/state/claims.ts"
import {
  deriveKey,
  once,
  openWith,
  Rejected,
  type Ring,
  ringCodec,
  SealFailed,
  sameBytes,
  sealWith,
  sha256,
  type Tools,
  utf8,
  tools as webCrypto
} from "./internal/state/seal.ts"

export { Rejected, refusal, SealFailed } from "./internal/state/seal.ts"

/**
 * The request that a sealed state belongs to: it opens for this one only.
 *
 * `target` is the name of the tool or prompt, or the URI of the resource. `arguments` are the client's own, before
 * decoding: undefined, null and `{}` are the same, the order of names does not matter, an unknown name does.
 *
 * @category models
 * @since 0.1.0
 */
export interface Binding {
  readonly method: "tools/call" | "prompts/get" | "resources/read"
  readonly target: string
  readonly arguments: unknown
}

/**
 * What is sealed: the engine's own record, as JSON, and when the whole call began (milliseconds since the epoch), which
 * stays the same over all its rounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  readonly startedAt: number
  readonly payload: Schema.Json
}

/**
 * What was sealed, and when (milliseconds since the epoch).
 *
 * @category models
 * @since 0.1.0
 */
export interface Opened extends State {
  readonly issuedAt: number
}

/**
 * Service that seals the state of a suspended call and opens it again (DESIGN.md 4, I8).
 *
 * `open` takes whatever the client sent; that nothing was sent (absent or null) is for the caller to see first.
 * `digest` is the first 16 bytes of the SHA-256 of a text as UTF-8, in unpadded base64url (22 characters); give it
 * canonical text only. A sealed text longer than `maxBytes` is never opened, so the engine refuses to send one.
 * `configured` is false when the key is the process's own: right for stdio, wrong behind a balancer.
 *
 * @category services
 * @since 0.1.0
 */
export interface Service {
  readonly seal: (binding: Binding, state: State) => Effect.Effect<string, SealFailed>
  readonly open: (binding: Binding, token: unknown) => Effect.Effect<Opened, Rejected>
  readonly digest: (text: string) => Effect.Effect<string>
  readonly maxBytes: number
  readonly configured: boolean
}

/**
 * Who the request comes from, for the authentication middleware to provide: any stable text that is one person's or one
 * client's alone, such as issuer and subject joined. None (the default) when nobody is authenticated.
 *
 * A state sealed for a principal opens for the same one only, and a state sealed for nobody opens for nobody else. Only a
 * salted digest of the text is in the state. A session of 2025-11-25 and older is bound likewise by
 * `ResolveServer.layerHttp`, when a middleware of the `HttpRouter` provides the principal: `McpServer.middleware` does not see
 * the answers that a client sends.
 *
 * @category services
 * @since 0.1.0
 */
export const Principal: Context.Reference<Option.Option<string>> = Context.Reference<Option.Option<string>>(
  "effect-resolve/RequestState/Principal",
  { defaultValue: () => Option.none() }
)

/**
 * Seals and opens bytes your own way, with a key service for instance. Delay and failure are fine: a failure to seal ends
 * the call with `Internal error`, a failure to open is the frozen refusal, and both errors go to the log, so keep secrets
 * out of them.
 *
 * Integrity is the duty: `open` must fail for every text that `seal` did not return exactly. Without encryption the client
 * can read its recorded answers and what durable resolvers returned.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec {
  readonly seal: (plaintext: Uint8Array) => Effect.Effect<string, unknown>
  readonly open: (token: string) => Effect.Effect<Uint8Array, unknown>
}

/**
 * A secret of at least 32 random bytes: the bytes themselves, or a text of which the UTF-8 bytes count. Make one with
 * `node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`.
 *
 * @category models
 * @since 0.1.0
 */
export type Key = string | Uint8Array | Redacted.Redacted<string | Uint8Array>

/**
 * How long a state is good and how large it may be.
 *
 * `ttl` bounds one round, so the time a person has to answer (10 minutes); it starts anew each round. `maxAge` bounds the
 * whole call from its start (1 hour), else a client could keep a price alive for ever. `maxBytes` is the length of the
 * sealed text (65,536).
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits {
  readonly ttl?: Duration.Input | undefined
  readonly maxAge?: Duration.Input | undefined
  readonly maxBytes?: number | undefined
}

/**
 * Options of a seal that several processes share: the same `keys` (or a `codec`) and the same `audience`, the name of
 * your service, so that two services with one secret do not take each other's states.
 *
 * The first key seals, every key opens. To rotate without losing a call: add the new key at the end everywhere, then move
 * it to the front everywhere, then remove the old one after `ttl`.
 *
 * @category models
 * @since 0.1.0
 */
export type Options = Limits & { readonly audience: string } & (
    | { readonly keys: ReadonlyArray<Key>; readonly codec?: undefined }
    | { readonly codec: Codec; readonly keys?: undefined }
  )

/**
 * Says which option cannot be used and what to do about it, when the layer is built. It never shows a key.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidOptions extends Data.TaggedError("InvalidOptions")<{ readonly description: string }> {
  override get message(): string {
    return Text.settings(this.description)
  }
}

const invalid = (description: string) => Effect.fail(new InvalidOptions({ description }))

interface Settings extends Policy {
  readonly maxBytes: number
}

const defaults = { ttl: 600_000, maxAge: 3_600_000, maxBytes: 65_536 }

const readDuration = (name: "ttl" | "maxAge", input: Duration.Input | undefined) => {
  const duration = input === undefined ? Option.some(Duration.millis(defaults[name])) : Duration.fromInput(input)
  const millis = Option.match(duration, { onNone: () => Number.NaN, onSome: Duration.toMillis })
  return millis > 0 && Number.isFinite(millis) ? Effect.succeed(millis) : invalid(Text.badDuration(name))
}

const readSettings = Effect.fnUntraced(function* (limits: Limits, audience: string | undefined) {
  const maxBytes = limits.maxBytes ?? defaults.maxBytes
  if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
    return yield* invalid(Text.badMaxBytes)
  }
  return {
    audience,
    maxBytes,
    ttl: yield* readDuration("ttl", limits.ttl),
    maxAge: yield* readDuration("maxAge", limits.maxAge)
  } satisfies Settings
})

const readKey = (key: Key, index: number) => {
  const secret: unknown = Redacted.isRedacted(key) ? Redacted.value(key) : key
  if (typeof secret !== "string" && !(secret instanceof Uint8Array)) {
    return invalid(Text.badKey(index, typeof secret))
  }
  // copied: the caller may wipe or reuse its buffer
  const bytes = typeof secret === "string" ? utf8(secret) : Uint8Array.from(secret)
  return bytes.length >= 32 ? Effect.succeed(bytes) : invalid(Text.shortKey(index, bytes.length))
}

const makeRing = Effect.fnUntraced(function* (tools: Tools, keys: ReadonlyArray<Key>) {
  const secrets = yield* Effect.forEach(keys, readKey)
  const [first, ...rest] = yield* Effect.forEach(secrets, (secret) => Effect.orDie(deriveKey(tools, secret)))
  if (first === undefined) return yield* invalid(Text.noKeys)
  const ring: Ring = [first, ...rest]
  for (const [index, { kid }] of ring.entries()) {
    // by key id, which is what a token names: two keys that share one could not be told apart
    const earlier = ring.findIndex((key) => sameBytes(key.kid, kid))
    if (earlier < index) return yield* invalid(Text.repeatedKey(index, earlier))
  }
  return ring
})

const currentPrincipal = Effect.flatMap(Principal, (principal) => Effect.fromResult(principalOf(principal)))

const build = (
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
  })
})

const ephemeral = (settings: Settings): Service => {
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

/**
 * Makes a seal that other processes can share. Fails with {@link InvalidOptions} that says what to change: an empty ring,
 * a key of less than 32 bytes, a repeated key, an empty audience, a lifetime that is not positive and finite.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Service, InvalidOptions> {
  const settings = yield* readSettings(options, options.audience)
  if (typeof options.audience !== "string" || options.audience === "") {
    return yield* invalid(Text.noAudience)
  }
  if ((options.keys === undefined) === (options.codec === undefined)) {
    return yield* invalid(Text.keysOrCodec)
  }
  const tools = once(webCrypto)
  if (options.keys === undefined) return build(settings, tools, options.codec, "codec", true)
  const ring = yield* makeRing(yield* tools, options.keys)
  return build(settings, tools, ringCodec(tools, Effect.succeed(ring)), "seal", true)
})

/**
 * Layer that seals under keys (or a codec) of yours, for a server of more than one process: {@link make}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<never, InvalidOptions> => Layer.effect(RequestState, make(options))

/**
 * Layer that seals under a random key of its own, which ends with the process: for stdio, tests and a single process.
 * Each layer has another key, so two servers in one process that are given one each never take each other's states; the
 * default is one key for the whole process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerEphemeral = (options: Limits = {}): Layer.Layer<never, InvalidOptions> =>
  Layer.effect(RequestState, Effect.map(readSettings(options, undefined), ephemeral))

/**
 * Options of {@link layerConfig}: each a value, or a `Config` of one.
 *
 * `keys` is usually `Config.Redacted("REQUEST_STATE_KEYS")`, one variable that holds the keys with spaces or commas
 * between them, the sealing key first. A list of redacted texts is taken as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigOptions {
  readonly keys: Config.Config<Redacted.Redacted<string> | ReadonlyArray<Redacted.Redacted<string>>>
  readonly audience: string | Config.Config<string>
  readonly ttl?: Duration.Input | Config.Config<Duration.Input> | undefined
  readonly maxAge?: Duration.Input | Config.Config<Duration.Input> | undefined
  readonly maxBytes?: number | Config.Config<number> | undefined
}

const splitKeys = (keys: Redacted.Redacted<string> | ReadonlyArray<Redacted.Redacted<string>>): ReadonlyArray<Key> =>
  Redacted.isRedacted(keys)
    ? Redacted.value(keys)
        .split(/[\s,]+/)
        .filter((key) => key !== "")
        .map((key) => Redacted.make(key))
    : keys

const configured = <A>(option: A | Config.Config<A>): Effect.Effect<A, Config.ConfigError> =>
  Config.isConfig(option) ? (option as Config.Config<A>) : Effect.succeed(option)

/**
 * Layer that reads its keys and options from the configuration, so that no secret is in the program. Fails as
 * {@link layer} does, and with the `ConfigError` of a setting that is missing.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (options: ConfigOptions): Layer.Layer<never, InvalidOptions | Config.ConfigError> =>
  Layer.effect(
    RequestState,
    Effect.gen(function* () {
      return yield* make({
        keys: splitKeys(yield* options.keys),
        audience: yield* configured(options.audience),
        ttl: yield* configured(options.ttl),
        maxAge: yield* configured(options.maxAge),
        maxBytes: yield* configured(options.maxBytes)
      })
    })
  )
