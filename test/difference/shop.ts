/**
 * The tools that run a body: it is looked up by the number that the call gives, so that one server serves every program.
 */
import { Effect, Fiber, Layer, Result, Schema } from "effect"
import { LanguageModel, type McpServer, Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver, Roots, Sampling } from "effect-resolve"
import type { Body, Place, Program } from "./body.ts"

/** What happened, by run of a resolver or body: the runs of one name, in order, each with its steps. */
export interface Trace {
  readonly program: Program
  readonly runs: Map<string, Array<Array<string>>>
}

/** The programs under way, by number. */
export const programs = new Map<number, Trace>()

export class Boom extends Schema.TaggedError<Boom>()("Boom", {}) {
  override get message(): string {
    return "boom"
  }
}

const Text = Schema.Struct({ text: Schema.String.check(Schema.isMinLength(3)) })

type Step = (name: string) => Effect.Effect<void>

const rootNames = Effect.map(Roots.list, (roots) => roots.map(({ uri }) => String(uri)).join())

/** A body as an Effect. Nested ones are found again by where they stand: `path`. */
const run = (body: Body, step: Step, n: number, path: string): Effect.Effect<any, any, any> => {
  const inside = (child: Body, name: string | number) => run(child, step, n, `${path}/${name}`)
  switch (body._) {
    case "value":
      return Effect.succeed(body.value)
    case "fail":
      return Effect.fail(new Boom())
    case "step":
      return Effect.as(step(`s${body.id}`), `s${body.id}`)
    case "form":
      return Effect.map(
        Elicitation.form({ message: `q${body.id}`, label: `q${body.id}`, schema: Text }),
        ({ text }) => text
      )
    case "confirm":
      return Effect.as(Elicitation.confirm(`q${body.id}`, { label: `q${body.id}` }), "yes")
    case "sample":
      return Effect.map(
        Sampling.createMessage({ prompt: `q${body.id}`, maxTokens: 5, label: `q${body.id}` }),
        (completion) => ("text" in completion.content ? completion.content.text : "?")
      )
    case "text":
      return Effect.map(LanguageModel.generateText({ prompt: `q${body.id}` }), ({ text }) => text)
    case "object":
      return Effect.map(
        LanguageModel.generateObject({ prompt: `q${body.id}`, schema: Text }),
        ({ value }) => value.text
      )
    case "roots":
      return rootNames
    case "seq":
      return Effect.map(Effect.forEach(body.items, inside), (all) => `(${all.join(" ")})`)
    case "par": {
      if (body.mode === "validate") {
        return Effect.validate(body.items, inside, { concurrency: "unbounded" }).pipe(
          Effect.map((all) => `{${all.join(" ")}}`),
          // the first of the errors: all of them are no error of a question any more
          Effect.mapError((errors: any) => errors[0])
        )
      }
      if (body.mode === "result") {
        return Effect.map(
          Effect.all(body.items.map(inside), { concurrency: "unbounded", mode: "result" }),
          (all) =>
            `<${all.map((one: any) => (Result.isSuccess(one) ? one.success : `!${said(one.failure)}`)).join(" ")}>`
        )
      }
      return Effect.map(Effect.forEach(body.items, inside, { concurrency: "unbounded" }), (all) => `[${all.join(" ")}]`)
    }
    case "race":
      return Effect.race(inside(body.left, "left"), inside(body.right, "right"))
    case "retry":
      return Effect.retry(inside(body.body, "retry"), { times: body.times })
    case "catch":
      return Effect.catch(inside(body.body, "try"), (error) =>
        Effect.map(inside(body.other, "else"), (other) => `${said(error)}?${other}`)
      )
    case "loop":
      return Effect.gen(function* () {
        const all: Array<string> = []
        for (let turn = 1; turn <= body.turns; turn++) {
          const label = `q${body.id}.${turn}`
          all.push((yield* Elicitation.form({ message: label, label, schema: Text })).text)
        }
        return all.join("+")
      })
    case "nested":
      return Effect.map(
        Resolve.call(Inner, "inner", { n, path: `${path}/nested` }, { label: `c${body.id}` }),
        (value) => `c${value}`
      ).pipe(Effect.provide(InnerLive))
    case "wrap": {
      const inner = inside(body.body, "wrap")
      switch (body.how) {
        case "exit":
          return Effect.flatMap(Effect.exit(inner), (exit) => exit)
        case "limit":
          return Effect.timeout(inner, "1 hour")
        case "fork":
          return Effect.flatMap(Effect.forkChild(inner, { startImmediately: true }), (fiber) => Fiber.join(fiber))
        case "uninterruptible":
          return Effect.uninterruptible(inner)
        case "ensuring":
          return Effect.ensuring(inner, step(`f${body.id}`))
        case "cached":
          return Effect.flatMap(Effect.cached(inner), (once) =>
            Effect.map(Effect.all([once, once], { concurrency: "unbounded" }), ([one]) => one)
          )
        case "yield":
          return Effect.andThen(Effect.yieldNow, inner)
      }
    }
  }
}

