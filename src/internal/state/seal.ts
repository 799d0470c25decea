/**
 * The bytes of a sealed state: AES-256-GCM under a ring of keys, in one strict text form. What is inside, and when it
 * is still valid, is `claims.ts`.
 *
 *     v1.base64url(kid(4) || nonce(12) || ciphertext || tag(16))        associated data: "v1." || kid
 *
 * Fatal misuse: a nonce that repeats under one key. Nonces are random, and a key must not seal more than about 2^32
 * tokens: rotate long before.
 */
import { Bytes, Cause, Data, Effect, Layer, Result } from "effect"
import { Aead, Digest, Kdf, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { attempt } from "../base/attempt.ts"
import * as Text from "../base/sentences.ts"

const prefix = "v1."
const kidLength = 4
const nonceLength = 12
const tagLength = 16

// versioned labels: another format or another use of the same secret derives another key
const keyInfo = "effect-resolve/request-state/v1/aes-256-gcm"
const kidInfo = "effect-resolve/request-state/v1/kid:"

/**
 * The one answer to every state that is not accepted, whatever the cause (I8): a client learns nothing by trying. A
 * frozen JSON-RPC error; the specification leaves its code open.
 *
 * @category models
 * @since 0.1.0
 */
export const refusal = Object.freeze({
  code: -32602,
  message: Text.invalidState,
  data: Object.freeze({ reason: "invalid_request_state" })
} as const)

/**
 * Says why a `requestState` was not accepted. For the server's log only: the client gets the frozen refusal. It never
 * holds the token, what was inside or the principal; `cause` is what the codec, or the reading of the claims, failed with.
 *
 * @category errors
 * @since 0.1.0
 */
export class Rejected extends Data.TaggedError("Rejected")<{
  readonly reason:
    | "not a string"
    | "too long"
    | "malformed"
    | "unknown key"
    | "seal"
    | "codec"
    | "claims"
    | "minted in the future"
    | "expired"
    | "too old"
    | "request binding"
    | "audience"
    | "principal drift"
    | "principal"
  readonly cause?: unknown
}> {
  override get message(): string {
    return Text.rejectedState(this.reason)
  }
}

/**
 * Says why a state could not be sealed, so the call cannot be suspended. For the server's log only: the client gets
 * JSON-RPC -32603 `Internal error`.
 *
 * @category errors
 * @since 0.1.0
 */
export class SealFailed extends Data.TaggedError("SealFailed")<{
  readonly reason: "seal" | "codec" | "arguments" | "principal"
  readonly cause?: unknown
}> {
  override get message(): string {
    return Text.unsealable(this.reason)
  }
}

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

/** The cryptography of one sealer, read once. */
export interface Tools {
  readonly aead: Aead.Aead["Service"]
  readonly digest: Digest.Digest["Service"]
  readonly kdf: Kdf.Kdf["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
}

interface SealingKey {
  readonly kid: Uint8Array
  readonly key: Aead.Key<Aead.AesGcm>
}

/** The first key seals, every key opens: that is what makes rotation lose no call. */
export type Ring = readonly [SealingKey, ...Array<SealingKey>]

const encoder = new TextEncoder()

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/**
 * Computes an effect at its first use and keeps the result: a `Context.Reference` must have its default without running
 * anything. Of two fibers that come first together both compute, and both get the result of one.
 */
export const once = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  let kept: { readonly value: A } | undefined
  return Effect.suspend(() =>
    kept === undefined
      ? Effect.map(effect, (value) => {
          kept ??= { value }
          return kept.value
        })
      : Effect.succeed(kept.value)
  )
}

/** WebCrypto through effect/crypto: Node 20 and later, browsers and workers alike. */
export const tools: Effect.Effect<Tools> = Effect.all({
  aead: Aead.Aead,
  digest: Digest.Digest,
  kdf: Kdf.Kdf,
  random: SecureRandom.SecureRandom
}).pipe(
  Effect.provide(
    Layer.mergeAll(Aead.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
      Layer.provideMerge(SecureRandom.layerWebCrypto)
    )
  )
)

export const sha256 = (tools: Tools, bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  tools.digest.digest(Digest.sha256, bytes)

/** Derives the sealing key of one secret, and the id by which tokens name it. */
export const deriveKey = Effect.fnUntraced(function* (tools: Tools, secret: Uint8Array) {
  const derived = yield* tools.kdf.derive(Kdf.hkdfSha256, secret, {
    salt: new Uint8Array(0),
    length: 32,
    info: utf8(keyInfo)
  })
  const named = yield* sha256(tools, Bytes.concat([utf8(kidInfo), derived]))
  const key = yield* Aead.key(Aead.aes256Gcm, derived)
  return { kid: named.slice(0, kidLength), key } satisfies SealingKey
})

const additionalData = (kid: Uint8Array): Uint8Array => Bytes.concat([utf8(prefix), kid])

const seal = Effect.fnUntraced(function* (tools: Tools, ring: Ring, plaintext: Uint8Array) {
  const { kid, key } = ring[0]
  const nonce = yield* tools.random.randomBytes(nonceLength)
  const sealed = yield* tools.aead.encrypt(key, plaintext, { nonce, aad: additionalData(kid) })
  return prefix + Base64Url.encode(Bytes.concat([kid, nonce, sealed]))
})

// The decoder underneath skips line breaks, takes padding and ignores the spare bits of the last character. Only the
// text that was minted may pass, so it is encoded again and compared. Its error holds the token and stays here.
const decodeStrictly = (text: string): Uint8Array | undefined => {
  const decoded = Result.getOrUndefined(Base64Url.decode(text))
  return decoded !== undefined && Base64Url.encode(decoded) === text ? decoded : undefined
}

const open = Effect.fnUntraced(function* (tools: Tools, ring: Ring, token: string) {
  const bytes = token.startsWith(prefix) ? decodeStrictly(token.slice(prefix.length)) : undefined
  if (bytes === undefined || bytes.length < kidLength + nonceLength + tagLength) {
    return yield* new Rejected({ reason: "malformed" })
  }
  const kid = bytes.subarray(0, kidLength)
  const found = ring.find((candidate) => Bytes.Equivalence(candidate.kid, kid))
  if (found === undefined) return yield* new Rejected({ reason: "unknown key" })
  const nonce = bytes.subarray(kidLength, kidLength + nonceLength)
  return yield* tools.aead
    .decrypt(found.key, bytes.subarray(kidLength + nonceLength), { nonce, aad: additionalData(kid) })
    // what the cipher says of it is no more than that
    .pipe(Effect.mapError(() => new Rejected({ reason: "seal" })))
})

/** The built-in codec over a ring, which may be derived as late as its first use. */
export const ringCodec = (tools: Effect.Effect<Tools>, ring: Effect.Effect<Ring, unknown>): Codec => ({
  seal: (plaintext) => Effect.flatMap(Effect.all([tools, ring]), ([tools, ring]) => seal(tools, ring, plaintext)),
  open: (token) => Effect.flatMap(Effect.all([tools, ring]), ([tools, ring]) => open(tools, ring, token))
})

/** Runs a codec of the user's for sealing: a throw, a defect, an error or nonsense is one failure. */
export const sealWith = (codec: Codec, plaintext: Uint8Array, reason: "seal" | "codec") =>
  attempt("codec.seal", () => codec.seal(plaintext)).pipe(
    Effect.catchCause((cause) => Effect.fail(new SealFailed({ reason, cause: Cause.squash(cause) }))),
    Effect.filterOrFail(
      (token): token is string => typeof token === "string" && token !== "",
      () => new SealFailed({ reason, cause: new TypeError(Text.sealedToNoText) })
    )
  )

/** Runs a codec for opening: whatever goes wrong is a rejection (I8), and nothing it did not give as bytes passes. */
export const openWith = (codec: Codec, token: string, reason: "seal" | "codec") =>
  attempt("codec.open", () => codec.open(token)).pipe(
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      return Effect.fail(error instanceof Rejected ? error : new Rejected({ reason, cause: error }))
    }),
    Effect.filterOrFail(
      (opened): opened is Uint8Array => opened instanceof Uint8Array,
      () => new Rejected({ reason, cause: new TypeError(Text.openedToNoBytes) })
    )
  )
