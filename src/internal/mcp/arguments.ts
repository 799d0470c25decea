/** Decoded arguments as the resolvers of a plan read them. */
import * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"
import type { Check, Plan } from "../graph/plan.ts"

const predicates = new WeakMap<Check, (u: unknown) => boolean>()

/** What a resolver's own schema finds wrong with the decoded arguments, in words for the client. */
export const argumentProblem = (plan: Plan, args: { readonly [name: string]: unknown }): string | undefined => {
  for (const check of plan.checks) {
    let is = predicates.get(check)
    if (is === undefined) {
      is = Schema.is(Schema.toType(Schema.Struct({ [check.name]: check.schema })))
      predicates.set(check, is)
    }
    if (!is(Object.hasOwn(args, check.name) ? { [check.name]: args[check.name] } : {})) {
      return Text.argumentUnreadable(check.name, check.resolver)
    }
  }
  return undefined
}