const said = (error: any): string => (error?.reason?._tag ?? error?._tag ?? String(error)) as string

const find = (body: Body, path: ReadonlyArray<string>): Body => {
  const [name, ...rest] = path
  if (name === undefined) return body
  switch (body._) {
    case "seq":
    case "par":
      return find(body.items[Number(name)]!, rest)
    case "race":
      return find(name === "left" ? body.left : body.right, rest)
    case "catch":
      return find(name === "try" ? body.body : body.other, rest)
    case "retry":
    case "nested":
    case "wrap":
      return find(body.body, rest)
    default:
      throw new Error(`no body at ${path.join("/")}`)
  }
}

/** Begins a run of `name` and runs the body at `path` in it. */
const begin = (name: string, n: number, path: string): Effect.Effect<any, any, any> =>
  Effect.suspend(() => {
    const { program, runs } = programs.get(n)!
    const steps: Array<string> = []
    runs.set(name, [...(runs.get(name) ?? []), steps])
    const [start, ...rest] = path.split("/")
    const body = find(start === "a" ? program.a : program.b, rest)
    return run(body, (step) => Effect.sync(() => void steps.push(step)), n, path)
  })

const failure = Boom
const parameters = Schema.Struct({ n: Schema.Int })

const resolver = (key: string, path: string, options: object = {}): any => {
  const made: any = class extends (Resolver.Service<any>() as any)(key, {
    parameters: { n: Schema.Int },
    dependencies: [Sampling.languageModel],
    ...options,
    resolve: ({ n }: { n: number }) => begin(key, n, path)
  }) {}
  return made
}

const A = resolver("x/A", "a")
const B = resolver("x/B", "b")
const AfterA = resolver("x/AfterA", "b", { dependencies: [Sampling.languageModel, A] })
const Durable = resolver("x/Durable", "a", { durable: Schema.String })
const Last: any = class extends (Resolver.Service<any>() as any)("x/Last", {
  parameters: { n: Schema.Int },
  dependencies: [Durable],
  resolve: () => Durable
}) {}

const InnerBody: any = class extends (Resolver.Service<any>() as any)("x/Inner", {
  parameters: { n: Schema.Int, path: Schema.String },
  dependencies: [Sampling.languageModel],
  resolve: ({ n, path }: { n: number; path: string }) => begin(`x/Inner ${path}`, n, path)
}) {}
const Inner: any = Toolkit.make(
  (Resolve.tool as any)("inner", {
    parameters: Schema.Struct({ n: Schema.Int, path: Schema.String }),
    success: Schema.String,
    failure: Schema.Any,
    dependencies: [InnerBody]
  })
)
const InnerLive = Inner.toLayer({ inner: () => InnerBody })

const questions = [Elicitation.Elicitation, Sampling.Sampling, Roots.Roots, Sampling.languageModel]
const tool = (name: string, dependencies: ReadonlyArray<any>): any =>
  (Resolve.tool as any)(name, { parameters, success: Schema.String, failure, dependencies })

/** Types are erased: the graphs are data, and the types have fixtures of their own. */
export const Shop: any = Toolkit.make(
  tool("one", [A]),
  tool("two", [A, B]),
  tool("chain", [AfterA]),
  tool("result", [A.result, B]),
  tool("own", questions),
  tool("both", [...questions, A]),
  tool("durable", [Last, B, Durable])
)

const bodies: { readonly [place in Place]: (args: { readonly n: number }) => Effect.Effect<any, any, any> } = {
  one: () => A,
  two: () => Effect.map(Effect.all([A, B]), String),
  chain: () => AfterA,
  result: () =>
    Effect.map(Effect.all([A.result, B]), ([a, b]: any) => `${Result.isSuccess(a) ? a.success : said(a.failure)} ${b}`),
  own: ({ n }) => begin("body", n, "a"),
  both: ({ n }) => Effect.zipWith(A, begin("body", n, "b"), (a, b) => `${a} ${b}`),
  durable: () => Effect.map(Effect.all([Last, B, Durable]), String)
}
export const ShopLive = Shop.toLayer(
  Object.fromEntries(
    Object.entries(bodies).map(([place, body]) => [place, (args: any) => Effect.tap(body(args), () => acted(args.n))])
  )
)

/** The tool's own act, the last thing that a call does. */
const acted = (n: number) =>
  Effect.sync(() => {
    const { runs } = programs.get(n)!
    runs.set("act", [...(runs.get("act") ?? []), []])
  })

export const registrations: Layer.Layer<never, Resolve.InvalidSignature, McpServer.McpServer> = (
  Resolve.toolkit(Shop) as any
).pipe(Layer.provide(ShopLive))
