/**
 * I8: a state that this server did not mint for this very request is refused before anything runs. The comments name
 * the rows of area J in parity.md.
 */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Config, ConfigProvider, Effect, Exit, Fiber, Layer, Option, Queue, Redacted, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import { RequestState } from "effect-resolve"
import * as fc from "fast-check"

const oldKey = "old-key-old-key-old-key-old-key-old-key-old-key"
const newKey = "new-key-new-key-new-key-new-key-new-key-new-key"

const binding: RequestState.Binding = {
  method: "tools/call",
  target: "order_book",
  arguments: { title: "Dune", copies: 2 }
}
const state: RequestState.State = { startedAt: 0, payload: `{"answers":{"bookshop/Confirm":{"confirm":true}}}` }

/** What was sealed comes back; when that was done is beside it. */
const assertState = ({ payload, startedAt }: RequestState.Opened) =>
  assert.deepStrictEqual({ payload, startedAt }, { payload: state.payload, startedAt: state.startedAt })

type Overrides = RequestState.Limits & { readonly audience?: string; readonly keys?: ReadonlyArray<RequestState.Key> }

const server = (options: Overrides = {}) => RequestState.make({ keys: [oldKey], audience: "Bookshop", ...options })

/** Whatever a layer provides. */
const served = <E>(layer: Layer.Layer<never, E>) => Effect.provide(Effect.service(RequestState.RequestState), layer)

const as = (principal: string) => Effect.provideService(RequestState.Principal, Option.some(principal))

const reasonOf = <A, E extends Error>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? String(error.reason) : error.message))

const descriptionOf = <A>(effect: Effect.Effect<A, RequestState.InvalidOptions>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)

const bytesOf = (token: string) => Result.getOrThrow(Base64Url.decode(token.slice("v1.".length)))
const tokenOf = (bytes: Uint8Array) => `v1.${Base64Url.encode(bytes)}`
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Every one is a typed rejection: none accepted, none a defect. */
const allRejected = (service: RequestState.Service, tokens: Iterable<unknown>) =>
  Effect.forEach(
    tokens,
    (token) =>
      Effect.map(Effect.exit(service.open(binding, token)), (exit) => {
        const reason = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
        const rejected = reason !== undefined && Cause.isFailReason(reason) && reason.error._tag === "Rejected"
        if (!rejected) assert.fail(`not a rejection: ${JSON.stringify(token)?.slice(0, 200)}`)
      }),
    { concurrency: 20, discard: true }
  )

describe("a state comes back as it was sealed", () => {
  // J-01, J-35, J-37
  it.effect("whatever text the engine put in, lone surrogates and 64 KiB included", () =>
    Effect.gen(function* () {
      const service = yield* server({ maxBytes: 1_000_000 })
      const payloads = [
        "",
        "zażółć 😀 \u0000\u001f\ufeff",
        "\ud800 and \udfff",
        "x".repeat(65_536),
        ...fc.sample(fc.string({ unit: "binary" }), 100)
      ]
      for (const payload of payloads) {
        const token = yield* service.seal(binding, { startedAt: 0, payload })
        assert.deepInclude(yield* service.open(binding, token), { startedAt: 0, issuedAt: 0, payload })
      }
    })
  )

  // J-02, J-03, J-04
  it.effect("in a text that shows nothing and is another one each time", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const one = yield* as("alice")(service.seal(binding, state))
      const two = yield* as("alice")(service.seal(binding, state))
      assert.notStrictEqual(one, two)
      for (const token of [one, two]) {
        assert.match(token, /^v1\.[A-Za-z0-9_-]+$/)
        const shown = token + textOf(bytesOf(token))
        for (const secret of ["bookshop", "Bookshop", "order_book", "Dune", "alice", "confirm"]) {
          assert.notInclude(shown, secret)
        }
        assertState(yield* as("alice")(service.open(binding, token)))
      }
    })
  )

  // J-20: the lifetime bounds one round's thinking time, the start of the call stays
  it.effect("with the start of the call, in every round", () =>
    Effect.gen(function* () {
      const service = yield* server({ ttl: "10 minutes", maxAge: "1 hour" })
      let current: RequestState.Opened = { ...state, id: "", issuedAt: 0, expiresAt: 0 }
      for (let round = 0; round < 5; round++) {
        const token = yield* service.seal(binding, current)
        yield* TestClock.adjust("9 minutes")
        current = yield* service.open(binding, token)
      }
      assertState(current)
    })
  )
})

