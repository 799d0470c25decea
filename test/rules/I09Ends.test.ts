/**
 * One table of every way in which a call can end: on each surface and protocol, what a finalizer is told agrees with what
 * the client is told.
 */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Elicitation, Question, RequestState, Resolve, Resolver, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { type Node, resolver } from "./kit.ts"

type Surface = "tool" | "prompt" | "resource" | "template"
const surfaces: ReadonlyArray<Surface> = ["tool", "prompt", "resource", "template"]

/** What the client was told, or that nobody listens any more. */
type Told = "result" | "error" | "question" | "gone"

/** A fit and two unfit contents of a surface: one that its schema refuses, and one that is no JSON. */
const contents: { readonly [surface in Surface]: { readonly unfit: unknown; readonly noJson: unknown } } = {
  tool: { unfit: 5, noJson: { d: 1n } },
  prompt: {
    unfit: [{ role: "nobody", content: { type: "text", text: "x" } }],
    noJson: [{ role: "user", content: { type: "text", text: "x", _meta: { d: 1n } } }]
  },
  resource: { unfit: 5, noJson: { contents: [{ uri: "x://a", text: "x", _meta: { d: 1n } }] } },
  template: { unfit: 5, noJson: { contents: [{ uri: "x://a", text: "x", _meta: { d: 1n } }] } }
}

interface End {
  /** What the body does; `"done"` unless it is said. */
  readonly body?: (surface: Surface) => Effect.Effect<unknown, unknown, any>
  readonly dependencies?: ReadonlyArray<Node>
  readonly success?: Schema.Top
  readonly failure?: Schema.Top
  readonly told: Told
  /** Nothing has begun: no finalizer has anything to be told. */
  readonly untouched?: true
  /** What a finalizer cannot know, by rule: one that closes after it fails. */
  readonly unknowable?: true
  readonly on?: ReadonlyArray<Surface>
  readonly protocol?: "2026-07-28"
  readonly answers?: Answer.Script
  readonly capabilities?: Peer.Capabilities
  readonly maxBytes?: number
  /** Sends a bad call instead of a good one. */
  readonly sends?: "bad arguments" | "bad state" | "cancel" | "first round" | "an hour later"
  /** In process there is none, or it means something else. */
  readonly wireOnly?: true
}

const confirm = (message: string) => resolver("ask", {}, () => Elicitation.confirm(message))
const broken = resolver("broken", {}, () => Effect.acquireRelease(Effect.succeed(1), () => Effect.die("closing")))
const slow = resolver("slow", { timeout: "1 second" }, () => Effect.never)
let count = 0
const moving = resolver("moving", {}, () => Effect.suspend(() => Elicitation.confirm(`${++count}?`)))

const ends: { readonly [name: string]: End } = {
  "with a result": { told: "result" },
  "after a question": {
    dependencies: [confirm("ok?")],
    answers: () => Answer.accept({ confirm: true }),
    told: "result"
  },
  "with an error result of the body's own": {
    body: () =>
      Effect.succeed(new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: "sold out" }] })),
    success: McpSchema.CallToolResult,
    told: "error",
    on: ["tool"],
    // in process it is a value like any other
    wireOnly: true
  },
  "with a declared failure": { body: () => Effect.fail("no"), failure: Schema.String, told: "error" },
  "with an undeclared failure": { body: () => Effect.fail(new Error("no")), told: "error" },
  "with a defect": { body: () => Effect.die("boom"), told: "error" },
  "with a question that is declined": {
    dependencies: [confirm("ok?")],
    answers: () => Answer.decline,
    told: "error"
  },
  "with a question that the client cannot be asked": {
    dependencies: [confirm("ok?")],
    capabilities: {},
    told: "error",
    wireOnly: true
  },
  "with a result that its schema does not encode": {
    body: (surface) => Effect.succeed(contents[surface].unfit),
    told: "error"
  },
  "with a result that is no JSON": {
    body: (surface) => Effect.succeed(contents[surface].noJson),
    success: Schema.Unknown,
    told: "error"
  },
  "with an interim result of the body's own": {
    body: () => Effect.succeed(new McpSchema.InputRequired({ requestState: "mine" })),
    success: Schema.Any,
    told: "error"
  },
  "interrupted by itself": { body: () => Effect.interrupt, told: "error" },
  suspended: {
    dependencies: [confirm("ok?")],
    protocol: "2026-07-28",
    sends: "first round",
    told: "question",
    wireOnly: true
  },
  "cancelled by its client": { body: () => Effect.never, sends: "cancel", told: "gone", wireOnly: true },
  "with a resolver that takes too long": { dependencies: [slow], sends: "an hour later", told: "error" },
  "with a finalizer that fails": { dependencies: [broken], told: "error", unknowable: true },
  "with arguments that do not fit": {
    sends: "bad arguments",
    told: "error",
    untouched: true,
    on: ["tool", "prompt", "template"]
  },
  "with a state of nobody's": {
    sends: "bad state",
    protocol: "2026-07-28",
    told: "error",
    untouched: true,
    wireOnly: true
  },
  "with a state that is too large": {
    dependencies: [confirm("ok?")],
    maxBytes: 100,
    protocol: "2026-07-28",
    told: "error",
    wireOnly: true
  },
  "with a question that keeps changing": {
    dependencies: [moving],
    answers: () => Answer.accept({ confirm: true }),
    protocol: "2026-07-28",
    told: "error",
    wireOnly: true
  }
}

