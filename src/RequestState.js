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
 *   call in their own name.
 * - Keys in the source, in git or in an image. They belong in the environment or a secret store: {@link layerConfig}.
 */
import { Config, Context, Data, Duration, Effect, Layer, Option, Redacted } from "effect";
import { Base64Url } from "effect/encoding";
import { issue, verify } from "./internal/claims.js";
import { deriveKey, once, openWith, Rejected, ringCodec, SealFailed, sameBytes, sealWith, sha256, utf8, tools as webCrypto } from "./internal/seal.js";
export { Rejected, refusal, SealFailed } from "./internal/seal.js";
/**
 * Who the request comes from, for the authentication middleware to provide: any stable text that is one person's or one
 * client's alone, such as issuer and subject joined. None (the default) when nobody is authenticated.
 *
 * A state sealed for a principal opens for the same one only, and a state sealed for nobody opens for nobody else. Only a
 * salted digest of the text is in the state.
 *
 * @category services
 * @since 0.1.0
 */
export const Principal = Context.Reference("effect-resolve/RequestState/Principal", { defaultValue: () => Option.none() });
/**
 * Says which option cannot be used and what to do about it, when the layer is built. It never shows a key.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidOptions extends Data.TaggedError("InvalidOptions") {
    get message() {
        return `RequestState: ${this.description}`;
    }
}
const invalid = (description) => Effect.fail(new InvalidOptions({ description }));
const makeOne = `Make one with: node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`;
const defaults = { ttl: 600_000, maxAge: 3_600_000, maxBytes: 65_536 };
const readDuration = (name, input) => {
    const duration = input === undefined ? Option.some(Duration.millis(defaults[name])) : Duration.fromInput(input);
    const millis = Option.match(duration, { onNone: () => Number.NaN, onSome: Duration.toMillis });
    return millis > 0 && Number.isFinite(millis)
        ? Effect.succeed(millis)
        : invalid(`${name} must be a positive, finite duration`);
};
const readSettings = Effect.fnUntraced(function* (limits, audience) {
    const maxBytes = limits.maxBytes ?? defaults.maxBytes;
    if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
        return yield* invalid("maxBytes must be a positive whole number");
    }
    return {
        audience,
        maxBytes,
        ttl: yield* readDuration("ttl", limits.ttl),
        maxAge: yield* readDuration("maxAge", limits.maxAge)
    };
});
const readKey = (key, index) => {
    const secret = Redacted.isRedacted(key) ? Redacted.value(key) : key;
    if (typeof secret !== "string" && !(secret instanceof Uint8Array)) {
        return invalid(`keys[${index}] is a ${typeof secret}; a key is a string, a Uint8Array or a Redacted of one`);
    }
    // copied: the caller may wipe or reuse its buffer
    const bytes = typeof secret === "string" ? utf8(secret) : Uint8Array.from(secret);
    return bytes.length >= 32
        ? Effect.succeed(bytes)
        : invalid(`keys[${index}] is ${bytes.length} bytes; a key is at least 32 bytes of secret randomness. ${makeOne}`);
};
const makeRing = Effect.fnUntraced(function* (tools, keys) {
    const secrets = yield* Effect.forEach(keys, readKey);
    const [first, ...rest] = yield* Effect.forEach(secrets, (secret) => Effect.orDie(deriveKey(tools, secret)));
    if (first === undefined)
        return yield* invalid(`keys is empty; the first key seals and every key opens. ${makeOne}`);
    const ring = [first, ...rest];
    for (const [index, { kid }] of ring.entries()) {
        // by key id, which is what a token names: two keys that share one could not be told apart
        const earlier = ring.findIndex((key) => sameBytes(key.kid, kid));
        if (earlier < index)
            return yield* invalid(`keys[${index}] repeats keys[${earlier}]; remove one of them`);
    }
    return ring;
});
const currentPrincipal = Effect.gen(function* () {
    // unknown: a middleware without types may provide anything, and only a text or nobody may pass
    const principal = yield* Principal;
    if (Option.isOption(principal)) {
        if (Option.isNone(principal))
            return undefined;
        if (typeof principal.value === "string")
            return principal.value;
    }
    return yield* Effect.fail("not a principal");
});
const build = (settings, tools, codec, failure, configured) => ({
    maxBytes: settings.maxBytes,
    configured,
    digest: (text) => tools.pipe(Effect.flatMap((tools) => sha256(tools, utf8(text))), Effect.map((hash) => Base64Url.encode(hash.subarray(0, 16)))),
    seal: Effect.fnUntraced(function* (binding, state) {
        const principal = yield* Effect.mapError(currentPrincipal, () => new SealFailed({ reason: "principal" }));
        const claims = yield* issue(yield* tools, settings, binding, principal, state);
        return yield* sealWith(codec, claims, failure);
    }),
    open: Effect.fnUntraced(function* (binding, token) {
        if (typeof token !== "string")
            return yield* new Rejected({ reason: "not a string" });
        if (token === "")
            return yield* new Rejected({ reason: "malformed" });
        // before any work on it: nothing longer was ever minted
        if (token.length > settings.maxBytes)
            return yield* new Rejected({ reason: "too long" });
        const claims = yield* openWith(codec, token, failure);
        const principal = yield* Effect.mapError(currentPrincipal, () => new Rejected({ reason: "principal" }));
        return yield* verify(yield* tools, settings, binding, principal, claims);
    })
});
const ephemeral = (settings) => {
    const tools = once(webCrypto);
    const ring = once(Effect.gen(function* () {
        const services = yield* tools;
        return [yield* deriveKey(services, yield* services.random.randomBytes(32))];
    }));
    return build(settings, tools, ringCodec(tools, ring), "seal", false);
};
/**
 * The seal in use. Its default has a random key of this process, made at its first use.
 *
 * @category services
 * @since 0.1.0
 */