describe("a text that was not minted here is refused", () => {
  // J-05, J-08
  it.effect("after flipping any one bit of a token", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* service.seal(binding, { startedAt: 0, payload: "x" })
      const flipped = Array.from({ length: token.length * 8 }, (_, bit) => {
        const at = bit >> 3
        const unit = String.fromCharCode(token.charCodeAt(at) ^ (1 << (bit & 7)))
        return token.slice(0, at) + unit + token.slice(at + 1)
      })
      const bytes = bytesOf(token)
      // and of the bytes, which hit every part of the seal without breaking the encoding
      const inside = Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const copy = Uint8Array.from(bytes)
        copy[bit >> 3] = copy[bit >> 3]! ^ (1 << (bit & 7))
        return tokenOf(copy)
      })
      // a last character has bits that no byte takes, and not each of them has a flip that is a character, too
      const last: Array<string> = []
      for (let i = 0; i < 32; i++) {
        const other = yield* service.seal(binding, { startedAt: 0, payload: "x" })
        const end = other.charCodeAt(other.length - 1)
        for (let bit = 0; bit < 7; bit++) last.push(other.slice(0, -1) + String.fromCharCode(end ^ (1 << bit)))
      }
      yield* allRejected(service, flipped)
      yield* allRejected(service, inside)
      yield* allRejected(service, last)
      assert.deepInclude(yield* service.open(binding, token), { startedAt: 0, issuedAt: 0, payload: "x" })
    })
  )

  it.effect("when it is any of 10,000 random texts", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const genuine = bytesOf(yield* service.seal(binding, state))
      const body = fc.uint8Array({ minLength: 0, maxLength: 200 })
      const random = fc.oneof(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.base64String().map((text) => `v1.${text}`),
        body.map(tokenOf),
        body.map((bytes) => tokenOf(Uint8Array.from([...genuine.subarray(0, 4), ...bytes]))),
        body.map((bytes) => tokenOf(Uint8Array.from([...genuine.subarray(0, 16), ...bytes]))),
        body.map((bytes) => tokenOf(Uint8Array.from([...bytes, ...genuine.subarray(16)])))
      )
      const genuineToken = tokenOf(genuine)
      yield* allRejected(
        service,
        fc.sample(random, 10_000).filter((token) => token !== genuineToken)
      )
    })
  )

  // J-06, J-07, J-08, J-31
  it.effect("when it is a genuine one written in another way", () =>
    Effect.gen(function* () {
      const service = yield* server()
      // a length of which the last character has spare bits, so that a lenient decoder would take others for it
      let token = yield* service.seal(binding, state)
      for (let payload = "x"; bytesOf(token).length % 3 === 0; payload += "x") {
        token = yield* service.seal(binding, { startedAt: 0, payload })
      }
      const body = token.slice(3)
      const bytes = bytesOf(token)
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const lastCharacters = [...alphabet].map((last) => token.slice(0, -1) + last).filter((other) => other !== token)
      assert.strictEqual(lastCharacters.length, 63)
      yield* allRejected(service, lastCharacters)
      yield* allRejected(service, [
        body,
        `v2.${body}`,
        `V1.${body}`,
        `v1${body}`,
        `v1.v1.${body}`,
        ` ${token}`,
        `${token} `,
        `${token}\n`,
        `${token.slice(0, 40)}\n${token.slice(40)}`,
        `${token}=`,
        `${token}==`,
        `${token}-TAMPERED`,
        `${token}.`,
        token + token,
        token + body,
        token.toLowerCase(),
        token.toUpperCase(),
        `v1.${Buffer.from(bytes).toString("base64")}`,
        `v1.${Buffer.from(bytes).toString("hex")}`,
        `v1.${[...body].reverse().join("")}`,
        tokenOf(bytes.toReversed()),
        tokenOf(Uint8Array.from([...bytes.subarray(0, 4), ...bytes.subarray(16), ...bytes.subarray(4, 16)])),
        ...Array.from({ length: token.length }, (_, length) => token.slice(0, length)),
        ...Array.from({ length: bytes.length }, (_, length) => tokenOf(bytes.subarray(0, length))),
        ...Array.from({ length: 3 }, (_, extra) => tokenOf(Uint8Array.from([...bytes, ...new Uint8Array(extra + 1)])))
      ])
      for (const length of [0, 4, 16, 31]) {
        assert.strictEqual(yield* reasonOf(service.open(binding, tokenOf(bytes.subarray(0, length)))), "malformed")
      }
      assert.strictEqual((yield* service.open(binding, token)).startedAt, 0)
    })
  )

  // J-08: the key id is authenticated, though both keys are in the ring
  it.effect("when its key id was replaced by that of another token", () =>
    Effect.gen(function* () {
      const under = (key: string) => Effect.flatMap(server({ keys: [key] }), (service) => service.seal(binding, state))
      const [one, two] = [bytesOf(yield* under(oldKey)), bytesOf(yield* under(newKey))]
      const service = yield* server({ keys: [oldKey, newKey] })
      const transplanted = tokenOf(Uint8Array.from([...one.subarray(0, 4), ...two.subarray(4)]))
      assert.strictEqual(yield* reasonOf(service.open(binding, transplanted)), "seal")
    })
  )

  // J-31
  it.effect("when it is not a text, or an empty one", () =>
    Effect.gen(function* () {
      const service = yield* server()
      for (const token of [undefined, null, 123, true, {}, [], ["v1.x"], { toString: () => "v1.x" }, Symbol("v1")]) {
        assert.strictEqual(yield* reasonOf(service.open(binding, token)), "not a string")
      }
      // an empty text is none, whatever a codec makes of it
      const claims = yield* Effect.flatMap(plainServer(), (minting) => minting.seal(binding, state))
      const careless = yield* plainServer({ ...plain, open: () => plain.open(claims) })
      assertState(yield* careless.open(binding, "anything"))
      for (const reader of [service, careless]) {
        assert.strictEqual(yield* reasonOf(reader.open(binding, "")), "malformed")
      }
    })
  )

  it.effect("before any work on it, when it is longer than any that was minted", () =>
    Effect.gen(function* () {
      let opened = 0
      const counting: RequestState.Codec = {
        ...plain,
        open: (token) => Effect.sync(() => opened++).pipe(Effect.andThen(plain.open(token)))
      }
      const huge = `v1.${"A".repeat(5_000_000)}`
      for (const service of [yield* server(), yield* plainServer(counting)]) {
        assert.strictEqual(yield* reasonOf(service.open(binding, huge)), "too long")
      }
      assert.strictEqual(opened, 0)
      const small = yield* server({ maxBytes: 400 })
      const token = yield* small.seal(binding, { startedAt: 0, payload: "x".repeat(400) })
      assert.isAbove(token.length, 400)
      assert.strictEqual(yield* reasonOf(small.open(binding, token)), "too long")
    })
  )

  // J-13, J-09
  it.effect("when another server minted it under its own key", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* served(RequestState.layerEphemeral()), yield* served(RequestState.layerEphemeral())]
      const token = yield* one.seal(binding, state)
      assert.strictEqual(yield* reasonOf(two.open(binding, token)), "unknown key")
      assertState(yield* one.open(binding, token))
    })
  )
})

