/**
 * A call of any length: on 2026-07-28 the client retries until the answer is complete.
 */
import { Effect } from "effect"
import type { Answer } from "../Answer.ts"
import { JsonRpcError, PeerFailure } from "../PeerError.ts"
import * as Text from "./messages.ts"
import type { Questions } from "./questions.ts"
import type { RequestOptions, Response, Session } from "./session.ts"

/**
 * The last answer of a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Complete<A> {
  readonly _tag: "Complete"
  readonly value: A
}

/**
 * An answer that asks: the questions by key, the state as it was sent, and what `retry` needs to go on.
 *
 * @category models
 * @since 0.1.0
 */
export interface InputRequired<A> {
  readonly _tag: "InputRequired"
  readonly inputRequests: { readonly [key: string]: { readonly method: string; readonly params?: any } }
  readonly requestState: string | undefined
  readonly raw: any
  readonly call: Call<A>
}

/**
 * One answer of a call that may ask.
 *
 * @category models
 * @since 0.1.0
 */
export type Round<A> = Complete<A> | InputRequired<A>

/** A request that may be answered by questions. `params` are those of the first round. */
export interface Call<A> {
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
  readonly options: RequestOptions
  readonly decode: (raw: any) => A
}

/**
 * What a retry changes. What is left out is as a well-behaved client would send it: answers by the script, the state
 * byte for byte, the parameters of the first round.
 *
 * @category models
 * @since 0.1.0
 */
export interface Retry {
  readonly inputResponses?: { readonly [key: string]: Answer } | undefined
  readonly requestState?: unknown
  readonly params?: { readonly [name: string]: unknown } | undefined
  readonly headers?: RequestOptions["headers"]
}

export interface Rounds {
  readonly result: (method: string, params: unknown, options?: RequestOptions) => Effect.Effect<any, JsonRpcError>
  readonly first: <A>(call: Call<A>) => Effect.Effect<Round<A>, JsonRpcError>
  readonly retry: <A>(round: InputRequired<A>, changes?: Retry) => Effect.Effect<Round<A>, JsonRpcError>
  readonly run: <A>(call: Call<A>) => Effect.Effect<A, JsonRpcError>
}

const refusal = (method: string, { httpStatus, message }: Response): JsonRpcError =>
  new JsonRpcError({
    method,
    code: message.error!.code,
    message: message.error!.message,
    data: message.error!.data,
    httpStatus,
    origin: "server"
  })

const targetOf = (params: { readonly [name: string]: unknown }): string | undefined => {
  const target = params.name ?? params.uri
  return typeof target === "string" ? target : undefined
}

export const make = (session: Session, questions: Questions, maxRounds: number): Rounds => {
  const result: Rounds["result"] = (method, params, options) =>
    Effect.flatMap(session.request(method, params, options), (response) =>
      response.message.error === undefined
        ? Effect.succeed(response.message.result)
        : Effect.fail(refusal(method, response))
    )

  const broken = (text: string): Effect.Effect<never> => Effect.die(new PeerFailure({ message: text }))

  const round = <A>(call: Call<A>, params: Call<A>["params"], options: RequestOptions) =>
    Effect.flatMap(result(call.method, params, options), (raw): Effect.Effect<Round<A>> => {
      if (session.profile.stateless && raw?.resultType === undefined) {
        return broken(Text.noResultType(call.method))
      }
      if (raw?.resultType !== "input_required") return Effect.succeed({ _tag: "Complete", value: call.decode(raw) })
      if (!session.profile.stateless) {
        return broken(Text.noRoundsThere(call.method, session.profile.protocol))
      }
      if (raw.inputRequests === undefined && raw.requestState === undefined) {
        return broken(Text.nothingToAnswer(call.method))
      }
      return Effect.succeed({
        _tag: "InputRequired",
        inputRequests: raw.inputRequests ?? {},
        requestState: raw.requestState,
        raw,
        call
      })
    })

  const first: Rounds["first"] = (call) => round(call, call.params, call.options)

  const responseOf = (method: string, answer: Answer): Effect.Effect<unknown, JsonRpcError> => {
    if (answer._tag === "Result") return Effect.succeed(answer.result)
    if (answer._tag === "Never") return Effect.never
    const { code, data, message } = answer
    return Effect.fail(new JsonRpcError({ method, code, message, data, httpStatus: undefined, origin: "peer" }))
  }

  const scripted = <A>({ call, inputRequests }: InputRequired<A>) =>
    Effect.forEach(
      Object.entries(inputRequests),
      ([key, { method, params }]) =>
        questions.answer({ key, method, params, target: targetOf(call.params) }).pipe(
          Effect.flatMap((answer) => responseOf(method, answer)),
          Effect.map((response) => [key, response] as const)
        ),
      { concurrency: "unbounded" }
    )

  const given = (responses: { readonly [key: string]: Answer }) =>
    Effect.forEach(Object.entries(responses), ([key, answer]) =>
      Effect.map(responseOf("inputResponses", answer), (response) => [key, response] as const)
    )

  const retry: Rounds["retry"] = (asked, changes = {}) =>
    Effect.flatMap(
      changes.inputResponses === undefined ? scripted(asked) : given(changes.inputResponses),
      (responses) => {
        const state = "requestState" in changes ? changes.requestState : asked.requestState
        const answers = asked.raw.inputRequests !== undefined || changes.inputResponses !== undefined
        const params = {
          ...(changes.params ?? asked.call.params),
          ...(answers ? { inputResponses: Object.fromEntries(responses) } : {}),
          ...(state === undefined ? {} : { requestState: state })
        }
        const headers = { ...asked.call.options.headers, ...changes.headers }
        return round(asked.call, params, { ...asked.call.options, id: undefined, headers })
      }
    )

  const run: Rounds["run"] = <A>(call: Call<A>) =>
    Effect.gen(function* () {
      let current: Round<A> = yield* first(call)
      for (let count = 1; current._tag === "InputRequired"; count++) {
        if (count === maxRounds) {
          return yield* broken(Text.tooManyRounds(call.method, Object.keys(current.inputRequests), maxRounds))
        }
        current = yield* retry(current)
      }
      return current.value
    })

  return { result, first, retry, run }
}
