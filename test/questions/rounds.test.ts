/** Rounds of one call: chains, diamonds with a question anywhere in them, what is carried on and what runs again. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Elicitation, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, type Node, resolver, tool, Yes, yes } from "../rules/kit.ts"

const era2026 = eras.of("2026-07-28")

/** 18 storeys of two resolvers, each of which needs both of the storey below: 36 nodes, 2^18 paths to each lowest one. */
const stack = (ran = counter(), asking?: string) => {
  const storeys: Array<readonly [Node, Node]> = []
  for (let storey = 0; storey < 18; storey++) {
    const below: ReadonlyArray<Node> = storeys.at(-1) ?? []
    const node = (side: string) => {
      const key = `${storey}${side}`
      const question = Elicitation.form({ message: `${key}?`, schema: Yes })
      const value: Effect.Effect<unknown, unknown, any> = key === asking ? question : Effect.succeed(key)
      return resolver(key, { dependencies: below }, () => Effect.andThen(ran.hit(key), value))
    }
    storeys.push([node("a"), node("b")])
  }
  return tool("t", { dependencies: storeys.at(-1)! }, () => Effect.as(ran.hit("body"), "done"))
}
const total = (ran: ReturnType<typeof counter>) => Math.max(...new Set(ran.log.map(ran.count)))

