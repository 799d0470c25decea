/** A graph run on a server, and held against the oracle round by round. */
import { Cause, Clock, Effect, Exit, Fiber, Layer, Result, Schema, type Scope, Semaphore } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Elicitation, Question, RequestState, Resolve, Resolver } from "effect-resolve"
import { Answer, Peer } from "effect-resolve/testing"
import * as Oracle from "./graph.ts"

class Boom extends Schema.TaggedError<Boom>()("Boom", { node: Schema.Int }) {
  override get message(): string {
    return `boom ${this.node}`
  }
}

/** What was seen of one round. */
interface Seen {
  readonly begun: Array<number>
  readonly ended: Array<number>
  /** How the finalizers of the bodies that had begun were told that the round ended. */
  readonly finalizers: Array<string>
  /** Bodies that were not over when the tool's own began. */
  readonly beside: Array<number>
  acts: number
}

const fresh = (): Seen => ({ begun: [], ended: [], finalizers: [], beside: [], acts: 0 })

const failureOf = (error: any): Oracle.Failure => {
  if (error instanceof Boom) return { node: error.node, why: "boom" }
  const node = Number(/g\/(\d+)/.exec(error.message)?.[1])
  return { node, why: error._tag === "TimedOut" ? "limit" : "decline" }
}

/** The sentence a client is told of a failure. */
const told = ({ node, why }: Oracle.Failure): RegExp =>
  why === "boom"
    ? new RegExp(`^boom ${node}$`)
    : new RegExp(
        `^Resolver for 'g/${node}' could not resolve: ${why === "limit" ? "it took longer" : "elicitation was decline"}`
      )

interface Harness {
  readonly shop: any
  readonly live: any
  readonly registrations: Layer.Layer<never, any, any>
  seen: Seen
  /** When something is due to happen, on the test's clock. */
  due: Array<number>
}

const harness = ({ gives, list, nodes }: Oracle.Graph): Harness => {
  const under = new Set<number>()
  const made: Array<any> = []
  const self: Pick<Harness, "seen" | "due"> = { seen: fresh(), due: [] }
  const edge = ({ mode, node }: Oracle.Edge) => (mode === "result" ? made[node].result : made[node])
  const read = ({ mode, node }: Oracle.Edge): Effect.Effect<any, never, any> =>
    mode === "value"
      ? made[node]
      : Effect.map(made[node].result, (result: any) =>
          Result.isSuccess(result) ? result.success : Oracle.textOf({ failure: failureOf(result.failure) })
        )
  nodes.forEach(({ deps, does, durable, limit, takes }, index) => {
    made.push(
      class extends (Resolver.Service<any>() as any)(`g/${index}`, {
        dependencies: deps.map(edge),
        ...(durable ? { durable: Schema.String } : {}),
        ...(limit === undefined ? {} : { timeout: `${limit} millis` }),
        resolve: () =>
          Effect.gen(function* () {
            self.seen.begun.push(index)
            under.add(index)
            const { seen } = self
            yield* Effect.addFinalizer((exit) => Effect.sync(() => void seen.finalizers.push(exit._tag)))
            const inputs = yield* Effect.forEach(deps, read)
            const now = yield* Clock.currentTimeMillis
            self.due.push(now + takes)
            if (takes > 0) yield* Effect.sleep(takes)
            seen.ended.push(index)
            if (does === "fail") return yield* new Boom({ node: index })
            if (does === "accept" || does === "decline") yield* Elicitation.confirm(`ok ${index}?`)
            return Oracle.valueOf(index, inputs)
          }).pipe(Effect.ensuring(Effect.sync(() => void under.delete(index))))
      }) {}
    )
  })
  const shop: any = Toolkit.make(
    (Resolve.tool as any)("t", { success: Schema.String, failure: Boom, dependencies: list.map(edge) })
  )
  const live = shop.toLayer({
    t: () =>
      Effect.suspend(() => {
        self.seen.acts++
        self.seen.beside.push(...under)
        return Effect.map(Effect.forEach(list, read), (all) =>
          gives === "result"
            ? all.join(" ")
            : gives === "unfit"
              ? 5
              : new McpSchema.InputRequired({ requestState: "mine" })
        )
      })
  })
  return Object.assign(self, {
    shop,
    live,
    registrations: (Resolve.toolkit(shop) as any).pipe(
      Layer.provide([live, RequestState.layer({ keys: ["k".repeat(32)], audience: "test" })])
    )
  })
}