export const RequestState = Context.Reference("effect-resolve/RequestState", {
    defaultValue: () => ephemeral({ ...defaults, audience: undefined })
});
/**
 * Makes a seal that other processes can share. Fails with {@link InvalidOptions} that says what to change: an empty ring,
 * a key of less than 32 bytes, a repeated key, an empty audience, a lifetime that is not positive and finite.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (options) {
    const settings = yield* readSettings(options, options.audience);
    if (typeof options.audience !== "string" || options.audience === "") {
        return yield* invalid("audience must be the name of your service, the same in every replica");
    }
    if ((options.keys === undefined) === (options.codec === undefined)) {
        return yield* invalid("give either keys or a codec");
    }
    const tools = once(webCrypto);
    if (options.keys === undefined)
        return build(settings, tools, options.codec, "codec", true);
    const ring = yield* makeRing(yield* tools, options.keys);
    return build(settings, tools, ringCodec(tools, Effect.succeed(ring)), "seal", true);
});
/**
 * Layer that seals under keys (or a codec) of yours, for a server of more than one process: {@link make}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options) => Layer.effect(RequestState, make(options));
/**
 * Layer that seals under a random key of its own, which ends with the process: for stdio, tests and a single process.
 * Each layer has another key, so two servers never take each other's states.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerEphemeral = (options = {}) => Layer.effect(RequestState, Effect.map(readSettings(options, options.audience), ephemeral));
const splitKeys = (keys) => Redacted.isRedacted(keys)
    ? Redacted.value(keys)
        .split(/[\s,]+/)
        .filter((key) => key !== "")
        .map((key) => Redacted.make(key))
    : keys;
const configured = (option) => Config.isConfig(option) ? option : Effect.succeed(option);
/**
 * Layer that reads its keys and options from the configuration, so that no secret is in the program. Fails as
 * {@link layer} does, and with the `ConfigError` of a setting that is missing.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (options) => Layer.effect(RequestState, Effect.gen(function* () {
    return yield* make({
        keys: splitKeys(yield* options.keys),
        audience: yield* configured(options.audience),
        ttl: yield* configured(options.ttl),
        maxAge: yield* configured(options.maxAge),
        maxBytes: yield* configured(options.maxBytes)
    });
}));