describe("a genuine state is refused", () => {
  // J-21: guards the claims m, t and a
  it.effect("for another method, another target and other arguments, and still opens for its own request", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* service.seal(binding, state)
      const others: ReadonlyArray<RequestState.Binding> = [
        { ...binding, method: "prompts/get" },
        { ...binding, method: "resources/read" },
        { ...binding, target: "cancel_order" },
        { ...binding, target: "order_book " },
        { ...binding, arguments: { title: "Dune", copies: 3 } },
        { ...binding, arguments: { title: "Dune" } },
        { ...binding, arguments: { title: "Dune", copies: 2, junk: 1 } },
        { ...binding, arguments: undefined }
      ]
      for (const other of others) {
        assert.strictEqual(yield* reasonOf(service.open(other, token)), "request binding")
      }
      assertState(yield* service.open(binding, token))
    })
  )

  // J-22
  it.effect("only for arguments that differ as JSON: not for the order of names, nor for none in other words", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* service.seal(binding, state)
      const reordered = { ...binding, arguments: { copies: 2.0, title: "Dune" } }
      assertState(yield* service.open(reordered, token))
      const none = [undefined, null, {}]
      for (const one of none) {
        const token = yield* service.seal({ ...binding, arguments: one }, state)
        for (const other of none) {
          assertState(yield* service.open({ ...binding, arguments: other }, token))
        }
        assert.strictEqual(yield* reasonOf(service.open({ ...binding, arguments: [] }, token)), "request binding")
      }
    })
  )

  // J-37
  it.effect("for arguments that differ only in a lone surrogate", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const env = (text: string) => ({ ...binding, arguments: { env: text } })
      const token = yield* service.seal(env("\ud800-prod"), state)
      assert.strictEqual(yield* reasonOf(service.open(env("\udfff-prod"), token)), "request binding")
      assertState(yield* service.open(env("\ud800-prod"), token))
    })
  )

  it.effect("for arguments nested beyond what can be digested, and such a call cannot be sealed", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const deep = { ...binding, arguments: JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) }
      const token = yield* service.seal(binding, state)
      assert.strictEqual(yield* reasonOf(service.open(deep, token)), "request binding")
      assert.strictEqual(yield* reasonOf(service.seal(deep, state)), "arguments")
    })
  )

  // J-14, J-15: guards the claim aud
  it.effect("for another audience with the same keys", () =>
    Effect.gen(function* () {
      const [shop, bank] = [yield* server(), yield* server({ audience: "Bank" })]
      const token = yield* shop.seal(binding, state)
      assert.strictEqual(yield* reasonOf(bank.open(binding, token)), "audience")
      assertState(yield* Effect.flatMap(server(), (replica) => replica.open(binding, token)))
    })
  )

  // J-23, J-24: guards the claim p
  it.effect("for another principal, for nobody when it was somebody's, and for somebody when it was nobody's", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const hers = yield* as("alice")(service.seal(binding, state))
      const nobodys = yield* service.seal(binding, state)
      assert.strictEqual(yield* reasonOf(as("mallory")(service.open(binding, hers))), "principal")
      assert.strictEqual(yield* reasonOf(as("")(service.open(binding, hers))), "principal")
      assert.strictEqual(yield* reasonOf(service.open(binding, hers)), "principal drift")
      assert.strictEqual(yield* reasonOf(as("alice")(service.open(binding, nobodys))), "principal drift")
      assert.strictEqual(yield* reasonOf(as("")(service.open(binding, nobodys))), "principal drift")
      assertState(yield* as("alice")(service.open(binding, hers)))
      assertState(yield* service.open(binding, nobodys))
    })
  )

  // J-37
  it.effect("for a principal that differs only in a lone surrogate", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* as("user-\ud800")(service.seal(binding, state))
      assert.strictEqual(yield* reasonOf(as("user-\udfff")(service.open(binding, token))), "principal")
      assert.strictEqual(yield* reasonOf(as("user-\ufffd")(service.open(binding, token))), "principal")
      assertState(yield* as("user-\ud800")(service.open(binding, token)))
    })
  )

  // J-25
  it.effect("for a principal that is no text, which cannot seal either", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* service.seal(binding, state)
      for (const principal of [Option.some(7), "alice", undefined, null, {}]) {
        const untyped = Effect.provideService(RequestState.Principal, principal as any)
        assert.strictEqual(yield* reasonOf(untyped(service.open(binding, token))), "principal")
        assert.strictEqual(yield* reasonOf(untyped(service.seal(binding, state))), "principal")
      }
    })
  )

  // J-18: guards the claim exp; strict, so the last millisecond is outside
  it.effect("from the moment its lifetime is over", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const token = yield* service.seal(binding, state)
      yield* TestClock.adjust(599_999)
      assertState(yield* service.open(binding, token))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* reasonOf(service.open(binding, token)), "expired")
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* reasonOf(service.open(binding, token)), "expired")
    })
  )

  // J-19: guards the claim iat
  it.effect("when it was minted more than a minute in the future", () =>
    Effect.gen(function* () {
      const service = yield* server()
      yield* TestClock.setTime(60_000)
      const near = yield* service.seal(binding, state)
      yield* TestClock.setTime(60_001)
      const far = yield* service.seal(binding, state)
      yield* TestClock.setTime(0)
      assertState(yield* service.open(binding, near))
      assert.strictEqual(yield* reasonOf(service.open(binding, far)), "minted in the future")
      yield* TestClock.setTime(1)
      assertState(yield* service.open(binding, far))
    })
  )

  // guards the claim st: a client could keep a durable price alive for ever by sending rounds
  it.effect("when its call began longer ago than a call may last, however young the round", () =>
    Effect.gen(function* () {
      const service = yield* server({ maxAge: "1 hour" })
      yield* TestClock.setTime(3_599_000)
      const token = yield* service.seal(binding, state)
      yield* TestClock.adjust(999)
      assertState(yield* service.open(binding, token))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* reasonOf(service.open(binding, token)), "too old")
    })
  )

  it.effect("when its call is said to begin more than a minute in the future", () =>
    Effect.gen(function* () {
      const service = yield* server()
      const at = (startedAt: number) =>
        Effect.flatMap(service.seal(binding, { ...state, startedAt }), (token) => service.open(binding, token))
      assert.strictEqual((yield* at(60_000)).startedAt, 60_000)
      assert.strictEqual(yield* reasonOf(at(60_001)), "minted in the future")
    })
  )
})