const how = (exit: Exit.Exit<unknown, unknown>) =>
  Resolver.isSuspended(exit) ? "question" : Exit.isSuccess(exit) ? "result" : "error"

/** The call under test, with a resolver in front that writes down how the call's scope was closed. */
const made = (surface: Surface, end: End) => {
  const closed: Array<Told> = []
  const transaction = resolver("transaction", {}, () =>
    Effect.acquireRelease(Effect.succeed(1), (_, exit) => Effect.sync(() => void closed.push(how(exit))))
  )
  // the transaction is open before anything else begins
  const dependencies: ReadonlyArray<any> = [
    transaction,
    ...(end.dependencies ?? []).map((node) =>
      resolver(`after ${node.key}`, { dependencies: [transaction, node] }, () => Effect.void)
    )
  ]
  const body = Effect.suspend(() => end.body?.(surface) ?? Effect.succeed("done"))
  return { body, closed, dependencies }
}

const registered = (surface: Surface, end: End) => {
  const { body, closed, dependencies } = made(surface, end)
  const layer = (): Layer.Layer<never, any, any> => {
    const number = { parameters: { n: Schema.FiniteFromString }, dependencies }
    switch (surface) {
      case "tool": {
        const { kit, live } = toolkit(end, dependencies, body)
        return (Resolve.toolkit(kit) as any).pipe(Layer.provide(live))
      }
      case "prompt":
        return (Resolve.prompt as any)({ name: "t", ...number, content: () => body })
      case "resource":
        return (Resolve.resource as any)({ uri: "x://a", name: "t", dependencies, content: body })
      case "template":
        return (Resolve.resourceTemplate as any)`x://t/${McpSchema.param("n", Schema.FiniteFromString)}`({
          name: "t",
          dependencies,
          content: () => body
        })
    }
  }
  const state = RequestState.layer({ keys: ["k".repeat(32)], audience: "test", maxBytes: end.maxBytes ?? 65_536 })
  return { closed, registrations: Layer.provide(layer(), state) as Layer.Layer<never> }
}

const toolkit = (end: End, dependencies: ReadonlyArray<any>, body: Effect.Effect<unknown, unknown, any>) => {
  const { failure, success } = end
  const kit: any = Toolkit.make(
    (Resolve.tool as any)("t", {
      parameters: Schema.Struct({ n: Schema.Finite }),
      success: success ?? Schema.String,
      ...(failure === undefined ? {} : { failure }),
      dependencies
    })
  )
  return { kit, live: kit.toLayer({ t: () => body }) }
}

const request = (
  surface: Surface,
  bad: boolean
): readonly [method: string, params: { readonly [name: string]: unknown }] => {
  const n = bad ? "x" : surface === "tool" ? 1 : "1"
  switch (surface) {
    case "tool":
      return ["tools/call", { name: "t", arguments: { n } }]
    case "prompt":
      return ["prompts/get", { name: "t", arguments: { n } }]
    case "resource":
      return ["resources/read", { uri: "x://a" }]
    case "template":
      return ["resources/read", { uri: `x://t/${n}` }]
  }
}