/** Runs a call to its end, moving the clock to whatever is due next once everything is at rest. */
const drive = <A, E>(
  self: Harness,
  graph: Oracle.Graph,
  settle: Effect.Effect<void>,
  call: Effect.Effect<A, E, any>
): Effect.Effect<Exit.Exit<A, E>, never, any> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    self.due = graph.nodes.flatMap(({ limit }) => (limit === undefined || limit > 100_000 ? [] : [began + limit]))
    let done = false
    const fiber = yield* Effect.forkChild(
      Effect.ensuring(
        call,
        Effect.sync(() => (done = true))
      )
    )
    for (;;) {
      yield* settle
      if (done) break
      const now = yield* Clock.currentTimeMillis
      const next = Math.min(...self.due.filter((at) => at > now))
      if (!Number.isFinite(next)) break
      yield* TestClock.adjust(next - now)
    }
    return yield* Fiber.await(fiber)
  })

const sorted = (numbers: ReadonlyArray<number>) => JSON.stringify([...numbers].sort((a, b) => a - b))

const compare = (
  expected: Oracle.Round,
  seen: Seen,
  end: { readonly text: string; readonly failed: boolean } | ReadonlyArray<number>
) => {
  const wrong: Array<string> = []
  const { exit } = expected
  const sure = (numbers: ReadonlyArray<number>) => sorted(numbers.filter((node) => !expected.maybe.has(node)))
  if (sure(seen.begun) !== sure(expected.begun))
    wrong.push(`begun ${sorted(seen.begun)}, not ${sorted(expected.begun)}`)
  if (sure(seen.ended) !== sure(expected.ended))
    wrong.push(`ended ${sorted(seen.ended)}, not ${sorted(expected.ended)}`)
  const twice = seen.begun.filter((node, index) => seen.begun.indexOf(node) !== index)
  if (twice.length > 0) wrong.push(`begun twice: ${sorted(twice)}`)
  if (seen.beside.length > 0) wrong.push(`under way beside the body: ${sorted(seen.beside)}`)
  if (seen.acts !== (exit._ === "completed" || exit._ === "broken" ? 1 : 0))
    wrong.push(`the body ran ${seen.acts} times`)
  const told_ = exit._ === "completed" ? "Success" : "Failure"
  if (seen.finalizers.some((tag) => tag !== told_))
    wrong.push(`finalizers were told ${seen.finalizers.join()}, not ${told_}`)
  if (seen.finalizers.length !== seen.begun.length)
    wrong.push(`${seen.finalizers.length} finalizers ran of ${seen.begun.length}`)
  if ("text" in end) {
    const right =
      exit._ === "broken"
        ? end.failed
        : exit._ === "completed"
          ? !end.failed && end.text === exit.text
          : exit._ === "failed" && end.failed && told(exit.failure).test(end.text)
    if (!right) wrong.push(`${JSON.stringify(end)}, not ${JSON.stringify(exit)}`)
  } else if (exit._ !== "suspended") wrong.push(`asked ${sorted(end)}, not ${JSON.stringify(exit)}`)
  else if (!exit.wanted.every((node) => end.includes(node)) || !end.every((node) => exit.put.includes(node))) {
    wrong.push(`asked ${sorted(end)}, not ${JSON.stringify(exit)}`)
  }
  return wrong
}

const answers = (graph: Oracle.Graph) => (message: string) => {
  const node = Number(/ok (\d+)/.exec(message)![1])
  return graph.nodes[node]!.does === "decline" ? Answer.decline : Answer.accept({ confirm: true })
}

/** A client's view of the end of a call. */
const ended = (exit: Exit.Exit<Peer.ToolResult, Peer.JsonRpcError>) =>
  Exit.match(exit, {
    onSuccess: ({ isError, text }) => ({ text: text.replace(/^Error executing tool t: /, ""), failed: isError }),
    onFailure: (cause) => ({ text: Cause.pretty(cause).split("\n")[0]!, failed: true })
  })

