/**
 * What a sealed state says about itself, and the checks that decide whether it is good for the request at hand (I8).
 *
 * The seal proves that this server wrote the claims; the claims prove that they were written for this request. Every
 * check is a positive comparison, so that a missing or unusable value fails it.
 */
import { Bytes, Clock, Effect, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { canonicalJson } from "../base/canonical.ts"
import { Rejected, SealFailed, sha256, type Tools, utf8 } from "./seal.ts"

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
 * What was sealed, when, and until when it opens (milliseconds since the epoch).
 *
 * `id` is random and this state's alone, in every text that a codec gives it: what `Journal` claims.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opened extends State {
  readonly id: string
  readonly issuedAt: number
  readonly expiresAt: number
}

const version = 1
const saltLength = 16
const idLength = 16

/** How far the clock of another replica may be ahead of this one, in milliseconds, wherever two clocks meet. */
export const skew = 60_000

/** What a server demands of every state; times in milliseconds. */
export interface Policy {
  readonly audience: string | undefined
  readonly ttl: number
  readonly maxAge: number
}

// short names: this crosses the wire twice a round
const Claims = Schema.Struct({
  v: Schema.Literal(version),
  iat: Schema.Finite,
  exp: Schema.Finite,
  st: Schema.Finite,
  m: Schema.String,
  t: Schema.String,
  a: Schema.String,
  aud: Schema.optionalKey(Schema.String),
  p: Schema.optionalKey(Schema.String),
  /** The round's own id, random; states of 0.1 have none. */
  r: Schema.optionalKey(Schema.String),
  /** A value and not its text, whose quotes would be escaped. */
  s: Schema.Unknown
})

type Claims = typeof Claims.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Claims))

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const sameText = (left: string, right: string): boolean => Mac.timingSafeEqual(utf8(left), utf8(right))

/** Of what was sent, not of what was decoded: an unknown name counts, a default that this server adds does not. */
const digestArguments = (tools: Tools, binding: Binding) =>
  Effect.try({ try: () => utf8(canonicalJson(binding.arguments ?? {})), catch: (cause) => cause }).pipe(
    Effect.flatMap((bytes) => sha256(tools, bytes)),
    Effect.map((hash) => Base64Url.encode(hash.subarray(0, 16)))
  )

/** Salted, so that two states of one person do not show that they belong together to whoever can read a codec's text. */
const tagPrincipal = (tools: Tools, salt: Uint8Array, principal: string) =>
  // the escaped form: lone surrogates of a principal must not be taken for one another
  Effect.map(sha256(tools, Bytes.concat([salt, utf8(canonicalJson(principal))])), (hash) =>
    Base64Url.encode(Bytes.concat([salt, hash]))
  )

/** Writes the claims of one round, stamped now. */
export const issue = Effect.fnUntraced(function* (
  tools: Tools,
  policy: Policy,
  binding: Binding,
  principal: string | undefined,
  state: State
) {
  const now = yield* Clock.currentTimeMillis
  const a = yield* digestArguments(tools, binding).pipe(
    Effect.mapError((cause) => new SealFailed({ reason: "arguments", cause }))
  )
  const p =
    principal === undefined
      ? undefined
      : yield* Effect.flatMap(tools.random.randomBytes(saltLength), (salt) => tagPrincipal(tools, salt, principal))
  const r = Base64Url.encode(yield* tools.random.randomBytes(idLength))
  const claims: Claims = {
    v: version,
    iat: now,
    exp: now + policy.ttl,
    st: state.startedAt,
    m: binding.method,
    t: binding.target,
    a,
    ...(policy.audience === undefined ? undefined : { aud: policy.audience }),
    ...(p === undefined ? undefined : { p }),
    r,
    s: state.payload
  }
  return utf8(JSON.stringify(claims))
})

const refuse = (reason: Rejected["reason"]) => Effect.fail(new Rejected({ reason }))

const read = (plaintext: Uint8Array) =>
  Effect.try({ try: () => decoder.decode(plaintext), catch: (cause) => cause }).pipe(
    Effect.flatMap(decode),
    // a schema error names the claim and never its value: a test looks for canaries
    Effect.mapError((cause) => new Rejected({ reason: "claims", cause }))
  )

const checkTimes = (policy: Policy, claims: Claims, now: number): Effect.Effect<void, Rejected> => {
  if (!(claims.iat <= now + skew && claims.st <= now + skew)) return refuse("minted in the future")
  if (!(now < claims.exp)) return refuse("expired")
  if (!(now < claims.st + policy.maxAge)) return refuse("too old")
  return Effect.void
}

const checkBinding = Effect.fnUntraced(function* (tools: Tools, claims: Claims, binding: Binding) {
  const digest = yield* digestArguments(tools, binding).pipe(
    Effect.mapError(() => new Rejected({ reason: "request binding" }))
  )
  const same = claims.m === binding.method && claims.t === binding.target && sameText(claims.a, digest)
  if (!same) return yield* refuse("request binding")
})

const checkPrincipal = Effect.fnUntraced(function* (tools: Tools, claims: Claims, principal: string | undefined) {
  // a state that was nobody's is not this person's, and the reverse
  if ((claims.p === undefined) !== (principal === undefined)) return yield* refuse("principal drift")
  if (claims.p === undefined || principal === undefined) return
  const claimed = claims.p
  const salt = yield* Effect.fromResult(Base64Url.decode(claimed)).pipe(
    Effect.map((bytes) => bytes.subarray(0, saltLength)),
    Effect.mapError(() => new Rejected({ reason: "principal" }))
  )
  if (!sameText(claimed, yield* tagPrincipal(tools, salt, principal))) return yield* refuse("principal")
})

/** Gives back the state of authentic claims that were written for this request, by this service, for this principal. */
export const verify = Effect.fnUntraced(function* (
  tools: Tools,
  policy: Policy,
  binding: Binding,
  principal: string | undefined,
  plaintext: Uint8Array
) {
  const claims = yield* read(plaintext)
  yield* checkTimes(policy, claims, yield* Clock.currentTimeMillis)
  yield* checkBinding(tools, claims, binding)
  if (claims.aud !== policy.audience) return yield* refuse("audience")
  yield* checkPrincipal(tools, claims, principal)
  return {
    // inside the seal, so that all texts that a codec gives one state have one id; digested where 0.1 wrote none
    id: claims.r ?? Base64Url.encode((yield* sha256(tools, plaintext)).subarray(0, idLength)),
    startedAt: claims.st,
    issuedAt: claims.iat,
    expiresAt: Math.min(claims.exp, claims.st + policy.maxAge),
    payload: claims.s as Schema.Json // parsed from JSON
  } satisfies Opened
})