/** Calls to the end, or as far as the row says. */
const call = Effect.fnUntraced(function* (peer: Peer.Peer, surface: Surface, { sends }: End) {
  const [method, params] = request(surface, sends === "bad arguments")
  const sent = sends === "bad state" ? { ...params, requestState: "nobody's" } : params
  const rounds: Effect.Effect<Told> = Effect.gen(function* () {
    let round = yield* peer.once(method, sent)
    if (sends === "first round") return round._tag === "InputRequired" ? ("question" as const) : ("result" as const)
    while (round._tag === "InputRequired") round = yield* peer.retry(round)
    return round.value.isError === true ? ("error" as const) : ("result" as const)
  }).pipe(Effect.orElseSucceed(() => "error" as const))
  if (sends !== "cancel" && sends !== "an hour later") return yield* rounds
  const fiber = yield* Effect.forkChild(rounds)
  yield* peer.settle
  if (sends === "an hour later") {
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  }
  yield* Fiber.interrupt(fiber)
  yield* peer.settle
  return "gone" as const
})

/** What the finalizers were told agrees with what the client was told in the last round; the rounds before it asked. */
const agree = (end: End, told: Told, closed: ReadonlyArray<Told>) => {
  assert.strictEqual(told, end.told)
  if (end.untouched) return assert.deepStrictEqual(closed, [])
  const last = closed.at(-1)
  assert.deepStrictEqual(
    closed.slice(0, -1).filter((one) => one !== "question"),
    []
  )
  if (end.unknowable) return
  assert.strictEqual(last, told === "gone" ? "error" : told)
}

for (const [name, end] of Object.entries(ends)) {
  for (const surface of end.on ?? surfaces) {
    const test = end.protocol === undefined ? eras : eras.of(end.protocol)
    test(`I9: a finalizer is told what the client is told: a ${surface} that ends ${name}`, (era) =>
      Effect.gen(function* () {
        const { closed, registrations } = registered(surface, end)
        const { answers, capabilities } = end
        const peer = yield* Peer.make({
          ...era,
          registrations,
          ...(answers === undefined ? {} : { answers }),
          ...(capabilities === undefined ? {} : { capabilities })
        })
        agree(end, yield* call(peer, surface, end), closed)
      }))
  }
}

// ---------------------------------------------------------------- in process

const person = (end: End) =>
  Layer.mergeAll(
    Elicitation.layer((request) => {
      const answer = typeof end.answers === "function" ? end.answers({} as Answer.Question) : Answer.decline
      assert.strictEqual(request.mode, "form")
      return Effect.succeed((answer as { readonly result: Elicitation.Answer }).result)
    }),
    Sampling.layerUnavailable
  )

const inProcess = {
  "Resolve.call": (kit: any, args: unknown) =>
    Resolve.call(kit, "t" as never, args as never) as Effect.Effect<unknown, unknown, any>,
  "Resolve.withHandlers": (kit: any, args: unknown) =>
    Effect.gen(function* () {
      const handlers: any = yield* Resolve.withHandlers(kit) as Effect.Effect<any, any, any>
      const stream: Stream.Stream<unknown, unknown> = yield* handlers.handle("t", args)
      yield* Stream.runDrain(stream)
    })
}

for (const [name, end] of Object.entries(ends)) {
  if (end.wireOnly || !(end.on ?? surfaces).includes("tool")) continue
  for (const [how, run] of Object.entries(inProcess)) {
    it.effect(
      `I9: a finalizer is told what the caller is told: ${how} of a tool that ends ${name}`,
      () =>
        Effect.gen(function* () {
          const { body, closed, dependencies } = made("tool", end)
          const { kit, live } = toolkit(end, dependencies, body)
          const args = { n: end.sends === "bad arguments" ? "x" : 1 }
          const fiber = yield* Effect.forkChild(Effect.exit(Effect.provide(run(kit, args), [live, person(end)])))
          if (end.sends === "an hour later") {
            yield* Effect.repeat(Effect.yieldNow, { times: 50 })
            yield* TestClock.adjust("1 hour")
          }
          const exit = yield* Fiber.join(fiber)
          agree(end, Exit.isSuccess(exit) ? "result" : "error", closed)
          // a caller learns of a failing finalizer by a defect, and of a person's no by a typed error
          if (name.includes("declined"))
            assert.property(Exit.isFailure(exit) ? Cause.squash(exit.cause) : {}, Question.TypeId)
        }) as Effect.Effect<void>
    )
  }
}