describe("keys rotate without losing a call", () => {
  // J-09
  it.effect("in three phases, each replica by itself, also for a call that spans two of them", () =>
    Effect.gen(function* () {
      const before = yield* server({ keys: [oldKey] })
      const adding = yield* server({ keys: [oldKey, newKey] })
      const sealing = yield* server({ keys: [newKey, oldKey] })
      const after = yield* server({ keys: [newKey] })
      const served = [
        [before, adding],
        [adding, before],
        [adding, sealing],
        [sealing, adding],
        [before, sealing],
        [sealing, after],
        [after, sealing],
        [after, adding]
      ] as const
      for (const [one, other] of served) {
        assertState(yield* other.open(binding, yield* one.seal(binding, state)))
      }
    })
  )

  it.effect("and a retired key opens nothing", () =>
    Effect.gen(function* () {
      const token = yield* Effect.flatMap(server({ keys: [oldKey] }), (old) => old.seal(binding, state))
      const after = yield* server({ keys: [newKey] })
      assert.strictEqual(yield* reasonOf(after.open(binding, token)), "unknown key")
    })
  )

  // J-11
  it.effect("and a text is the same key as its bytes, redacted or not, and the bytes are copied", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode(oldKey)
      const token = yield* Effect.flatMap(server(), (text) => text.seal(binding, state))
      const forms = [oldKey, bytes, Buffer.from(oldKey), Redacted.make(oldKey), Redacted.make(bytes)]
      for (const key of forms) {
        const service = yield* server({ keys: [newKey, key] })
        assertState(yield* service.open(binding, token))
      }
      const starting = yield* Effect.forkChild(server({ keys: [newKey, bytes] }), { startImmediately: true })
      bytes.fill(0)
      assertState(yield* (yield* Fiber.join(starting)).open(binding, token))
    })
  )
})

