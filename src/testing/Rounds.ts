/**
 * What may happen to a call of 2026-07-28 between its rounds, made to happen in a test: it comes to another server, keys
 * are rotated, a round is repeated or comes late. Result and effects must stay the same.
 *
 * Nothing is held in a server's memory between two rounds, so all of this happens in use as soon as there are two
 * replicas, a deployment, or a client with a bad connection.
 *
 * @since 0.2.0
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as RequestState from "../RequestState.ts"
import * as Answer from "./Answer.ts"
import type * as Adapters from "./internal/adapters.ts"
import * as Text from "./internal/messages.ts"
import { textOf } from "./internal/questions.ts"
import { type Player, player } from "./internal/script.ts"
import type * as Servers from "./internal/server.ts"
import * as Peer from "./Peer.ts"
import { type JsonRpcError, PeerFailure } from "./PeerError.ts"

/**
 * One thing that happens between rounds.
 *
 * **Details**
 *
 * - `move`: every round comes to a server that has not seen the call.
 * - `rotate`: every round comes to a server that seals with a new key and still opens the older ones.
 * - `delay`: a minute passes before each round, on the test's clock.
 * - `extra`: answers that nobody asked for come with the answers.
 * - `repeat`: every round but the first is sent a second time, to another server.
 * - `drop`: the reply of every round but the first is lost, and the client sends that round again.
 * - `reorder`: after each round the one before it comes once more, late.
 *
 * The last three are a client that sends one round twice. Only a journal makes that safe for what happened in it: see
 * {@link all}. The first round is never sent twice: without a state it is a call of its own.
 *
 * @category models
 * @since 0.2.0
 */
export type Fault = "move" | "rotate" | "delay" | "extra" | "repeat" | "drop" | "reorder"

/**
 * What every tool bears: what {@link split} does unless told otherwise.
 *
 * @category constants
 * @since 0.2.0
 */
export const safe: ReadonlyArray<Fault> = ["move", "rotate", "delay", "extra"]

/**
 * Everything, rounds that are sent twice included: for tools whose effects do no harm when they are done again, and for
 * servers with a journal.
 *
 * @category constants
 * @since 0.2.0
 */
export const all: ReadonlyArray<Fault> = [...safe, "repeat", "drop", "reorder"]

/**
 * A world to run a call in: what is served, and what has become of it. `effects` is read when the call has ended, and
 * compared: the orders in a store, the mails sent.
 *
 * **Details**
 *
 * The splitter gives the registrations their `RequestState`, since it must know the keys: leave it out of them.
 *
 * @category models
 * @since 0.2.0
 */
export interface World<RA = any, RE = any, RR = any> {
  readonly registrations: Layer.Layer<RA, RE, RR>
  readonly effects?: Effect.Effect<unknown> | undefined
}

/**
 * How to split a call.
 *
 * **Details**
 *
 * - `world` is run once for each way, so that every way begins with the same world.
 * - `first` sends the first round: `(peer) => peer.callToolOnce("order_book", { title: "Dune" })`.
 * - `answers`: the script, as `Peer.make` takes it; every way is answered by it from its beginning.
 * - `faults`: {@link safe} by default. Each is tried by itself, then all of them at once.
 * - `outcome`: what of the result is compared; all of it by default.
 * - `maxRounds`: 10, as for a peer.
 *
 * @category models
 * @since 0.2.0
 */
export interface Options<A, RA, RE, RR> {
  readonly world: Effect.Effect<World<RA, RE, RR>>
  readonly first: (peer: Peer.Peer) => Effect.Effect<Peer.Round<A>, JsonRpcError>
  readonly answers?: Answer.Script | undefined
  readonly faults?: ReadonlyArray<Fault> | undefined
  readonly outcome?: ((result: A) => unknown) | undefined
  readonly maxRounds?: number | undefined
}

const key = (index: number): string => `effect-resolve/testing: a secret of no worth, ${index}`

