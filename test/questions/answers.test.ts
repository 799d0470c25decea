/** On both eras: what each answer to a form means, and what the client is told. */
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Elicitation, Question, Resolver } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { asked, completed, counter, observed, resolver, tool, Yes, yes } from "../rules/kit.ts"

const head = "Error executing tool t: "
const noContent = "Resolver 'q' received an accepted elicitation with no content"
const mismatch = "Resolver 'q' received an accepted elicitation whose content does not match the requested schema"
const wrongKind = "Resolver 'q' received a response of the wrong kind"

const asking = (schema: any, ran = counter()) => {
  const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema }))
  return tool("t", { dependencies: [q] }, () =>
    Effect.andThen(
      ran.hit("body"),
      Effect.map(q.get, (value) => JSON.stringify(value))
    )
  )
}

/** One call, one question, one answer. */
const answered = (era: { protocol: Peer.ProtocolVersion }, schema: any, answer: Answer.Answer) =>
  Effect.gen(function* () {
    const ran = counter()
    const peer = yield* Peer.make({ ...era, registrations: asking(schema, ran), answers: { q: [answer] } })
    const result = yield* peer.callTool("t")
    assert.strictEqual(ran.count("body"), result.isError ? 0 : 1)
    return [result.isError, result.text] as const
  })

const Loose = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  count: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3)))
})