/** A codec that seals nothing, so that a test can write its own claims. */
const plain: RequestState.Codec = {
  seal: (bytes) => Effect.succeed(Base64Url.encode(bytes)),
  open: (token) => Effect.fromResult(Base64Url.decode(token))
}

const plainServer = (codec: RequestState.Codec = plain) => RequestState.make({ codec, audience: "Bookshop" })

type Claims = Record<string, unknown>

const claimsOf = (token: string): Claims => JSON.parse(textOf(Result.getOrThrow(Base64Url.decode(token))))

describe("authentic bytes are refused", () => {
  const openText = (text: string | Uint8Array) =>
    Effect.flatMap(plainServer(), (service) => service.open(binding, Base64Url.encode(text)))

  const openEdited = (edit: (claims: Claims) => Claims, principal = "alice") =>
    Effect.gen(function* () {
      const service = yield* plainServer()
      const claims = claimsOf(yield* as("alice")(service.seal(binding, state)))
      return yield* as(principal)(service.open(binding, Base64Url.encode(JSON.stringify(edit(claims)))))
    })

  // J-17: no claim that is not documented
  it.effect("unless they hold exactly the documented claims", () =>
    Effect.gen(function* () {
      const service = yield* plainServer()
      yield* TestClock.setTime(5_000)
      const nobodys = claimsOf(yield* service.seal(binding, state))
      assert.deepStrictEqual(Object.keys(nobodys), ["v", "iat", "exp", "st", "m", "t", "a", "aud", "r", "s"])
      assert.strictEqual(nobodys.exp, 605_000)
      assert.strictEqual(nobodys.aud, "Bookshop")
      const hers = yield* Effect.replicateEffect(as("alice")(service.seal(binding, state)), 2)
      const tags = hers.map((token) => claimsOf(token).p)
      // J-23: salted
      assert.strictEqual(new Set(tags).size, 2)
      assertState(yield* openEdited((claims) => claims))
    })
  )

  // J-29: guards v and the types of all claims
  it.effect("when a claim is missing, null or of another type", () =>
    Effect.gen(function* () {
      const required = ["v", "iat", "exp", "st", "m", "t", "a", "s"]
      for (const name of required) {
        const without = ({ [name]: _, ...rest }: Claims) => rest
        assert.strictEqual(yield* reasonOf(openEdited(without)), "claims", name)
      }
      for (const name of [...required.filter((name) => name !== "s"), "aud", "p"]) {
        for (const value of [null, true, [], {}, ["x"]]) {
          assert.strictEqual(yield* reasonOf(openEdited((claims) => ({ ...claims, [name]: value }))), "claims", name)
        }
      }
      for (const v of [0, 2, 99, "1"]) {
        assert.strictEqual(yield* reasonOf(openEdited((claims) => ({ ...claims, v }))), "claims")
      }
      for (const name of ["iat", "exp", "st"]) {
        assert.strictEqual(yield* reasonOf(openEdited((claims) => ({ ...claims, [name]: "5" }))), "claims", name)
      }
    })
  )

  it.effect("when a time is not a number that JSON can hold", () =>
    Effect.gen(function* () {
      const service = yield* plainServer()
      const text = textOf(Result.getOrThrow(Base64Url.decode(yield* service.seal(binding, state))))
      for (const value of ["1e999", "-1e999", "NaN", `"Infinity"`, `"NaN"`]) {
        for (const name of ["iat", "exp", "st"]) {
          const edited = text.replace(new RegExp(`"${name}":\\d+`), `"${name}":${value}`)
          assert.notStrictEqual(edited, text)
          assert.strictEqual(yield* reasonOf(openText(edited)), "claims", edited)
        }
      }
    })
  )

  // own properties only: a prototype in the text gives no claim
  it.effect("when a claim is only inherited", () =>
    Effect.gen(function* () {
      const service = yield* plainServer()
      const { aud, s, ...rest } = claimsOf(yield* service.seal(binding, state))
      const proto = (inherited: Claims, own: Claims) =>
        `{"__proto__":${JSON.stringify(inherited)},${JSON.stringify(own).slice(1)}`
      assert.strictEqual(yield* reasonOf(openText(proto({ s }, { ...rest, aud }))), "claims")
      assert.strictEqual(yield* reasonOf(openText(proto({ aud }, { ...rest, s }))), "audience")
    })
  )

  it.effect("when they are not JSON, not an object or not UTF-8", () =>
    Effect.gen(function* () {
      const service = yield* plainServer()
      const genuine = textOf(Result.getOrThrow(Base64Url.decode(yield* service.seal(binding, state))))
      const texts = [
        "",
        "x",
        "null",
        "1",
        `"text"`,
        "[]",
        "{}",
        genuine.slice(0, -1),
        `${genuine}x`,
        `\ufeff${genuine}`
      ]
      for (const text of texts.slice(1)) assert.strictEqual(yield* reasonOf(openText(text)), "claims", text)
      const broken = new TextEncoder().encode(genuine)
      broken[genuine.indexOf("answers")] = 0xff
      assert.strictEqual(yield* reasonOf(openText(broken)), "claims")
    })
  )

  // J-15: presence on one side only
  it.effect("when the audience is missing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf(openEdited(({ aud: _, ...rest }) => rest)), "audience")
    })
  )

  // J-26
  it.effect("when the tag of the principal is another's, not base64url or cut short", () =>
    Effect.gen(function* () {
      const tag = (edit: (p: string) => string) => openEdited((claims) => ({ ...claims, p: edit(String(claims.p)) }))
      const bad = [(p: string) => p.slice(0, -1), (p: string) => `${p}=`, () => "", () => "alice", () => "***"]
      for (const edit of bad) assert.strictEqual(yield* reasonOf(tag(edit)), "principal")
      assert.strictEqual(yield* reasonOf(openEdited((claims) => claims, "mallory")), "principal")
      assertState(yield* tag((p) => p))
    })
  )

  it.effect("when the tag of the principal is no text, not base64url, cut short or another's", () =>
    Effect.gen(function* () {
      const edited = (p: unknown) => reasonOf(openEdited((claims) => ({ ...claims, p })))
      for (const p of [5, null, true, ["x"], { p: "x" }, undefined]) assert.notStrictEqual(yield* edited(p), "")
      for (const p of ["", "***", "alice"]) assert.strictEqual(yield* edited(p), "principal")
    })
  )
})