/** Servers of one world: the same keys each, or with `rotate` one key more for each further one. */
const serve = Effect.fnUntraced(function* (
  { registrations }: World,
  faults: ReadonlyArray<Fault>,
  script: Player,
  scope: Scope.Scope
) {
  const rotates = faults.includes("rotate")
  const moves = rotates || faults.includes("move")
  const peers: Array<Peer.Peer> = []
  const at = (round: number): Effect.Effect<Peer.Peer, any, any> =>
    Effect.suspend(() => {
      const index = moves ? round : 0
      const there = peers[index]
      if (there !== undefined) return Effect.succeed(there)
      const keys = Array.from({ length: rotates ? index + 1 : 1 }, (_, age) => key(rotates ? index - age : 0))
      const state = RequestState.layer({ keys, audience: "effect-resolve/testing" })
      const made = Peer.make({ registrations: Layer.provide(registrations, state), answers: script.take })
      return Effect.tap(Scope.provide(made, scope), (peer) => Effect.sync(() => peers.push(peer)))
    })
  // one after the other: what a round needs is there
  return (round: number) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: round + 1 }, (_, index) => index),
        at
      ),
      (all) => all[round]!
    )
})

type Answers = { readonly [key: string]: Answer.Answer }

const ask = <A>(round: Peer.InputRequired<A>, script: Player): Effect.Effect<Answers> =>
  Effect.map(
    Effect.forEach(Object.entries(round.inputRequests), ([key, { method, params }]) => {
      const kind = method as Answer.QuestionMethod // what is none, no script answers
      const question = { key, method: kind, params, message: textOf(kind, params), target: undefined }
      return Effect.map(script.take(question), (answer) => [key, answer] as const)
    }),
    (answers): Answers => Object.fromEntries(answers)
  )

/** Under names that no resolver has, and under one that objects have by themselves. */
const unasked: Answers = {
  "effect-resolve/testing/nobody": Answer.accept({ forged: true }),
  constructor: Answer.decline
}

const run = <A, RA, RE, RR>(options: Options<A, RA, RE, RR>, faults: ReadonlyArray<Fault>) =>
  Effect.gen(function* () {
    const has = (fault: Fault) => faults.includes(fault)
    const scope = yield* Scope.Scope
    const world = yield* options.world
    const script = player(options.answers)
    const serverOf = yield* serve(world, faults, script, scope)
    const questions: Array<string> = []
    const cap = options.maxRounds ?? 10

    const rounds = Effect.gen(function* () {
      let last: Peer.Round<A> = yield* options.first(yield* serverOf(0))
      let before: ((peer: Peer.Peer) => Effect.Effect<unknown, JsonRpcError>) | undefined
      for (let count = 1; last._tag === "InputRequired"; count++) {
        if (count === cap) return yield* broken(Text.tooManyRounds("split", Object.keys(last.inputRequests), cap))
        const asked: Peer.InputRequired<A> = last
        questions.push(...Object.entries(asked.inputRequests).map((one) => JSON.stringify(one)))
        const answers = yield* ask(asked, script)
        const send = (peer: Peer.Peer) =>
          peer.retry(asked, { inputResponses: has("extra") ? { ...unasked, ...answers } : answers })
        if (has("delay")) yield* TestClock.adjust("1 minute")
        const here = yield* serverOf(count)
        if (has("drop")) yield* Effect.exit(send(here))
        last = yield* send(here)
        if (has("repeat")) yield* Effect.exit(send(yield* serverOf(count + 1)))
        if (has("reorder") && before !== undefined) yield* Effect.exit(before(yield* serverOf(count + 1)))
        before = send
      }
      return last.value
    })

    const end = yield* Effect.exit(rounds)
    if (Exit.isSuccess(end)) {
      const unused = script.unused()
      if (unused.length > 0) return yield* broken(Text.unused(unused))
    }
    return { end, effects: world.effects === undefined ? undefined : yield* world.effects, questions }
  }).pipe(Effect.scoped)

const broken = (message: string): Effect.Effect<never> => Effect.die(new PeerFailure({ message }))

const told = (value: unknown): string => JSON.stringify(value) ?? "nothing"

/** An end as data: what a client would see of it, and nothing of how it was sent. */
const seen = <A>(end: Exit.Exit<A, JsonRpcError>, outcome: ((result: A) => unknown) | undefined): string =>
  Exit.match(end, {
    onSuccess: (value) => told(outcome === undefined ? value : outcome(value)),
    onFailure: (cause) => {
      const refusal = cause.reasons.find((reason) => reason._tag === "Fail")
      return refusal === undefined ? String(cause) : `${refusal.error.code} ${refusal.error.message}`
    }
  })