describe("answers", () => {
  for (const [action, answer] of [
    ["decline", Answer.decline],
    ["cancel", Answer.cancel]
  ] as const) {
    eras(`a ${action} ends the call with the sentence that names the resolver that asked`, (era) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(era, Yes, answer), [
          true,
          `${head}Resolver for 'q' could not resolve: elicitation was ${action}`
        ])
      })
    )

    eras(`a ${action} below another resolver names the one that asked, not its consumer`, (era) =>
      Effect.gen(function* () {
        const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: Yes }))
        const above = resolver("above", { dependencies: [q] }, () => q.get)
        const registrations = tool("t", { dependencies: [above] }, () => Effect.succeed("done"))
        const peer = yield* Peer.make({ ...era, registrations, answers: { q: answer } })
        assert.strictEqual(
          (yield* peer.callTool("t")).text,
          `${head}Resolver for 'q' could not resolve: elicitation was ${action}`
        )
      })
    )

    for (const content of [null, { ok: true }, "text", 7]) {
      eras(`content on a ${action} is ignored: ${JSON.stringify(content)}`, (era) =>
        Effect.gen(function* () {
          const [isError, text] = yield* answered(era, Yes, Answer.result({ action, content }))
          assert.isTrue(isError)
          assert.include(text, `elicitation was ${action}`)
        })
      )
    }
  }

  eras("an accept of 'no' is an accept: the tool runs with the false value", (era) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* answered(era, Yes, Answer.accept({ ok: false })), [false, '{"ok":false}'])
    })
  )

  for (const [what, answer] of [
    ["without content", Answer.accept()],
    ["with content null", Answer.result({ action: "accept", content: null })]
  ] as const) {
    eras(`an accept ${what} of a form with a required field is invalid`, (era) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(era, Yes, answer), [true, head + noContent])
      })
    )

    eras(`an accept ${what} of a form whose fields are all optional is an empty one`, (era) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(era, Loose, answer), [false, '{"count":3}'])
      })
    )
  }

  for (const [what, content] of [
    ["a string for a boolean", { ok: "true" }],
    ["a number for a boolean", { ok: 1 }],
    ["null for a boolean", { ok: null }],
    ["a missing boolean", {}],
    ["a list for a boolean", { ok: [true] }]
  ] as const) {
    eras(`content that does not decode is invalid, and the validator's text stays inside: ${what}`, (era) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(era, Yes, Answer.accept(content)), [
          true,
          `${head}${mismatch}: 'ok' ${Object.hasOwn(content, "ok") ? "must" : "is missing; it must"} be a boolean`
        ])
      })
    )
  }

  for (const [what, content] of [
    ["a list", []],
    ["a string", "yes"],
    ["a number", 7]
  ] as const) {
    eras(`content that is ${what} is invalid`, (era) =>
      Effect.gen(function* () {
        const [isError, text] = yield* answered(era, Yes, Answer.result({ action: "accept", content }))
        assert.isTrue(isError)
        assert.match(text, /does not match the requested schema|of the wrong kind/)
      })
    )
  }

  for (const [what, result] of [
    ["an action that is none of the three", { action: "maybe" }],
    ["no action", { content: { ok: true } }],
    ["an action of another type", { action: 1 }],
    ["a sampling result", { role: "assistant", content: { type: "text", text: "yes" }, model: "m" }],
    ["a roots result", { roots: [] }],
    ["an empty object", {}]
  ] as const) {
    eras(`an answer of another kind is invalid: ${what}`, (era) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* answered(era, Yes, Answer.result(result)), [true, head + wrongKind])
      })
    )
  }

  eras("null for a field that may be left blank is absent, and other fields count", (era) =>
    Effect.gen(function* () {
      const Person = Schema.Struct({
        name: Schema.String,
        note: Schema.optional(Schema.String),
        age: Schema.optionalKey(Schema.Number),
        copies: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(2)))
      })
      const blank = { name: "Ada", note: null, age: null, copies: null }
      assert.deepStrictEqual(yield* answered(era, Person, Answer.accept(blank)), [false, '{"name":"Ada","copies":2}'])
      assert.deepStrictEqual(yield* answered(era, Person, Answer.accept({ ...blank, age: 3.5 })), [
        false,
        '{"name":"Ada","age":3.5,"copies":2}'
      ])
      assert.deepStrictEqual(yield* answered(era, Person, Answer.accept({ ...blank, name: null })), [
        true,
        `${head}${mismatch}: 'name' must be a string`
      ])
    })
  )

  eras("the format of a field is held to, and the field is named", (era) =>
    Effect.gen(function* () {
      const Contact = Schema.Struct({
        name: Schema.String,
        email: Schema.String.annotate({ format: "email" }),
        site: Schema.optional(Schema.String.annotate({ format: "uri" }))
      })
      const right = { name: "Ada", email: "ada@example.com", site: "https://example.com" }
      assert.deepStrictEqual(yield* answered(era, Contact, Answer.accept(right)), [false, JSON.stringify(right)])
      assert.deepStrictEqual(yield* answered(era, Contact, Answer.accept({ ...right, email: "not-an-email" })), [
        true,
        `${head}${mismatch}: 'email' must be an email address`
      ])
      assert.deepStrictEqual(yield* answered(era, Contact, Answer.accept({ ...right, site: "example.com" })), [
        true,
        `${head}${mismatch}: 'site' must be a URI`
      ])
    })
  )

  eras("extra fields of an answer are ignored, `__proto__` included", (era) =>
    Effect.gen(function* () {
      const content = JSON.parse('{"ok":true,"extra":1,"__proto__":{"admin":true},"constructor":2}')
      assert.deepStrictEqual(yield* answered(era, Yes, Answer.accept(content)), [false, '{"ok":true}'])
    })
  )

  eras("an empty string is a string, and no choice", (era) =>
    Effect.gen(function* () {
      const Text = Schema.Struct({ name: Schema.String })
      const Choice = Schema.Struct({ size: Schema.Literals(["small", "large"]) })
      assert.deepStrictEqual(yield* answered(era, Text, Answer.accept({ name: "" })), [false, '{"name":""}'])
      assert.deepStrictEqual(yield* answered(era, Choice, Answer.accept({ size: "" })), [
        true,
        `${head}${mismatch}: 'size' must be one of "small", "large"`
      ])
    })
  )

  eras("an absent boolean is never false unless a default says so", (era) =>
    Effect.gen(function* () {
      const Defaulted = Schema.Struct({ ok: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))) })
      const Optional = Schema.Struct({ ok: Schema.optionalKey(Schema.Boolean) })
      assert.deepStrictEqual(yield* answered(era, Defaulted, Answer.accept({})), [false, '{"ok":false}'])
      assert.deepStrictEqual(yield* answered(era, Optional, Answer.accept({})), [false, "{}"])
    })
  )

  eras("stricter checks, dates, brands and defaults of the schema hold for the value", (era) =>
    Effect.gen(function* () {
      const Rich = Schema.Struct({
        day: Schema.DateFromString,
        isbn: Schema.String.check(Schema.isPattern(/^\d{3}$/)).pipe(Schema.brand("Isbn")),
        copies: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).pipe(
          Schema.withDecodingDefaultKey(Effect.succeed(2))
        )
      })
      const day = "2026-01-02T00:00:00.000Z"
      assert.deepStrictEqual(yield* answered(era, Rich, Answer.accept({ day, isbn: "123" })), [
        false,
        `{"day":"${day}","isbn":"123","copies":2}`
      ])
      assert.deepStrictEqual(yield* answered(era, Rich, Answer.accept({ day, isbn: "12" })), [
        true,
        `${head}${mismatch}: 'isbn' must be a string matching the RegExp ^\\d{3}$`
      ])
      assert.deepStrictEqual(yield* answered(era, Rich, Answer.accept({ day, isbn: "123", copies: 10 })), [
        true,
        `${head}${mismatch}: 'copies' must be a whole number from 1 to 9`
      ])
      assert.deepStrictEqual(yield* answered(era, Rich, Answer.accept({ day: "soon", isbn: "123" })), [
        true,
        `${head}${mismatch}: 'day' must be a date and time such as "2026-01-31T12:00:00Z"`
      ])
    })
  )

  eras("`Effect.retry` on a question asks again after an answer that does not fit", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () => Effect.retry(Elicitation.form({ message: "q?", schema: Yes }), { times: 1 }))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.map(q.get, (value) => JSON.stringify(value)))
      const bad = Answer.accept({ ok: "maybe" })
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { q: [bad, yes, bad, Answer.accept(), Answer.decline, yes, yes] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, '{"ok":true}')
      // `times: 1`: the second bad answer ends the call, with its own sentence
      assert.strictEqual((yield* peer.callTool("t")).text, head + noContent)
      assert.strictEqual((yield* peer.callTool("t")).text, '{"ok":true}')
      assert.strictEqual((yield* peer.callTool("t")).text, '{"ok":true}')
      assert.strictEqual(peer.questions.length, 7)
    })
  )

  eras("a retry that looks at why asks again for one reason and not for another", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () =>
        Effect.retry(Elicitation.form({ message: "q?", schema: Yes }), {
          times: 5,
          while: (error) => error._tag === "AskFailed" && error.detail.includes("no content")
        })
      )
      const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { q: [Answer.accept(), Answer.accept(), Answer.accept({ ok: 1 })] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, `${head}${mismatch}: 'ok' must be a boolean`)
    })
  )

  eras("an answer recorded before another question of the same body keeps its own retries apart", (era) =>
    Effect.gen(function* () {
      const twice = resolver("twice", {}, () =>
        Effect.gen(function* () {
          const first = yield* Effect.retry(Elicitation.form({ message: "one?", schema: Yes }), { times: 2 })
          const second = yield* Effect.retry(Elicitation.form({ message: "two?", schema: Yes, label: "two" }), {
            times: 2
          })
          return [first.ok, second.ok]
        })
      )
      const registrations = tool("t", { dependencies: [twice] }, () =>
        Effect.map(twice.get, (value) => JSON.stringify(value))
      )
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: {
          twice: [Answer.accept({ ok: 1 }), yes],
          "twice#two": [Answer.accept(), Answer.accept({ ok: false })]
        }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "[true,false]")
    })
  )

  eras("two questions of one body are told apart by a label; without one the error says so", (era) =>
    Effect.gen(function* () {
      const two = (label: string | undefined) =>
        resolver("q", {}, () =>
          Effect.gen(function* () {
            const a = yield* Elicitation.form({ message: "one?", schema: Yes })
            const b = yield* Elicitation.form({ message: "two?", schema: Yes, label })
            return `${a.ok} ${b.ok}`
          })
        )
      const [good, bad] = [two("second"), two(undefined)]
      const peer = yield* Peer.make({
        ...era,
        registrations: tool("t", { dependencies: [good] }, () => good.get),
        answers: { q: yes, "q#second": Answer.accept({ ok: false }) }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "true false")
      const other = yield* Peer.make({
        ...era,
        registrations: tool("t", { dependencies: [bad] }, () => bad.get),
        answers: { q: yes }
      })
      assert.strictEqual(
        (yield* other.callTool("t")).text,
        `${head}Resolver for 'q' could not resolve: it asked two questions without a label; give each further question of one body a \`label\``
      )
    })
  )

  eras("two questions with one label are an error that names it", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () =>
        Effect.all(
          [
            Elicitation.form({ message: "one?", schema: Yes, label: "x" }),
            Elicitation.form({ message: "two?", schema: Yes, label: "x" })
          ],
          { concurrency: "unbounded" }
        )
      )
      const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => yes })
      assert.include((yield* peer.callTool("t")).text, "two questions with the label 'x'")
    })
  )

  eras("a question asked after its resolver has ended is AskFailed Unavailable, saying so", (era) =>
    Effect.gen(function* () {
      const later = resolver("later", {}, () =>
        Effect.map(Effect.context<Elicitation.Elicitation>(), (context) =>
          Effect.provideContext(Elicitation.form({ message: "q?", schema: Yes }), context)
        )
      )
      const uses = resolver("uses", { dependencies: [later] }, () => Effect.flatten(later.get))
      const registrations = tool("t", { dependencies: [uses] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations })
      assert.strictEqual(
        (yield* peer.callTool("t")).text,
        `${head}Resolver for 'later' could not resolve: it asked a question after it had ended`
      )
    })
  )

  eras(
    "a question that the compiler could not see is refused before anything is sent, naming resolver and field",
    (era) =>
      Effect.gen(function* () {
        for (const [schema, field] of [
          [Schema.Struct({ at: Schema.Struct({ x: Schema.Int }) }), "at"],
          [Schema.Struct({ tags: Schema.Array(Schema.String) }), "tags"],
          [Schema.Struct({ either: Schema.Union([Schema.String, Schema.Int]) }), "either"]
        ] as const) {
          const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: schema as any }))
          const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
          const peer = yield* Peer.make({ ...era, registrations, capabilities: {} })
          const result = yield* peer.callTool("t")
          assert.isTrue(result.isError)
          assert.include(
            result.text,
            `Resolver for 'q' could not resolve: its question cannot be shown: field '${field}'`
          )
          assert.strictEqual(peer.questions.length, 0)
        }
      })
  )

  eras("messages lose control and bidirectional characters, and keep their lines", (era) =>
    Effect.gen(function* () {
      const message = "Pay\u202e 10\u0000\u001b[31m\u200b\nto \u2066Ada\u2069\tnow\r\nplease\u0085"
      const q = resolver("q", {}, () => Elicitation.form({ message, schema: Yes }))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: yes } })
      yield* peer.callTool("t")
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["Pay 10[31m\nto Ada\tnow\r\nplease"]
      )
    })
  )

  eras("`confirm` asks for a yes: true passes, false is a decline", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () => Elicitation.confirm("Sure?"))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: { q: [Answer.accept({ confirm: true }), Answer.accept({ confirm: false })] }
      })
      assert.strictEqual((yield* peer.callTool("t")).text, "done")
      assert.strictEqual(
        (yield* peer.callTool("t")).text,
        `${head}Resolver for 'q' could not resolve: elicitation was decline`
      )
    })
  )

  eras("a decline with another question unanswered ends the call", (era) =>
    Effect.gen(function* () {
      const [a, b] = ["a", "b"].map((key) =>
        resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))
      )
      const registrations = tool("t", { dependencies: [a, b] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: ({ key }) => (key === "b" ? Answer.decline : yes)
      })
      if (era.protocol === "2026-07-28") {
        const round = asked(yield* peer.callToolOnce("t"))
        const result = completed(yield* peer.retry(round, { inputResponses: { b: Answer.decline } }))
        assert.include(result.text, "Resolver for 'b' could not resolve")
      } else {
        assert.include((yield* peer.callTool("t")).text, "Resolver for 'b' could not resolve")
      }
    })
  )

  eras("a failure beats a pending question: nothing collected so far is sent", (era) =>
    Effect.gen(function* () {
      const a = resolver("a", {}, () => Elicitation.form({ message: "a?", schema: Yes }))
      const boom = resolver("boom", {}, () => Effect.fail("kaput"))
      const registrations = tool("t", { dependencies: [a, boom], failure: Schema.String }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => yes })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual([result.isError, result.text], [true, `${head}"kaput"`])
      if (era.protocol === "2026-07-28") assert.strictEqual(peer.questions.length, 0)
    })
  )

  eras("one question for two wishes: a decline ends the call for the plain consumer", (era) =>
    Effect.gen(function* () {
      class Ask extends Resolver.Service<Ask>()("ask", {
        resolve: () => Elicitation.form({ message: "q?", schema: Yes })
      }) {}
      class Branches extends Resolver.Service<Branches>()("branches", {
        dependencies: [Ask.result],
        resolve: () => Effect.map(Ask.result, (result) => result._tag)
      }) {}
      const registrations = Layer.mergeAll(
        tool("t", { dependencies: [Branches, Ask] }, () => Effect.succeed("done")),
        tool("u", { dependencies: [Branches] }, () => Branches)
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: { ask: [Answer.decline, Answer.decline] } })
      assert.include((yield* peer.callTool("t")).text, "Resolver for 'ask' could not resolve: elicitation was decline")
      assert.strictEqual((yield* peer.callTool("u")).text, "Failure")
    })
  )

  eras("a dependent may ask something else because of a decline below it", (era) =>
    Effect.gen(function* () {
      class First extends Resolver.Service<First>()("first", {
        resolve: () => Elicitation.form({ message: "first?", schema: Yes })
      }) {}
      class Second extends Resolver.Service<Second>()("second", {
        dependencies: [First.result],
        resolve: () =>
          Effect.flatMap(First.result, (first) =>
            first._tag === "Success"
              ? Effect.succeed("first")
              : Effect.as(Elicitation.form({ message: "second?", schema: Yes }), "second")
          )
      }) {}
      const registrations = tool("t", { dependencies: [Second] }, () => Second)
      const peer = yield* Peer.make({ ...era, registrations, answers: { first: [Answer.decline], second: [yes] } })
      assert.strictEqual((yield* peer.callTool("t")).text, "second")
      assert.deepStrictEqual(
        peer.questions.map(({ message }) => message),
        ["first?", "second?"]
      )
    })
  )
})