describe("a codec of your own", () => {
  // J-12, J-27
  it.effect("fails as a refusal when it opens, and as a failed seal when it seals, in whatever way it fails", () =>
    Effect.gen(function* () {
      const ways: ReadonlyArray<() => any> = [
        () => Effect.fail("kms down"),
        () => Effect.die(new Error("bug")),
        () => {
          throw new Error("thrown before any Effect")
        },
        () => Effect.interrupt,
        () => undefined,
        () => Promise.resolve("a Promise"),
        () => Effect.succeed(undefined),
        () => Effect.succeed(17),
        () => Effect.succeed({ length: 3 })
      ]
      for (const way of ways) {
        const failing = yield* plainServer({ seal: way, open: way })
        const rejected = yield* Effect.flip(failing.open(binding, "token"))
        assert.deepStrictEqual([rejected._tag, rejected.reason], ["Rejected", "codec"])
        const failed = yield* Effect.flip(failing.seal(binding, state))
        assert.deepStrictEqual([failed._tag, failed.reason], ["SealFailed", "codec"])
        assert.isDefined(failed.cause)
      }
      const textual = yield* plainServer({ ...plain, open: () => Effect.succeed("{}" as any) })
      assert.strictEqual(yield* reasonOf(textual.open(binding, "token")), "codec")
      const empty = yield* plainServer({ ...plain, seal: () => Effect.succeed("") })
      assert.strictEqual(yield* reasonOf(empty.seal(binding, state)), "codec")
    })
  )

  it.effect("keeps what it failed with for the log", () =>
    Effect.gen(function* () {
      const service = yield* plainServer({ seal: () => Effect.fail("kms down"), open: () => Effect.fail("kms down") })
      assert.strictEqual((yield* Effect.flip(service.seal(binding, state))).cause, "kms down")
      assert.strictEqual((yield* Effect.flip(service.open(binding, "token"))).cause, "kms down")
    })
  )

  it.effect("may be a slow service, whose delay counts against the lifetime", () =>
    Effect.gen(function* () {
      const called = yield* Queue.unbounded<void>()
      const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
        Queue.offer(called, undefined).pipe(Effect.andThen(Effect.sleep("20 seconds")), Effect.andThen(effect))
      const service = yield* RequestState.make({
        audience: "Bookshop",
        ttl: "1 minute",
        codec: { seal: (bytes) => slowly(plain.seal(bytes)), open: (token) => slowly(plain.open(token)) }
      })
      const waitFor = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(effect)
          yield* Queue.take(called)
          yield* TestClock.adjust("20 seconds")
          return yield* Fiber.join(fiber)
        })
      const token = yield* waitFor(service.seal(binding, state))
      assert.strictEqual(claimsOf(token).iat, 0)
      assertState(yield* waitFor(service.open(binding, token)))
      assert.strictEqual(yield* reasonOf(waitFor(service.open(binding, token))), "expired")
    })
  )

  it.effect("is interrupted with the request, which is not a refusal", () =>
    Effect.gen(function* () {
      const service = yield* plainServer({ seal: () => Effect.never, open: () => Effect.never })
      for (const effect of [service.seal(binding, state), service.open(binding, "token")]) {
        const fiber = yield* Effect.forkChild(effect as Effect.Effect<unknown, unknown>, { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      }
    })
  )
})

