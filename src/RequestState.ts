/**
 * The state of a suspended call while the client holds it: sealed so that a hostile client can neither read it, change
 * it, use it for another call or another person, nor keep it (rule I8).
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
import { Bytes, Config, Data, Duration, Effect, Layer, Option, Redacted } from "effect"
import * as Text from "./internal/base/sentences.ts"
import { build, defaults, ephemeral, RequestState, type Service, type Settings } from "./internal/state/requestState.ts"
import {
  type Codec,
  deriveKey,
  once,
  type Ring,
  ringCodec,
  type Tools,
  utf8,
  tools as webCrypto
} from "./internal/state/seal.ts"

export type { Binding, Opened, State } from "./internal/state/claims.ts"
export { Principal } from "./internal/state/principal.ts"
export { RequestState, type Service } from "./internal/state/requestState.ts"
export { type Codec, Rejected, refusal, SealFailed } from "./internal/state/seal.ts"

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
    const earlier = ring.findIndex((key) => Bytes.Equivalence(key.kid, kid))
    if (earlier < index) return yield* invalid(Text.repeatedKey(index, earlier))
  }
  return ring
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