const report = (way: string, round: number, wrong: ReadonlyArray<string>) =>
  wrong.length === 0 ? undefined : `  ${way}, round ${round}: ${wrong.join("; ")}`

const none: ReadonlyMap<number, string> = new Map()

/** On 2025-11-25. */
const backChannel = Effect.fnUntraced(function* (graph: Oracle.Graph) {
  const self = harness(graph)
  const answer = answers(graph)
  const peer = yield* Peer.make({
    protocol: "2025-11-25",
    registrations: self.registrations,
    answers: ({ message }) => answer(message!)
  })
  const exit = yield* drive(self, graph, peer.settle, peer.callTool("t"))
  const expected = Oracle.round(graph, () => true, none)
  return report("2025-11-25", 1, compare(expected, self.seen, ended(exit)))
})

/** On 2026-07-28, on another server in every round. */
const multiRound = Effect.fnUntraced(function* (graph: Oracle.Graph) {
  const self = harness(graph)
  const answer = answers(graph)
  const connect = Peer.make({ registrations: self.registrations, answers: ({ message }) => answer(message!) })
  const shown = new Set<number>()
  let durable = none
  let last: Peer.InputRequired<Peer.ToolResult> | undefined
  for (let round = 1; round < 20; round++) {
    const peer = yield* connect
    self.seen = fresh()
    const asked = last
    const exit = yield* drive(
      self,
      graph,
      peer.settle,
      asked === undefined ? peer.callToolOnce("t") : peer.retry(asked)
    )
    const expected = Oracle.round(graph, (index) => shown.has(index), durable)
    durable = expected.durable
    if (Exit.isSuccess(exit) && exit.value._tag === "InputRequired") {
      last = exit.value
      const now = Object.keys(last.inputRequests).map((key) => Number(/g\/(\d+)/.exec(key)![1]))
      for (const node of now) shown.add(node)
      const wrong = report("2026-07-28", round, compare(expected, self.seen, now))
      if (wrong !== undefined) return wrong
      // from here on the oracle does not know which durable values there are
      if ([...expected.maybe].some((node) => graph.nodes[node]!.durable)) return undefined
      continue
    }
    const end = Exit.map(exit, (round) => (round._tag === "Complete" ? round.value : (undefined as never)))
    return report("2026-07-28", round, compare(expected, self.seen, ended(end)))
  }
  return "  2026-07-28: never ends"
})

const inProcess = Effect.fnUntraced(function* (graph: Oracle.Graph) {
  const self = harness(graph)
  const answer = answers(graph)
  const one = Semaphore.makeUnsafe(1)
  const person = Elicitation.layer(({ message }) =>
    one.withPermit(Effect.as(Effect.yieldNow, (answer(message) as { readonly result: Elicitation.Answer }).result))
  )
  // a few turns of the event loop: nothing here waits for a promise
  const settle = Effect.repeat(Effect.yieldNow, { times: 20 })
  const exit: Exit.Exit<string, any> = yield* drive(
    self,
    graph,
    settle as Effect.Effect<any>,
    Effect.provide(Resolve.call(self.shop, "t", {} as never) as Effect.Effect<any, any, any>, [self.live, person])
  )
  const expected = Oracle.round(graph, () => true, none)
  const end = Exit.match(exit, {
    onSuccess: (text) => ({ text, failed: false }),
    onFailure: (cause) => {
      const error: any = Cause.squash(cause)
      const known = error instanceof Boom || (error !== null && typeof error === "object" && Question.TypeId in error)
      return { text: known ? error.message : Cause.pretty(cause), failed: true }
    }
  })
  return report("in process", 1, compare(expected, self.seen, end))
})

/** What a graph does wrong, on each of the three ways; undefined when nothing. */
export const wrong = (graph: Oracle.Graph): Effect.Effect<string | undefined, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    return (yield* backChannel(graph)) ?? (yield* multiRound(graph)) ?? (yield* inProcess(graph))
  }) as Effect.Effect<string | undefined, unknown, Scope.Scope> // the rest is erased with the graph's types