describe("the seal without configuration", () => {
  it.effect("needs no layer, and says that its key is the process's own", () =>
    Effect.gen(function* () {
      const service = yield* RequestState.RequestState
      assert.isFalse(service.configured)
      assert.strictEqual(service.maxBytes, 65_536)
      assertState(yield* service.open(binding, yield* service.seal(binding, state)))
      assert.isTrue((yield* server()).configured)
      assert.isTrue((yield* plainServer()).configured)
    })
  )

  it.effect("has one key, also when its first uses come at once", () =>
    Effect.gen(function* () {
      const service = yield* served(RequestState.layerEphemeral())
      const tokens = yield* Effect.all(
        Array.from({ length: 10 }, () => service.seal(binding, state)),
        { concurrency: "unbounded" }
      )
      for (const token of tokens) assertState(yield* service.open(binding, token))
    })
  )
})

describe("digest", () => {
  // I-02: the vectors of the reference
  it.effect("is 22 characters of SHA-256", () =>
    Effect.gen(function* () {
      const service = yield* RequestState.RequestState
      assert.strictEqual(yield* service.digest("null"), "dCNOmK_nSY-12vHzasLXig")
      assert.strictEqual(
        yield* service.digest(
          `{"mode":"form","message":"Name?","requestedSchema":{"properties":{"username":{"title":"Username","type":"string"}},` +
            `"required":["username"],"title":"Login","type":"object"}}`
        ),
        "gyDVyNwUtruK81xM1PrAAg"
      )
    })
  )
})

describe("options that cannot be used are refused when the layer is built", () => {
  // J-10
  it.effect("a key that is too short, naming it, its size and how to make one", () =>
    Effect.gen(function* () {
      const message = yield* descriptionOf(server({ keys: [oldKey, "s3cret".padEnd(31, "!")] }))
      assert.include(message, "RequestState: keys[1] is 31 bytes; a key is at least 32 bytes of secret randomness.")
      assert.include(message, `node -e "`)
      assert.notInclude(message, "s3cret")
      const redacted = yield* descriptionOf(server({ keys: [Redacted.make("short")] }))
      assert.include(redacted, "keys[0] is 5 bytes")
      yield* server({ keys: ["é".repeat(16)] })
    })
  )

  it.effect("an empty ring, a repeated key and something that is no key", () =>
    Effect.gen(function* () {
      assert.include(yield* descriptionOf(server({ keys: [] })), "keys is empty")
      const repeated = [oldKey, newKey, Redacted.make(new TextEncoder().encode(newKey))]
      assert.include(yield* descriptionOf(server({ keys: repeated })), "keys[2] repeats keys[1]")
      assert.include(yield* descriptionOf(server({ keys: [oldKey, 42 as any] })), "keys[1] is a number")
      assert.include(yield* descriptionOf(server({ keys: [Redacted.make(null as any)] })), "keys[0] is")
    })
  )

  // J-12, J-16
  it.effect("no audience, neither or both of keys and codec, a lifetime that is none", () =>
    Effect.gen(function* () {
      assert.include(yield* descriptionOf(server({ audience: "" })), "audience")
      const both: any = { audience: "Bookshop", keys: [oldKey], codec: plain }
      assert.include(yield* descriptionOf(RequestState.make(both)), "either keys or a codec")
      const neither: any = { audience: "Bookshop" }
      assert.include(yield* descriptionOf(RequestState.make(neither)), "either keys or a codec")
      for (const duration of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "Infinity", "soon" as any] as const) {
        assert.include(yield* descriptionOf(server({ ttl: duration })), "ttl must be")
        assert.include(yield* descriptionOf(server({ maxAge: duration })), "maxAge must be")
        const ephemeral = served(RequestState.layerEphemeral({ ttl: duration }))
        assert.include(yield* descriptionOf(ephemeral), "ttl must be")
      }
      for (const maxBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        assert.include(yield* descriptionOf(server({ maxBytes })), "maxBytes must be")
      }
    })
  )
})

it("keys without an audience, and keys beside a codec, do not compile", () => {
  // @ts-expect-error two services with one secret would take each other's states
  RequestState.layer({ keys: [oldKey] })
  // @ts-expect-error a codec has its own
  RequestState.layer({ audience: "Bookshop", codec: plain, keys: [oldKey] })
  // @ts-expect-error one of the two
  RequestState.layer({ audience: "Bookshop" })
})

