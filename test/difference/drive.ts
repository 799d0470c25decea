/**
 * A program run three ways: on 2025-11-25, on 2026-07-28 with another server for every round, and in process.
 */
import { Cause, Effect, Layer, type Scope, Semaphore } from "effect"
import { Elicitation, Question, RequestState, Resolve, Roots, Sampling } from "effect-resolve"
import { Answer, Peer } from "effect-resolve/testing"
import { type Bad, badAnswers, type Program } from "./body.ts"
import { Boom, programs, registrations, Shop, ShopLive } from "./shop.ts"

export interface Outcome {
  readonly text: string
  /** The steps of the last run of each resolver and body, sorted; and how often the tool acted. */
  readonly effects: { readonly [name: string]: ReadonlyArray<string> }
  readonly acted: number
  readonly asked: ReadonlyArray<string>
  /** Questions that were put though they had a good answer. */
  readonly again: ReadonlyArray<string>
  readonly rounds: number
}

interface Person {
  readonly answer: (question: string, counted: boolean) => Bad | undefined
  readonly asked: Array<string>
  readonly again: Array<string>
}

const person = (program: Program): Person => {
  const answers = badAnswers(program)
  const puts = new Map<string, number>()
  const good = new Set<string>()
  const asked: Array<string> = []
  const again: Array<string> = []
  return {
    asked,
    again,
    answer: (question, counted) => {
      const put = puts.get(question) ?? 0
      puts.set(question, put + 1)
      asked.push(question)
      // a model is asked for each completion, and gives one each time
      if (counted && good.has(question)) again.push(question)
      const bad = answers.get(question)?.[put]
      if (bad === undefined) good.add(question)
      return bad
    }
  }
}

const nameOf = (value: unknown): string => /"(q\d+(?:\.\d+)?)"/.exec(JSON.stringify(value))?.[1] ?? "roots"

const content = (name: string, bad: Bad | undefined, confirms: boolean) => {
  if (bad === "decline" || bad === "cancel") return { action: bad } as const
  if (bad === "empty") return { action: "accept" } as const
  if (bad === "invalid") return { action: "accept", content: confirms ? { confirm: "yes" } : { text: "x" } } as const
  return { action: "accept", content: confirms ? { confirm: true } : { text: `answer ${name}` } } as const
}

const completion = (name: string, bad: Bad | undefined, object: boolean): string =>
  object && bad === undefined ? JSON.stringify({ text: `model ${name}` }) : `say ${name}`

const confirms = (schema: any): boolean => "confirm" in schema.properties
// only a labelled one is asked once: the model's own calls count
const isModel = (params: unknown) => !JSON.stringify(params).includes('"maxTokens":5')

const wire =
  (who: () => Person) =>
  (question: Answer.Question): Answer.Answer => {
    const name = nameOf(question.params)
    const person = who()
    if (question.method === "roots/list") {
      person.answer("roots", false)
      return Answer.roots(["file:///r"])
    }
    if (question.method === "sampling/createMessage") {
      const model = isModel(question.params)
      const bad = person.answer(name, !model)
      return Answer.sampled(completion(name, bad, model && question.params.messages.length > 1))
    }
    const bad = person.answer(name, true)
    return Answer.result(content(name, bad, confirms(question.params.requestedSchema)))
  }

// a person in process answers as one over a wire does: one question at a time, and never at once
const turn = Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))

const layers = (person: Person, one: Semaphore.Semaphore) =>
  Layer.mergeAll(
    Elicitation.layer((request) =>
      one.withPermit(
        Effect.map(turn, () => {
          if (request.mode === "url") return { action: "cancel" }
          return content(request.message, person.answer(request.message, true), confirms(request.requestedSchema))
        })
      )
    ),
    Sampling.layer((request) =>
      one.withPermit(
        Effect.map(turn, () => {
          const name = nameOf(request.messages)
          const model = isModel({ maxTokens: request.maxTokens })
          const bad = person.answer(name, !model)
          return { content: completion(name, bad, model && request.messages.length > 1), model: "m" }
        })
      )
    ),
    Roots.layer(
      one.withPermit(
        Effect.map(turn, () => {
          person.answer("roots", false)
          return [{ uri: "file:///r" }]
        })
      )
    )
  )

const told = (error: unknown): string =>
  error instanceof Boom || (typeof error === "object" && error !== null && Question.TypeId in error)
    ? (error as { readonly message: string }).message
    : "internal error"

let next = 0

const outcome = (n: number, text: string, person: Person, rounds: number): Outcome => {
  const { runs } = programs.get(n)!
  programs.delete(n)
  const effects = [...runs]
    .filter(([name, all]) => name !== "act" && all.at(-1)!.length > 0)
    .map(([name, all]) => [name, [...all.at(-1)!].sort()])
  return {
    text: text.replace(/^Error executing tool \w+: /, ""),
    effects: Object.fromEntries(effects),
    acted: runs.get("act")?.length ?? 0,
    asked: person.asked,
    again: person.again,
    rounds
  }
}

