/**
 * What a test's user, model and workspace say when the server asks.
 *
 * An answer is data: the peer puts it on the wire as it stands and checks nothing, so a wrong answer is as easy to give
 * as a right one.
 *
 * @since 0.1.0
 */
import { Arbitrary, Effect, Schema } from "effect"
import { content } from "./internal/fitting.ts"

/**
 * One answer to one question: a result, a JSON-RPC error, or silence.
 *
 * **Details**
 *
 * An error exists on the wire of 2025-11-25 and older only. On 2026-07-28 a client that will not answer never retries:
 * there the call fails in the peer with the code and message given here.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly _tag: "Never" }

/**
 * The three kinds of question a server can ask.
 *
 * @category models
 * @since 0.1.0
 */
export type QuestionMethod = "elicitation/create" | "sampling/createMessage" | "roots/list"

/**
 * A question as the peer received it.
 *
 * **Details**
 *
 * `key` is the resolver's wire key: the key of `inputRequests` on 2026-07-28; on older versions what the engine
 * announced to the test kit, or undefined for a server that does not announce. `message` is an elicitation's message, or
 * the text of the last sampling message. `target` is the tool, prompt or URI that asks, where the wire says it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Question {
  readonly key: string | undefined
  readonly method: QuestionMethod
  readonly params: any
  readonly message: string | undefined
  readonly target: string | undefined
}

/**
 * What stands for one key in a script: an answer for every time the question is asked, a list that is used up in order,
 * or a function of the question; and any of them made {@link optional}.
 *
 * @category models
 * @since 0.1.0
 */
export type Scripted = Needed | Optional

type Needed = Answer | ReadonlyArray<Answer> | ((question: Question) => Answer | Effect.Effect<Answer>)

/**
 * An entry of a script that may go unused.
 *
 * @category models
 * @since 0.1.0
 */
export interface Optional {
  readonly _tag: "Optional"
  readonly scripted: Needed
}

/**
 * Lets an entry of a script go unused. On a back channel a decline ends the call before the next question; on 2026-07-28
 * all questions of a round are answered: a script for both eras has to bear that.
 *
 * @category combinators
 * @since 0.1.0
 */
export const optional = (scripted: Needed): Optional => ({ _tag: "Optional", scripted })

/**
 * The answers of one peer: by resolver key (or labelled key), or one function for every question.
 *
 * **Details**
 *
 * Every key must be used and every list used up before the test ends; a question that matches nothing fails the test.
 * A single function need not be called.
 *
 * @category models
 * @since 0.1.0
 */
export type Script = { readonly [key: string]: Scripted } | ((question: Question) => Answer | Effect.Effect<Answer>)

/**
 * Answers with exactly this result, whatever its shape: for hostile and malformed answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const result = (result: unknown): Answer => ({ _tag: "Result", result })

/**
 * Accepts an elicitation, with the form's content; without content for URL mode, or to leave it out on purpose.
 *
 * @category constructors
 * @since 0.1.0
 */
export const accept = (content?: { readonly [field: string]: unknown }): Answer =>
  result(content === undefined ? { action: "accept" } : { action: "accept", content })

/**
 * Declines an elicitation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const decline: Answer = result({ action: "decline" })

/**
 * Dismisses an elicitation without a choice.
 *
 * @category constructors
 * @since 0.1.0
 */
export const cancel: Answer = result({ action: "cancel" })

/**
 * Answers a sampling request as the client's model: a text, or fields of the result that replace the defaults
 * (`model` is `"test-model"`, `stopReason` is `"endTurn"`).
 *
 * @category constructors
 * @since 0.1.0
 */
export const sampled = (answer: string | { readonly [field: string]: unknown }): Answer =>
  result({
    role: "assistant",
    content: { type: "text", text: typeof answer === "string" ? answer : "" },
    model: "test-model",
    stopReason: "endTurn",
    ...(typeof answer === "string" ? {} : answer)
  })