describe("the back channel", () => {
  const old = eras.of("2025-11-25")

  old("a JSON-RPC error of the client is told by its code, not by its text", (era) =>
    Effect.gen(function* () {
      const ran = counter()
      const peer = yield* Peer.make({
        ...era,
        registrations: asking(Yes, ran),
        answers: { q: [Answer.error(-32000, "user gone"), Answer.error(-1, "secret")] }
      })
      const result = yield* peer.callTool("t")
      assert.deepStrictEqual(
        [result.isError, result.text],
        [true, `${head}Resolver for 'q' could not resolve: the client answered with error -32000`]
      )
      assert.include((yield* peer.callTool("t")).text, "the client answered with error -1")
      assert.strictEqual(ran.count("body"), 0)
    })
  )

  old("a client's error is a value for who catches it: reason and code", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () =>
        Effect.catchTag(Elicitation.form({ message: "q?", schema: Yes }), "AskFailed", (error) =>
          Effect.succeed({ ok: `${error.reason} ${error.code}` })
        )
      )
      const registrations = tool("t", { dependencies: [q] }, () => Effect.map(q.get, ({ ok }) => String(ok)))
      const peer = yield* Peer.make({ ...era, registrations, answers: { q: Answer.error(-32000, "user gone") } })
      assert.strictEqual((yield* peer.callTool("t")).text, "ClientError -32000")
    })
  )

  old("a question waits 10 minutes, then ends the call; its late answer changes nothing", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: asking(Yes), answers: { q: Answer.never } })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(
        (yield* Fiber.join(call)).text,
        `${head}Resolver for 'q' could not resolve: no answer came within 10m`
      )
    })
  )

  old("a question waits as long as it says itself, or as `Question.Timeout` says", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", {}, () => Elicitation.form({ message: "q?", schema: Yes, timeout: "2 seconds" }))
      const registrations = Layer.mergeAll(
        tool("own", { dependencies: [q] }, () => Effect.succeed("done")),
        asking(Yes)
      )
      const peer = yield* Peer.make({ ...era, registrations, answers: () => Answer.never })
      for (const [name, wait] of [
        ["own", "2 seconds"],
        ["t", "5 seconds"]
      ] as const) {
        const call = yield* Effect.forkChild(peer.callTool(name))
        yield* peer.settle
        yield* TestClock.adjust(wait)
        assert.match((yield* Fiber.join(call)).text, /no answer came within [25]s/)
      }
    }).pipe(Effect.provideService(Question.Timeout, "5 seconds"))
  )

  old("a call waits 30 minutes in all: the question that is open then ends, and nothing is sent after it", (era) =>
    Effect.gen(function* () {
      const ask = (label: string) =>
        Effect.catchTag(
          Elicitation.form({ message: `${label}?`, schema: Yes, label, timeout: "20 minutes" }),
          "AskFailed",
          (error) => Effect.succeed(error.detail)
        )
      const q = resolver("q", {}, () => Effect.all([ask("one"), ask("two"), ask("three"), ask("four")]))
      const registrations = tool("t", { dependencies: [q] }, () => Effect.map(q.get, (all) => all.join("; ")))
      const peer = yield* Peer.make({ ...era, registrations, answers: () => Answer.never })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("20 minutes")
      yield* peer.settle
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(
        (yield* Fiber.join(call)).text,
        [
          "no answer came within 20m",
          "no answer came within 10m",
          "the call was open for more than 30m",
          "the call was open for more than 30m"
        ].join("; ")
      )
      assert.strictEqual(peer.questions.length, 2)
    })
  )

  old("time that a question spends behind another is not its own", (era) =>
    Effect.gen(function* () {
      const ask = (key: string) => resolver(key, {}, () => Elicitation.form({ message: `${key}?`, schema: Yes }))
      const [a, b] = [ask("a"), ask("b")]
      const registrations = tool("t", { dependencies: [a, b] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: () => Effect.as(Effect.sleep("9 minutes"), yes)
      })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("9 minutes")
      yield* peer.settle
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* Fiber.join(call)).text, "done")
    })
  )

  eras("a resolver's own time limit stands still while its question is open", (era) =>
    Effect.gen(function* () {
      const q = resolver("q", { timeout: "1 minute" }, () => Elicitation.form({ message: "q?", schema: Yes }))
      const above = resolver("above", { dependencies: [q], timeout: "2 minutes" }, () => q.get)
      const registrations = tool("t", { dependencies: [above] }, () => Effect.succeed("done"))
      const peer = yield* Peer.make({
        ...era,
        registrations,
        answers: () => Effect.as(Effect.sleep("9 minutes"), yes)
      })
      const call = yield* Effect.forkChild(peer.callTool("t"))
      yield* peer.settle
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* Fiber.join(call)).text, "done")
    })
  )

  eras.of("2026-07-28")("on 2026-07-28 no clock of ours runs while a person thinks", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: asking(Yes) })
      const round = asked(yield* peer.callToolOnce("t"))
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(completed(yield* peer.retry(round, { inputResponses: { q: yes } })).text, '{"ok":true}')
    })
  )

  old("an old client sees nothing of the new protocol", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: asking(Yes), answers: { q: yes } })
      yield* peer.callTool("t")
      const sent = JSON.stringify(peer.transcript.filter(({ from }) => from === "server"))
      for (const word of ["resultType", "inputRequests", "requestState", "io.modelcontextprotocol/serverInfo"]) {
        assert.notInclude(sent, word)
      }
    })
  )

  old("a bad answer, its log and its report hold nothing of what was answered", (era) =>
    observed(({ logs, reports }) =>
      Effect.gen(function* () {
        const peer = yield* Peer.make({
          ...era,
          registrations: asking(Yes),
          answers: { q: Answer.accept({ ok: "hunter2" }) }
        })
        yield* peer.callTool("t")
        assert.notInclude(logs.join() + reports.join(), "hunter2")
      })
    )
  )
})
