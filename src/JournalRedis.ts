/**
 * `Journal` on Redis, by effect's `Redis` service: `NodeRedis.layer` of `@effect/platform-node/NodeRedis` is one, with
 * `redis` beside it. By itself, so that nothing else loads it.
 *
 * **Set Redis to keep what it is told:** `appendonly yes`, `appendfsync always`, `maxmemory-policy noeviction`. Without
 * them a Redis that is killed forgets its last claims, and a round may run twice; the layer warns at its start when Redis
 * says so. A failover to a replica that was behind forgets claims as well. Redis 6.0 and later.
 *
 * @since 0.2.0
 */
import { Clock, Effect, Layer } from "effect"
import { Redis } from "effect/persistence/Redis"
import * as Text from "./internal/base/sentences.ts"
import { read, write } from "./internal/state/claimText.ts"
import type { JournalError, Store } from "./internal/state/journal.ts"
import * as Public from "./Journal.ts"

/**
 * Options of {@link layer}: those of `Journal`, and what the keys in Redis begin with (`effect-resolve:journal:`).
 *
 * @category models
 * @since 0.2.0
 */
export interface Options extends Public.Options {
  readonly prefix?: string | undefined
}

// An entry is one text: a letter for what it is, then the owner of an open claim and its line, or the reply.
const isOwn = `string.sub(v or '', 1, #ARGV[1] + 2) == 'o' .. ARGV[1] .. ' '`

const claim = `local v = redis.call('GET', KEYS[1])
if v then return v end
redis.call('SET', KEYS[1], 'o' .. ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return ''`

// a Redis that has forgotten the claim takes the reply all the same: then it is at least not run again
const keep = `local v = redis.call('GET', KEYS[1])
if not v then redis.call('SET', KEYS[1], 'k' .. ARGV[2], 'PX', ARGV[3])
elseif ${isOwn} then redis.call('SET', KEYS[1], 'k' .. ARGV[2], 'KEEPTTL') end
return 1`

const release = `local v = redis.call('GET', KEYS[1])
if ${isOwn} then redis.call('DEL', KEYS[1]) end
return 1`

const settle = `local v = redis.call('GET', KEYS[1])
if string.sub(v or '', 1, 1) ~= 'o' then return 0 end
if ARGV[1] == 'again' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], 's', 'KEEPTTL') end
return 1`

/** Names are taken literally: SCAN reads patterns. */
const literally = (text: string) => text.replace(/[\\*?[\]]/g, (character) => `\\${character}`)

const makeStore = (redis: Redis["Service"], prefix: string): Store => {
  const run = <A>(script: string, key: string, ...args: ReadonlyArray<string>) =>
    redis.send<A>("EVAL", script, "1", prefix + key, ...args)
  const left = (expiresAt: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => String(Math.max(1, Math.ceil(expiresAt - now))))
  const lookAt = (name: string) =>
    Effect.flatMap(redis.send<string | null>("GET", name), (value) =>
      value?.startsWith("o") === true
        ? Effect.map(read(name.slice(prefix.length), value.slice(value.indexOf(" ") + 1)), (claim) => [claim])
        : Effect.succeed([])
    )
  const scan = (cursor: string): Effect.Effect<ReadonlyArray<string>, unknown> =>
    Effect.flatMap(
      redis.send<readonly [cursor: string, names: ReadonlyArray<string>]>(
        "SCAN",
        cursor,
        "MATCH",
        `${literally(prefix)}*`,
        "COUNT",
        "1000"
      ),
      ([next, names]) => (next === "0" ? Effect.succeed(names) : Effect.map(scan(next), (more) => [...names, ...more]))
    )
  return {
    claim: (entry) =>
      Effect.flatMap(left(entry.expiresAt), (ttl) =>
        run<string>(claim, entry.key, entry.owner, write(entry), ttl)
      ).pipe(
        Effect.map((value) => {
          switch (value.charAt(0)) {
            case "":
              return { _tag: "Claimed" }
            case "k":
              return { _tag: "Kept", kept: value.slice(1) }
            case "s":
              return { _tag: "Spent" }
            default:
              // a claim of our own is one whose answer was lost on the way here
              return value.startsWith(`o${entry.owner} `) ? { _tag: "Claimed" } : { _tag: "Open" }
          }
        })
      ),
    keep: ({ expiresAt, key, owner }, kept) =>
      Effect.flatMap(left(expiresAt), (ttl) => run(keep, key, owner, kept, ttl)),
    release: ({ key, owner }) => run(release, key, owner),
    inDoubt: Effect.flatMap(scan("0"), (names) =>
      // a name that SCAN gives twice is one
      Effect.map(Effect.forEach(new Set(names), lookAt, { concurrency: 16 }), (claims) => claims.flat())
    ),
    settle: (key, decision) => Effect.map(run<number>(settle, key, decision), (settled) => Number(settled) === 1)
  }
}

/** Where Redis may be asked: a service for rent may refuse to say, and that is no fault. */
const warn = (redis: Redis["Service"]) =>
  Effect.forEach(
    [
      ["appendonly", "yes"],
      ["appendfsync", "always"],
      ["maxmemory-policy", "noeviction"]
    ] as const,
    ([name, wanted]) =>
      // a list or an object, as the client has it
      Effect.map(redis.send<object>("CONFIG", "GET", name), (found) => Object.values(found).includes(wanted))
  ).pipe(
    Effect.flatMap((durable) => (durable.every(Boolean) ? Effect.void : Effect.logWarning(Text.forgetfulRedis))),
    Effect.timeout("2 seconds"),
    Effect.ignore
  )

/**
 * Layer of a journal on Redis, for any number of replicas that share it. Each round is one key, which ends by itself when
 * its state does. Fails with `Journal.JournalError` when an option cannot be used.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = ({
  prefix = "effect-resolve:journal:",
  ...options
}: Options = {}): Layer.Layer<never, JournalError, Redis> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const redis = yield* Redis
      yield* warn(redis)
      return Public.layer(makeStore(redis, prefix), options)
    })
  )