describe("layers", () => {
  const env = (env: Record<string, string>) => Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))

  it.effect("read keys from one variable, the sealing key first", () =>
    Effect.gen(function* () {
      const layer = RequestState.layerConfig({
        keys: Config.Redacted("REQUEST_STATE_KEYS"),
        audience: Config.String("SERVICE_NAME"),
        ttl: Config.Duration("STATE_TTL"),
        maxAge: "4 seconds",
        maxBytes: 1_000
      })
      const variables = { SERVICE_NAME: "Bookshop", STATE_TTL: "5 seconds" }
      const rotating = yield* served(layer.pipe(env({ ...variables, REQUEST_STATE_KEYS: ` ${newKey}, ${oldKey}\n` })))
      assert.deepStrictEqual([rotating.configured, rotating.maxBytes], [true, 1_000])
      const fromOld = yield* Effect.flatMap(server(), (old) => old.seal(binding, state))
      assertState(yield* rotating.open(binding, fromOld))
      const fromNew = yield* rotating.seal(binding, state)
      assert.strictEqual(yield* reasonOf(Effect.flatMap(server(), (old) => old.open(binding, fromNew))), "unknown key")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* reasonOf(rotating.open(binding, fromNew)), "too old")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* reasonOf(rotating.open(binding, fromNew)), "expired")
    })
  )

  it.effect("read keys from a list, and say which one is too short or missing without showing any", () =>
    Effect.gen(function* () {
      const layer = RequestState.layerConfig({
        keys: Config.all([Config.Redacted("NEW_KEY"), Config.Redacted("OLD_KEY")]),
        audience: "Bookshop"
      })
      const rotating = yield* served(layer.pipe(env({ NEW_KEY: newKey, OLD_KEY: oldKey })))
      const fromOld = yield* Effect.flatMap(server(), (old) => old.seal(binding, state))
      assertState(yield* rotating.open(binding, fromOld))
      const short = yield* Effect.flip(served(layer.pipe(env({ NEW_KEY: newKey, OLD_KEY: "hunter2" }))))
      assert.include(short.message, "keys[1] is 7 bytes")
      assert.notInclude(short.message, "hunter2")
      const missing = yield* Effect.flip(served(layer.pipe(env({ NEW_KEY: newKey }))))
      assert.include(missing.message, "OLD_KEY")
      assert.notInclude(missing.message, newKey)
      const empty = RequestState.layerConfig({ keys: Config.Redacted("KEYS"), audience: "Bookshop" })
      assert.include((yield* Effect.flip(served(empty.pipe(env({ KEYS: " , " }))))).message, "keys is empty")
    })
  )

  it.effect("with the same keys and audience finish each other's calls", () =>
    Effect.gen(function* () {
      const replica = () => served(RequestState.layer({ keys: [oldKey], audience: "Bookshop" }))
      const token = yield* Effect.flatMap(replica(), (one) => one.seal(binding, state))
      assertState(yield* Effect.flatMap(replica(), (other) => other.open(binding, token)))
    })
  )
})

// J-30, I14
describe("a rejection", () => {
  it.effect("never shows the token, what was inside or the principal", () =>
    Effect.gen(function* () {
      const canary = "canary-4711"
      const secret = { ...binding, target: `t-${canary}`, arguments: { title: canary } }
      const service = yield* server({ ttl: "1 second" })
      const readable = yield* plainServer()
      const token = yield* as(canary)(service.seal(secret, { startedAt: 0, payload: canary }))
      const claims = claimsOf(yield* readable.seal(secret, { startedAt: 0, payload: canary }))
      const broken = Base64Url.encode(JSON.stringify({ ...claims, iat: canary }))
      yield* TestClock.adjust("1 second")
      const causes = yield* Effect.all(
        [
          Effect.sandbox(as(canary)(service.open(secret, token))),
          Effect.sandbox(service.open(secret, `${token}=${canary}`)),
          Effect.sandbox(service.open(secret, `v1.${token.slice(3, -1)}`)),
          Effect.sandbox(readable.open(secret, broken)),
          Effect.sandbox(readable.open(secret, Base64Url.encode(`{"s":"${canary}"`)))
        ].map(Effect.flip)
      )
      for (const cause of causes) {
        const shown = inspect(cause, { depth: 10 }) + Cause.pretty(cause) + JSON.stringify(cause)
        assert.include(shown, "requestState rejected: ")
        assert.notInclude(shown, canary)
        assert.notInclude(shown, token.slice(3, 40))
        assert.notInclude(shown, broken.slice(0, 40))
      }
    })
  )

  it("has one frozen answer for the client", () => {
    assert.deepStrictEqual(RequestState.refusal, {
      code: -32602,
      message: "Invalid or expired requestState",
      data: { reason: "invalid_request_state" }
    })
    assert.isTrue(Object.isFrozen(RequestState.refusal) && Object.isFrozen(RequestState.refusal.data))
  })
})