const begin = (program: Program): number => {
  programs.set(++next, { program, runs: new Map() })
  return next
}

const maxRounds = 60

/** Ways to run a program; the servers live as long as the scope. */
export const drivers = Effect.fnUntraced(function* (options: { readonly servers: number | "new" }) {
  let who: Person
  const answers = wire(() => who)
  const state = () => RequestState.layer({ keys: ["k".repeat(32)], audience: "test" })
  const served = () => registrations.pipe(Layer.provide(state()))
  const old = yield* Peer.make({ protocol: "2025-11-25", registrations: served(), answers })
  const start = Peer.make({ registrations: served(), answers })
  const peers = yield* Effect.forEach(
    Array.from({ length: options.servers === "new" ? 0 : options.servers }),
    () => start
  )
  const backChannel = Effect.fnUntraced(function* (program: Program) {
    who = person(program)
    const n = begin(program)
    const text = yield* Effect.match(old.callTool(program.place, { n }), {
      onSuccess: (result) => result.text,
      onFailure: (error) => String((error as { readonly message: string }).message)
    })
    return outcome(n, text, who, 1)
  })
  const multiRound = Effect.fnUntraced(function* (program: Program) {
    who = person(program)
    const n = begin(program)
    let rounds = 1
    const at = peers.length === 0 ? start : Effect.sync(() => peers[(n + rounds) % peers.length]!)
    const text = yield* Effect.matchEffect((yield* at).callToolOnce(program.place, { n }), {
      onFailure: (error) => Effect.succeed(String((error as { readonly message: string }).message)),
      onSuccess: (first) =>
        Effect.gen(function* () {
          let round: Peer.Round<Peer.ToolResult> = first
          while (round._tag === "InputRequired") {
            if (++rounds > maxRounds) return "never ends"
            round = yield* (yield* at).retry(round)
          }
          return round.value.text
        }).pipe(Effect.catch((error) => Effect.succeed(String((error as { readonly message: string }).message))))
    })
    return outcome(n, text, who, rounds)
  })
  const inProcess = Effect.fnUntraced(function* (program: Program) {
    const one = person(program)
    const n = begin(program)
    const text: string = yield* Effect.matchCause(
      (Resolve.call(Shop, program.place, { n } as never) as Effect.Effect<any, any, any>).pipe(
        Effect.provide([ShopLive, layers(one, Semaphore.makeUnsafe(1))])
      ) as Effect.Effect<string, unknown>,
      { onSuccess: (value) => value, onFailure: (cause) => told(Cause.squash(cause)) }
    )
    return outcome(n, text, one, 1)
  })
  return { backChannel, multiRound, inProcess }
})

export type Drivers = Effect.Success<ReturnType<typeof drivers>>

// a body that asks is run from its start in every round, and what stands beside a question of it as often
const acts = ({ place }: Program, { acted }: Outcome) =>
  place === "own" || place === "both" ? Math.min(acted, 1) : acted

// two resolvers that fail in one instant: which is told of them is not said
const beside = ({ place }: Program) => place === "two" || place === "result" || place === "durable"
const sameText = (program: Program, one: Outcome, other: Outcome) =>
  one.text === other.text ||
  (beside(program) && one.acted === 0 && other.acted === 0 && !/changed|never ends/.test(one.text + other.text))

const sameEffects = (program: Program, one: Outcome, other: Outcome): boolean =>
  acts(program, one) === acts(program, other) &&
  // beside a failure that ends the call nobody says how far the others come
  (one.text !== other.text ||
    (beside(program) && one.acted === 0) ||
    JSON.stringify(sorted(one.effects)) === JSON.stringify(sorted(other.effects)))

const sorted = (effects: Outcome["effects"]) => Object.entries(effects).sort(([a], [b]) => (a < b ? -1 : 1))

/** What differs between the three ways, in a few lines; undefined when nothing does. */
export const difference = (
  drivers: Drivers,
  program: Program
): Effect.Effect<string | undefined, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const ways = {
      "2025-11-25": yield* drivers.backChannel(program),
      "2026-07-28": yield* drivers.multiRound(program),
      "in process": yield* drivers.inProcess(program)
    }
    const all = Object.values(ways)
    const [first] = all
    const bad =
      all.some((one) => !sameText(program, one, first!)) ||
      all.some((one) => !sameEffects(program, one, first!)) ||
      all.some(({ again }) => again.length > 0) ||
      all.some((one) => acts(program, one) > 1)
    if (!bad) return undefined
    const lines = Object.entries(ways).map(
      ([way, { acted, again, asked, effects, rounds, text }]) =>
        `  ${way}: ${JSON.stringify(text)} acted ${acted}, rounds ${rounds}, asked ${asked.join(" ")}${again.length > 0 ? `, AGAIN ${again.join(" ")}` : ""}, ${JSON.stringify(sorted(effects))}`
    )
    return lines.join("\n")
  })