/**
 * Runs a call as it is, then once for each fault and once with all of them, and fails the test when its result, its
 * effects or its questions are not the same. Gives the result.
 *
 * **Example** (A tool whose rounds may come to any server)
 *
 * ```ts
 * import { assert, it } from "@effect/vitest"
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Elicitation, Resolve, Resolver } from "effect-resolve"
 * import { Answer, Rounds } from "effect-resolve/testing"
 *
 * class Consent extends Resolver.Service<Consent>()("bookshop/Consent", {
 *   resolve: () => Elicitation.confirm("It takes 2-3 weeks. Order anyway?")
 * }) {}
 * const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String, dependencies: [Consent] }))
 *
 * // a shop of its own for every way, and the orders that came in
 * const world = Effect.sync(() => {
 *   const orders: Array<string> = []
 *   const order = Effect.sync(() => `Order ${orders.push("Dune")}`)
 *   const ShopLive = Shop.toLayer({ order_book: () => Effect.andThen(Consent, order) })
 *   return { registrations: Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive)), effects: Effect.sync(() => orders) }
 * })
 *
 * it.effect("orders once, wherever its rounds go", () =>
 *   Effect.gen(function* () {
 *     const result = yield* Rounds.split({
 *       world,
 *       first: (peer) => peer.callToolOnce("order_book"),
 *       answers: { "bookshop/Consent": Answer.accept({ confirm: true }) }
 *     })
 *     assert.strictEqual(result.text, "Order 1")
 *   })
 * )
 * ```
 *
 * @category testing
 * @since 0.2.0
 */
export const split = <A, RA, RE, RR>(
  options: Options<A, RA, RE, RR>
): Effect.Effect<A, JsonRpcError | RE, Servers.Requirements<Adapters.Protocols, RR> | Scope.Scope> =>
  Effect.gen(function* () {
    const faults = options.faults ?? safe
    const straight = yield* run(options, [])
    const ways = [...faults.map((fault) => [fault]), ...(faults.length > 1 ? [faults] : [])]
    for (const way of ways) {
      const other = yield* run(options, way)
      const differs = (what: string, one: string, two: string) =>
        one === two ? Effect.void : broken(Text.splitDiffers(way, what, one, two))
      yield* differs("result", seen(straight.end, options.outcome), seen(other.end, options.outcome))
      yield* differs("effects", told(straight.effects), told(other.effects))
      yield* differs("questions", told(straight.questions), told(other.questions))
    }
    return yield* straight.end
  }) as any // what the registrations need is in the type above: the servers are made where it is not known

/**
 * Runs each round of a call twice, at different times and on different servers, and names any question that does not read
 * the same: a question that depends on the time, on chance or on data that moves is asked for ever, since an answer
 * counts for the exact question that was shown. Gives the result.
 *
 * **Details**
 *
 * The second run has the state of the first and no answers, so durable values, `Call.id` and `Call.startedAt` are the same.
 *
 * @category testing
 * @since 0.2.0
 */
export const stable = <A, RA, RE, RR>(
  options: Omit<Options<A, RA, RE, RR>, "faults" | "outcome">
): Effect.Effect<A, JsonRpcError | RE, Servers.Requirements<Adapters.Protocols, RR> | Scope.Scope> =>
  Effect.gen(function* () {
    const script = player(options.answers)
    const serverOf = yield* serve(yield* options.world, ["move"], script, yield* Scope.Scope)
    let last: Peer.Round<A> = yield* options.first(yield* serverOf(0))
    const cap = options.maxRounds ?? 10
    for (let count = 1; last._tag === "InputRequired"; count++) {
      if (count === cap) return yield* broken(Text.tooManyRounds("stable", Object.keys(last.inputRequests), cap))
      const asked: Peer.InputRequired<A> = last
      yield* TestClock.adjust("1 minute")
      const again: Peer.Round<A> = yield* (yield* serverOf(count)).retry(asked, { inputResponses: {} })
      const now = again._tag === "InputRequired" ? again.inputRequests : {}
      const keys = new Set([...Object.keys(asked.inputRequests), ...Object.keys(now)])
      const moved = [...keys].flatMap((key) => {
        const [one, two] = [told(asked.inputRequests[key]), told(now[key])]
        return one === two ? [] : [Text.unstable(key, one, two)]
      })
      if (moved.length > 0) return yield* broken(moved.join("\n"))
      last = yield* (yield* serverOf(count)).retry(asked, { inputResponses: yield* ask(asked, script) })
    }
    const unused = script.unused()
    return unused.length > 0 ? yield* broken(Text.unused(unused)) : last.value
  }) as any // as for `split`