/**
 * Answers with the client's roots: URIs, or URIs with names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const roots = (roots: ReadonlyArray<string | { readonly uri: string; readonly name?: string }>): Answer =>
  result({ roots: roots.map((root) => (typeof root === "string" ? { uri: root } : root)) })

/**
 * Answers with a JSON-RPC error; see {@link Answer} for what that means on 2026-07-28.
 *
 * @category constructors
 * @since 0.1.0
 */
export const error = (code: number, message: string, data?: unknown): Answer => ({
  _tag: "Error",
  code,
  message,
  ...(data === undefined ? {} : { data })
})

/**
 * Never answers: for time limits and cancellation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const never: Answer = { _tag: "Never" }

// ---------------------------------------------------------------- answers by chance

/**
 * Draws answers that accept a form with content that fits its JSON Schema, the `requestedSchema` of a question.
 *
 * **Details**
 *
 * Texts keep to lengths, patterns and formats, numbers to their bounds, choices to their list; a field that is not
 * required is left out now and then. It shrinks, as every `Arbitrary` of Effect does.
 *
 * **Example** (Whatever a person may answer)
 *
 * ```ts
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 * import { Answer } from "effect-resolve/testing"
 *
 * const schema = { type: "object", properties: { copies: { type: "integer", minimum: 1 } }, required: ["copies"] }
 *
 * it.effect.prop("asks for a copy at least", { answer: Answer.fitting(schema) }, ({ answer }) =>
 *   Effect.sync(() => assert.strictEqual(answer._tag, "Result"))
 * )
 * ```
 *
 * @category arbitraries
 * @since 0.2.0
 */
export const fitting = (requestedSchema: { readonly [keyword: string]: unknown }): Arbitrary.Arbitrary<Answer> =>
  Arbitrary.map(content(requestedSchema), accept)

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const answering =
  (seed: number) =>
  (question: Question): Effect.Effect<Answer> => {
    switch (question.method) {
      case "roots/list":
        return Effect.succeed(roots(["file:///workspace"].slice(seed % 2)))
      case "sampling/createMessage":
        return Effect.succeed(sampled(`completion ${seed}`))
      case "elicitation/create": {
        if (question.params.mode === "url") return Effect.succeed(accept())
        // by the question as well, so that two questions are not answered alike
        const options = { count: 1, seed: `${seed} ${question.key} ${question.message}` }
        return Arbitrary.sampleEffect(fitting(question.params.requestedSchema), options).pipe(
          Effect.orDie,
          Effect.map(([answer]) => answer!)
        )
      }
    }
  }

/**
 * Draws a person, with a model and a workspace, who answers every question in a way that fits it: give it to a peer as
 * its `answers`. One person answers the same question alike every time.
 *
 * **Example** (A tool that bears every answer)
 *
 * ```ts
 * import { assert, it } from "@effect/vitest"
 * import { Effect, Layer, Schema } from "effect"
 * import { Toolkit } from "effect/ai"
 * import { Elicitation, Resolve, Resolver } from "effect-resolve"
 * import { Answer, Peer } from "effect-resolve/testing"
 *
 * class Copies extends Resolver.Service<Copies>()("bookshop/Copies", {
 *   resolve: () => Elicitation.form({ message: "How many?", schema: Schema.Struct({ copies: Schema.Int }) })
 * }) {}
 * const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.Int, dependencies: [Copies] }))
 * const ShopLive = Shop.toLayer({ order_book: () => Effect.map(Copies, ({ copies }) => copies) })
 * const registrations = Resolve.toolkit(Shop).pipe(Layer.provide(ShopLive))
 *
 * it.effect.prop("orders whatever a person answers", { answers: Answer.person }, ({ answers }) =>
 *   Effect.gen(function* () {
 *     const peer = yield* Peer.make({ registrations, answers })
 *     assert.isFalse((yield* peer.callTool("order_book")).isError)
 *   })
 * )
 * ```
 *
 * @category arbitraries
 * @since 0.2.0
 */
export const person: Arbitrary.Arbitrary<(question: Question) => Effect.Effect<Answer>> = Arbitrary.map(
  Arbitrary.schema(Seed),
  answering
)