describe("rounds", () => {
  eras("a stacked diamond of 36 resolvers evaluates each node once", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const peer = yield* Peer.make({ ...era, registrations: stack(ran) })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.strictEqual(ran.log.length, 37)
      assert.strictEqual(new Set(ran.log).size, 37)
    })
  )

  for (const [where, key, reached] of [
    ["bottom", "0a", 2],
    ["middle", "9a", 20],
    ["top", "17a", 36]
  ] as const) {
    era2026(`with a question at the ${where} of the diamond each node runs once a round`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const peer = yield* Peer.make({ ...era, registrations: stack(ran, key), answers: { [key]: [yes] } })
        const round = asked(yield* peer.callToolOnce("t"))
        assert.deepStrictEqual(Object.keys(round.inputRequests), [key])
        assert.deepStrictEqual([ran.log.length, total(ran)], [reached, 1])
        ran.log.length = 0
        assert.strictEqual(completed(yield* peer.retry(round)).text, "done")
        assert.deepStrictEqual([ran.log.length, total(ran)], [37, 1])
      })
    )

    eras.of("2025-11-25")(`with a question at the ${where} of the diamond each node runs once a call`, (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const peer = yield* Peer.make({ ...era, registrations: stack(ran, key), answers: { [key]: [yes] } })
        assert.strictEqual((yield* peer.callTool("t")).text, "done")
        assert.deepStrictEqual([ran.log.length, total(ran)], [37, 1])
      })
    )
  }

  eras("a chain of three questions: one prompt each, every value decoded whichever round it came in", (era) =>
    Effect.gen(function* () {
      const Day = Schema.Struct({ day: Schema.DateFromString })
      const Code = Schema.Struct({ code: Schema.String.pipe(Schema.brand("Code")) })
      const Count = Schema.Struct({ n: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(7))) })
      class A extends Resolver.Service<A>()("a", {
        resolve: () => Elicitation.form({ message: "When?", schema: Day })
      }) {}
      class B extends Resolver.Service<B>()("b", {
        dependencies: [A],
        resolve: () =>
          Effect.flatMap(A, ({ day }) =>
            Elicitation.form({ message: `Code of ${day.getUTCFullYear()}?`, schema: Code })
          )
      }) {}
      class C extends Resolver.Service<C>()("c", {
        dependencies: [B],
        resolve: () =>
          Effect.flatMap(B, ({ code }) => Elicitation.form({ message: `How many ${code}?`, schema: Count }))
      }) {}
      const registrations = tool("t", { dependencies: [A, B, C] }, () =>
        Effect.gen(function* () {
          const [{ day }, { code }, { n }] = yield* Effect.all([A, B, C])
          return `${day.toISOString()} ${code} ${n}`
        })
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: {
          a: [Answer.accept({ day: "2026-01-02T00:00:00.000Z" })],
          b: [Answer.accept({ code: "X1" })],
          c: [Answer.accept({})]
        }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "2026-01-02T00:00:00.000Z X1 7")
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["When?", "Code of 2026?", "How many X1?"]
      )
      const calls = peer.transcript.filter(({ message }) => message.method === "tools/call")
      assert.strictEqual(calls.length, era.protocol === "2026-07-28" ? 4 : 1)
      for (const { message } of peer.transcript) {
        if (message.result?.resultType !== "input_required") continue
        assert.strictEqual(Object.keys(message.result.inputRequests).length, 1)
      }
    })
  )

  era2026("two independent questions share one round: two requests in all", (era) =>
    Effect.gen(function* () {
      const [a, b] = ["a", "b"].map((key) =>
        resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))
      )
      const registrations = tool("t", { dependencies: [a, b] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { a: yes, b: yes } })
      yield* peer.callTool("t")
      assert.strictEqual(peer.transcript.length, 4)
    })
  )

  era2026(
    "computing and asking bodies run again each round; a question is put once; consumers of open ones wait",
    (era) =>
      Effect.gen(function* () {
        const ran = counter()
        const login = resolver("login", {}, () =>
          Effect.andThen(
            ran.hit("login"),
            Elicitation.form({ message: "Username?", schema: Schema.Struct({ name: Schema.String }) })
          )
        )
        const confirm = resolver("confirm", { dependencies: [login] }, () =>
          Effect.andThen(
            ran.hit("confirm"),
            Effect.flatMap(login.get, ({ name }) => Elicitation.form({ message: `As ${name}?`, schema: Yes }))
          )
        )
        const pure = resolver("pure", {}, () => Effect.andThen(ran.hit("pure"), Effect.succeed(new Map())))
        const registrations = tool("t", { dependencies: [confirm, pure] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({
          ...era,
          registrations,
          answers: { login: [Answer.accept({ name: "octocat" })], confirm: [yes] }
        })
        yield* peer.callTool("t")
        assert.deepStrictEqual([ran.count("login"), ran.count("confirm"), ran.count("pure")], [3, 2, 3])
        assert.deepStrictEqual(
          peer.questions.map(({ message }) => message),
          ["Username?", "As octocat?"]
        )
      })
  )

  era2026("three consumers of one asking resolver: one question, one run a round", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const ask = resolver("ask", {}, () =>
        Effect.andThen(ran.hit("ask"), Elicitation.form({ message: "ok?", schema: Yes }))
      )
      const consumers = ["x", "y", "z"].map((key) => resolver(key, { dependencies: [ask] }, () => ask.get))
      const registrations = tool("t", { dependencies: consumers }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [yes] } })
      const round = asked(yield* peer.callToolOnce("t"))
      assert.strictEqual(ran.count("ask"), 1)
      completed(yield* peer.retry(round))
      assert.strictEqual(ran.count("ask"), 2)
    })
  )

  era2026("a partial answer is kept: the next round asks the rest", (era) =>
    Effect.gen(function* () {
      const keys = ["a", "b", "c"]
      const registrations = tool(
        "t",
        { dependencies: keys.map((key) => resolver(key, {}, () => Elicitation.form({ message: key, schema: Yes }))) },
        () => Effect.succeed("done")
      )
      const peer = yield* Peer.make({ ...era, registrations })
      let round = asked(yield* peer.callToolOnce("t"))
      round = asked(yield* peer.retry(round, { inputResponses: { b: yes } }))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["a", "c"])
      round = asked(yield* peer.retry(round, { inputResponses: { c: Answer.accept({ ok: false }) } }))
      assert.deepStrictEqual(Object.keys(round.inputRequests), ["a"])
      assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { a: yes } })).text, "done")
    })
  )

  era2026("a round sent twice gives the same outcome twice", (era) =>
    Effect.gen(function* () {
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("t", { dependencies: [ask] }, () => Effect.map(ask.get, ({ ok }) => String(ok)))
      const peer = yield* Peer.make({ ...era, registrations })
      const round = asked(yield* peer.callToolOnce("t"))
      for (let i = 0; i < 2; i++) {
        assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { ask: yes } })).text, "true")
      }
    })
  )

  era2026(
    "a chain of eleven questions takes eleven rounds of one key each; the client's cap ends it, not the server",
    (era) =>
      Effect.gen(function* () {
        let last: Node | undefined
        const keys: Array<string> = []
        for (let i = 0; i < 11; i++) {
          const below = last
          keys.push(`n${i}`)
          last = resolver(`n${i}`, { dependencies: below === undefined ? [] : [below] }, () =>
            Elicitation.form({ message: `n${i}?`, schema: Yes })
          )
        }
        const registrations = tool("t", { dependencies: [last] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations, maxRounds: 20, answers: () => yes })
        assert.strictEqual((yield* peer.callTool("t")).text, "done")
        assert.deepStrictEqual(
          peer.questions.map(({ key }) => key),
          keys
        )
      })
  )

  era2026("an answer with a lone surrogate is recorded and restored exactly", (era) =>
    Effect.gen(function* () {
      const name = resolver("name", {}, () =>
        Elicitation.form({ message: "name?", schema: Schema.Struct({ name: Schema.String }) })
      )
      const sure = resolver("sure", { dependencies: [name] }, () => Elicitation.form({ message: "sure?", schema: Yes }))
      const registrations = tool("t", { dependencies: [name, sure] }, () =>
        Effect.map(name.get, ({ name }) => JSON.stringify(name))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { name: [Answer.accept({ name: "a\ud800b" })], sure: [yes] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, '"a\\ud800b"')
    })
  )

  era2026("an answer is recorded as it was sent: a schema that renames or loses decodes it anew each round", (era) =>
    Effect.gen(function* () {
      const Trimmed = Schema.Struct({ user: Schema.Trim })
      const user = resolver("user", {}, () => Elicitation.form({ message: "user?", schema: Trimmed as any }))
      const sure = resolver("sure", { dependencies: [user] }, () =>
        Effect.flatMap(user.get, ({ user }) => Elicitation.form({ message: `${user}?`, schema: Yes }))
      )
      const registrations = tool("t", { dependencies: [user, sure] }, () => Effect.map(user.get, ({ user }) => user))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { user: [Answer.accept({ user: " Ada " })], sure: [yes] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "Ada")
    })
  )

  era2026("a schema made anew in each round restores the answer", (era) =>
    Effect.gen(function* () {
      const make = () => Schema.Struct({ size: Schema.Literals(["small", "large"]) })
      const size = resolver("size", {}, () => Elicitation.form({ message: "size?", schema: make() }))
      const sure = resolver("sure", { dependencies: [size] }, () => Elicitation.form({ message: "sure?", schema: Yes }))
      const registrations = tool("t", { dependencies: [size, sure] }, () => Effect.map(size.get, ({ size }) => size))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { size: [Answer.accept({ size: "large" })], sure: [yes] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "large")
    })
  )

  eras("a value that no JSON can hold is injected as it is, in every round", (era) =>
    Effect.gen(function* () {
      const value = { when: new Date(0), run: () => 7, self: undefined as unknown }
      value.self = value
      const odd = resolver("odd", {}, () => Effect.succeed(value))
      const nothing = resolver("nothing", {}, () => Effect.succeed(null))
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("t", { dependencies: [odd, nothing, ask] }, () =>
        Effect.map(Effect.all([odd.get, nothing.get]), ([it, none]) => `${it === value} ${it.run()} ${none}`)
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: yes } })
      assert.strictEqual((yield* peer.callTool("t")).text, "true 7 null")
    })
  )

  eras("a body that asks where its tool says so: the answer feeds the next question, and each is put once", (era) =>
    Effect.gen(function* () {
      const registrations = tool("book", { dependencies: [Elicitation.Elicitation] }, () =>
        Effect.gen(function* () {
          const name = yield* Elicitation.form({ message: "Name?", schema: Schema.Struct({ name: Schema.String }) })
          const age = yield* Elicitation.form({
            message: `Age of ${name.name}?`,
            schema: Schema.Struct({ age: Schema.Int }),
            label: "age"
          })
          return `${name.name} is ${age.age}`
        })
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { book: [Answer.accept({ name: "ada" })], "book#age": [Answer.accept({ age: 37 })] }
      })
      assert.strictEqual((yield* peer.callTool("book")).text, "ada is 37")
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["Name?", "Age of ada?"]
      )
    })
  )

  eras("a refusal in a body that asks is an ordinary value there, or passes as the sentence of the question", (era) =>
    Effect.gen(function* () {
      const ask = Elicitation.form({ message: "Table?", schema: Yes })
      const registrations = Layer.mergeAll(
        tool("branches", { dependencies: [Elicitation.Elicitation] }, () =>
          Effect.catchTags(Effect.as(ask, "booked"), {
            Declined: () => Effect.succeed("No booking made."),
            Cancelled: () => Effect.succeed("No booking made.")
          })
        ),
        tool("passes", { dependencies: [Elicitation.Elicitation] }, () => Effect.as(ask, "booked"))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { branches: [yes, Answer.decline, Answer.cancel], passes: [yes, Answer.decline] }
      })
      const text = (name: string) => Effect.map(peer.callTool(name), ({ isError, text }) => `${isError} ${text}`)
      assert.strictEqual(yield* text("branches"), "false booked")
      assert.strictEqual(yield* text("branches"), "false No booking made.")
      assert.strictEqual(yield* text("branches"), "false No booking made.")
      assert.strictEqual(yield* text("passes"), "false booked")
      assert.strictEqual(
        yield* text("passes"),
        "true Error executing tool passes: Resolver for 'passes' could not resolve: elicitation was decline"
      )
    })
  )

  eras("a body that does not say that it asks runs once, after all questions", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const ask = resolver("ask", {}, () => Elicitation.form({ message: "ok?", schema: Yes }))
      const registrations = tool("t", { dependencies: [ask] }, () =>
        Effect.andThen(ran.hit("body"), Effect.as(Elicitation.form({ message: "sneaky?", schema: Yes }), "done"))
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: yes } })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, "Error executing tool t: internal error"])
      assert.strictEqual(ran.count("body"), 1)
    })
  )
})
