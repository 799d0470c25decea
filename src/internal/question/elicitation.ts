/** Forms and URLs as questions: rendered, projected per protocol version, and their answers read */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { Call } from "../base/keys.ts"
import { printable } from "../base/printable.ts"
import { AskFailed, Cancelled, Declined } from "../base/questionErrors.ts"
import type { Question, Service } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { CurrentAsker, nobody } from "./ask.ts"
import * as Form from "./form.ts"

/**
 * A form as whoever shows it sees it. `requestedSchema` is the flat JSON Schema of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export interface FormRequest {
  readonly mode: "form"
  readonly message: string
  readonly requestedSchema: { readonly [key: string]: unknown }
  /** The key of the resolver that asks; a body asks under its tool's name. */
  readonly resolver: string
  readonly label: string | undefined
}

/**
 * A page to open, as whoever shows it sees it.
 *
 * @category models
 * @since 0.1.0
 */
export interface UrlRequest {
  readonly mode: "url"
  readonly message: string
  readonly url: string
  /** The key of the resolver that asks; a body asks under its tool's name. */
  readonly resolver: string
  readonly label: string | undefined
}

interface Asked {
  readonly message: string
  readonly label?: string | undefined
  readonly timeout?: Duration.Input | undefined
}

const invalid = (resolver: string, detail: string, cause?: unknown) =>
  new AskFailed({ resolver, reason: "InvalidAnswer", detail, ...(cause === undefined ? {} : { cause }) })

/** The sentence for an answer that belongs to no question of this kind. */
export const wrongKind = (resolver: string, cause?: unknown) => invalid(resolver, Text.wrongKind, cause)

const unshowable = (resolver: string) => (error: Form.FormError) =>
  new AskFailed({
    resolver,
    reason: "Unavailable",
    detail: Text.unshowable(error.message)
  })

/** Reads the three actions, and hands an accepted content on. Anything beside them is an answer of another kind. */
const outcome = <A, E>(
  answer: unknown,
  resolver: string,
  accepted: (content: unknown) => Effect.Effect<A, E>
): Effect.Effect<A, E | Declined | Cancelled | AskFailed> => {
  if (typeof answer !== "object" || answer === null || !Object.hasOwn(answer, "action")) {
    return Effect.fail(wrongKind(resolver))
  }
  const { action, content } = answer as { readonly action: unknown; readonly content?: unknown }
  switch (action) {
    case "accept":
      return accepted(content ?? undefined)
    case "decline":
      return Effect.fail(new Declined({ resolver }))
    case "cancel":
      return Effect.fail(new Cancelled({ resolver }))
    default:
      return Effect.fail(wrongKind(resolver))
  }
}

export const form = <S extends Schema.Codec<any, any>>(
  options: Asked & { readonly schema: S },
  resolver: string
): Effect.Effect<Question<S["Type"], Declined | Cancelled>, AskFailed> =>
  Effect.map(Effect.mapError(Effect.fromResult(Form.render(options.schema)), unshowable(resolver)), (rendered) => {
    const message = printable(options.message)
    return {
      method: "elicitation/create",
      params: { mode: "form", message, requestedSchema: rendered.requestedSchema },
      label: options.label,
      timeout: options.timeout,
      requires: { elicitation: { form: {} } },
      project: (version, resolver) =>
        Effect.map(
          Effect.mapError(Effect.fromResult(Form.project(rendered, version)), unshowable(resolver)),
          (requestedSchema) =>
            version < "2025-11-25" ? { message, requestedSchema } : { mode: "form", message, requestedSchema }
        ),
      interpret: (answer, resolver) =>
        outcome(answer, resolver, (content) =>
          content === undefined && !rendered.allOptional
            ? Effect.fail(invalid(resolver, Text.noContent))
            : Effect.catch(Form.decode<S["Type"]>(options.schema, content ?? {}), (cause) => {
                const detail = cause.faults === undefined ? Text.otherContent : Text.otherContentIn(cause.faults)
                return Effect.andThen(
                  Effect.logInfo(Text.invalidAnswer(resolver, detail)),
                  Effect.fail(invalid(resolver, detail, cause))
                )
              })
        )
    }
  })

export const url = (
  options: Asked & { readonly url: string | URL; readonly id?: string | undefined },
  resolver: string
): Effect.Effect<Question<void, Declined | Cancelled>, AskFailed> =>
  Effect.suspend(() => {
    const address = String(options.url)
    if (!URL.canParse(address)) {
      return Effect.fail(new AskFailed({ resolver, reason: "Unavailable", detail: Text.noUrl }))
    }
    const params = { mode: "url", message: printable(options.message), url: address }
    return Effect.succeed<Question<void, Declined | Cancelled>>({
      method: "elicitation/create",
      params,
      label: options.label,
      timeout: options.timeout,
      requires: { elicitation: { url: {} } },
      project: (version) =>
        version >= "2026-07-28"
          ? Effect.succeed(params)
          : Effect.map(Effect.serviceOption(Call), (call) => ({
              ...params,
              elicitationId: options.id ?? Option.match(call, { onNone: () => address, onSome: (call) => call.id })
            })),
      interpret: (answer, resolver) => outcome(answer, resolver, () => Effect.void)
    })
  })

export const request = (question: Question<unknown, unknown>, resolver: string): FormRequest | UrlRequest => {
  // the two constructors above are the only makers of such params
  const params = question.params as { mode: "form" } | { mode: "url" }
  return { ...(params as FormRequest | UrlRequest), resolver, label: question.label }
}

export const askerOf = (context: Context.Context<never>): string => Context.get(context, CurrentAsker)?.key ?? nobody

/** For programs without anyone to ask. */
export const unavailable = (detail: string = Text.nobodyToAsk): Service => ({
  supports: () => Effect.succeed(false),
  ask: () =>
    Effect.withFiber((fiber) =>
      Effect.fail(
        new AskFailed({
          resolver: askerOf(fiber.context),
          reason: "Unavailable",
          detail
        })
      )
    )
})
