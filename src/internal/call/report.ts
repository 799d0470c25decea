/** What operators are told of a failure that no client may see (I14): where it happened, beside what happened. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import type { Owner } from "../graph/plan.ts"
import { FailedResolver } from "./body.ts"

const resolverOf = (cause: Cause.Cause<unknown>): string | undefined => {
  for (const reason of cause.reasons) {
    const resolver = Context.get(Cause.reasonAnnotations(reason), FailedResolver)
    if (resolver !== undefined) return resolver
  }
  return undefined
}

// of the error and not written on it: a program may fail with one object in every call
const withAttributes = (error: unknown, attributes: Record<string, string>): unknown =>
  typeof error === "object" && error !== null
    ? Object.create(error, {
        [ErrorReporter.attributes]: { value: { ...ErrorReporter.getAttributes(error), ...attributes } }
      })
    : error

const attributed = (cause: Cause.Cause<unknown>, attributes: Record<string, string>): Cause.Cause<unknown> =>
  Cause.fromReasons(
    cause.reasons.map((reason): Cause.Reason<unknown> => {
      const annotations = Cause.reasonAnnotations(reason)
      switch (reason._tag) {
        case "Fail":
          return Cause.makeFailReason(withAttributes(reason.error, attributes)).annotate(annotations)
        case "Die":
          return Cause.makeDieReason(withAttributes(reason.defect, attributes)).annotate(annotations)
        case "Interrupt":
          return reason
      }
    })
  )

/** To the log and to whoever collects errors, with the tool (prompt, resource), the resolver and the id of the call. */
export const report = (owner: Owner, callId: string, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const resolver = resolverOf(cause)
  const where = {
    [owner.kind.toLowerCase()]: owner.name,
    ...(resolver === undefined ? {} : { resolver }),
    call: callId
  }
  return Effect.andThen(
    Effect.annotateLogs(Effect.logError(cause), where),
    ErrorReporter.report(attributed(cause, where))
  )
}
