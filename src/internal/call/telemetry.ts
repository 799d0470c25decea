/**
 * Spans, counters and one line per question. Attributes and lines name keys and outcomes, never a value (I14).
 *
 * Spans are made only when the program has a tracer of its own: nobody would see the others.
 */
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as Text from "../base/sentences.ts"

export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

const parentOf = (context: Context.Context<never>): Tracer.AnySpan | undefined =>
  Context.getOrUndefined(context, Tracer.ParentSpan)

export interface SpanOptions {
  readonly context: Context.Context<never>
  readonly attributes?: Record<string, unknown>
  readonly parent?: Tracer.AnySpan | undefined
  readonly links?: ReadonlyArray<Tracer.SpanLink> | undefined
  /** Whether what runs sees the span as the current one; others could write values into it. */
  readonly hidden?: boolean
}

/** Runs an effect in a span; `describe` may say more of it at its end, and which exit the tracer is told. */
export const inSpan = <A, E, R>(
  name: string,
  { attributes, context, hidden, links, parent = parentOf(context) }: SpanOptions,
  run: (span: Tracer.Span) => Effect.Effect<A, E, R>,
  describe: (exit: Exit.Exit<A, E>) => {
    readonly attributes?: Record<string, unknown>
    readonly exit: Exit.Exit<unknown, unknown>
  }
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.makeSpan(name, {
      ...(parent === undefined ? { root: true } : { parent }),
      ...(attributes === undefined ? {} : { attributes }),
      ...(links === undefined ? {} : { links })
    }),
    (span) =>
      Effect.onExit(hidden === true ? run(span) : Effect.provideService(run(span), Tracer.ParentSpan, span), (exit) =>
        Effect.withFiber((fiber) => {
          const described = describe(exit)
          for (const [key, value] of Object.entries(described.attributes ?? {})) span.attribute(key, value)
          span.end(fiber.getRef(Clock).currentTimeNanosUnsafe(), described.exit)
          return Effect.void
        })
      )
  )

/** A value must not reach the tracer: it is told that there was one. */
export const withoutValue = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) ? Exit.void : exit

/** The parent that a request names in its `_meta` (W3C trace context). */
export const parentIn = (meta: unknown): Tracer.AnySpan | undefined => {
  const traceparent = typeof meta === "object" && meta !== null && "traceparent" in meta ? meta.traceparent : undefined
  return typeof traceparent === "string"
    ? Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
    : undefined
}

export type Trace = readonly [traceId: string, spanId: string]

export const linkTo = ([traceId, spanId]: Trace): Tracer.SpanLink => ({
  span: Tracer.externalSpan({ traceId, spanId }),
  attributes: { "effect_resolve.link": "previous round" }
})

// ---------------------------------------------------------------- metrics

const rounds = Metric.counter("effect_resolve_rounds", {
  description: "Requests for tools, prompts and resources registered through Resolve",
  incremental: true
})
const questions = Metric.counter("effect_resolve_questions", {
  description: "Questions put to clients, by kind",
  incremental: true
})
const refusals = Metric.counter("effect_resolve_refusals", {
  description: "Answers that were a refusal, by action",
  incremental: true
})
const rejections = Metric.counter("effect_resolve_rejected_state", {
  description: "Request states that did not verify, by reason",
  incremental: true
})
const answerTime = Metric.histogram("effect_resolve_time_to_answer", {
  description: "Milliseconds from a question to its answer: the only sign of a client that declines by itself",
  boundaries: [10, 100, 1_000, 5_000, 15_000, 60_000, 300_000, 1_800_000]
})

export const countRound: Effect.Effect<void> = Metric.update(rounds, 1)
export const countRejection = (reason: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(rejections, { reason }), 1)
export const countRefusal = (action: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refusals, { action }), 1)
export const recordAnswerTime = (millis: number): Effect.Effect<void> => Metric.update(answerTime, millis)

export interface Put {
  readonly resolver: string
  readonly owner: string
  readonly method: string
  readonly protocol: string
}

/** Counts a question, and says so in one line. */
export const questionPut = ({ method, owner, protocol, resolver }: Put): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(questions, { method, protocol }), 1),
    Effect.logDebug(Text.questionPut(method, resolver, owner, protocol))
  )
