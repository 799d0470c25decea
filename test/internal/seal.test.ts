/** What the public module cannot show: the bytes of a token, the derived key, and a policy without an audience (I8). */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { issue, verify } from "../../src/internal/state/claims.ts"
import { deriveKey, once, type Ring, ringCodec, tools } from "../../src/internal/state/seal.ts"

const secret = new TextEncoder().encode("a secret of at least 32 bytes, as an operator would give")

const codecOf = Effect.fnUntraced(function* (...secrets: ReadonlyArray<Uint8Array>) {
  const services = yield* tools
  const [first, ...rest] = yield* Effect.forEach(secrets, (secret) => deriveKey(services, secret))
  const ring: Ring = [first!, ...rest]
  return ringCodec(Effect.succeed(services), Effect.succeed(ring))
})

// the format again, in node:crypto: from its description at the top of seal.ts, not from what seal.ts does
const key = Buffer.from(hkdfSync("sha256", secret, "", "effect-resolve/request-state/v1/aes-256-gcm", 32))
const kid = createHash("sha256").update("effect-resolve/request-state/v1/kid:").update(key).digest().subarray(0, 4)
const associated = Buffer.concat([Buffer.from("v1."), kid])

const openByHand = (token: string): string => {
  const bytes = Buffer.from(token.slice(3), "base64url")
  assert.isTrue(bytes.subarray(0, 4).equals(kid))
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(4, 16))
  decipher.setAAD(associated)
  decipher.setAuthTag(bytes.subarray(-16))
  return decipher.update(bytes.subarray(16, -16), undefined, "utf8") + decipher.final("utf8")
}

const sealByHand = (text: string, aad = associated): string => {
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  cipher.setAAD(aad)
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return `v1.${Buffer.concat([kid, nonce, body, cipher.getAuthTag()]).toString("base64url")}`
}

describe("the sealed bytes", () => {
  it.effect("are AES-256-GCM under the HKDF of the secret, with prefix and key id authenticated", () =>
    Effect.gen(function* () {
      const codec = yield* codecOf(secret)
      const token = yield* codec.seal(new TextEncoder().encode("inside"))
      assert.strictEqual(openByHand(token), "inside")
      assert.strictEqual(token.length, 3 + Math.ceil(((4 + 12 + 6 + 16) * 4) / 3))
      const opened = yield* codec.open(sealByHand("inside"))
      assert.strictEqual(new TextDecoder().decode(opened), "inside")
    })
  )

  it.effect("do not open when the prefix or the key id was not authenticated with them", () =>
    Effect.gen(function* () {
      const codec = yield* codecOf(secret)
      for (const aad of [kid, Buffer.from("v1."), Buffer.alloc(0), Buffer.concat([Buffer.from("v2."), kid])]) {
        assert.include(String(yield* Effect.flip(codec.open(sealByHand("inside", aad)))), "seal")
      }
    })
  )

  it.effect("hold any bytes, none included", () =>
    Effect.gen(function* () {
      const codec = yield* codecOf(secret)
      for (const bytes of [
        new Uint8Array(0),
        Uint8Array.from({ length: 256 }, (_, byte) => byte),
        new Uint8Array(65_536)
      ]) {
        assert.deepStrictEqual(yield* codec.open(yield* codec.seal(bytes)), bytes)
      }
    })
  )

  it.effect("never repeat a nonce in a thousand seals", () =>
    Effect.gen(function* () {
      const codec = yield* codecOf(secret)
      const tokens = yield* Effect.replicateEffect(codec.seal(new Uint8Array(1)), 1_000)
      const nonces = tokens.map((token) => Buffer.from(token.slice(3), "base64url").subarray(4, 16).toString("hex"))
      assert.strictEqual(new Set(nonces).size, 1_000)
    })
  )
})

describe("claims without an audience", () => {
  // the presence of an audience must match both ways
  it.effect("are good only where none is demanded", () =>
    Effect.gen(function* () {
      const services = yield* tools
      const binding = { method: "prompts/get", target: "blurb", arguments: undefined } as const
      const state = { startedAt: 0, payload: "p" }
      const policy = (audience: string | undefined) => ({ audience, ttl: 1_000, maxAge: 1_000 })
      const without = yield* issue(services, policy(undefined), binding, undefined, state)
      const within = yield* issue(services, policy("Bookshop"), binding, undefined, state)
      const check = (audience: string | undefined, claims: Uint8Array) =>
        verify(services, policy(audience), binding, undefined, claims)
      assert.deepInclude(yield* check(undefined, without), { ...state, issuedAt: 0, expiresAt: 1_000 })
      assert.strictEqual((yield* Effect.flip(check("Bookshop", without))).reason, "audience")
      assert.strictEqual((yield* Effect.flip(check(undefined, within))).reason, "audience")
    })
  )
})

describe("once", () => {
  it.effect("gives all the value of one, also to those that came while it was being made", () =>
    Effect.gen(function* () {
      let made = 0
      const value = once(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => ++made)
        )
      )
      const all = yield* Effect.all([value, value, value], { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set([...all, yield* value]).size, 1)
    })
  )

  it.effect("keeps no failure", () =>
    Effect.gen(function* () {
      let tries = 0
      const value = once(Effect.suspend(() => (++tries === 1 ? Effect.fail("not yet") : Effect.succeed(tries))))
      assert.strictEqual(yield* Effect.flip(value), "not yet")
      assert.strictEqual(yield* value, 2)
      assert.strictEqual(yield* value, 2)
    })
  )
})
