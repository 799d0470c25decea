/** The body of one resolver, as the call runs it: its inputs, its arguments, its span, and what of it is remembered. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ParentSpan } from "effect/Tracer"
import { attempt } from "../base/attempt.ts"
import type { Definition, Override } from "../graph/definition.ts"
import type { Node, Plan } from "../graph/plan.ts"
import { type Asker, CurrentAsker } from "./asker.ts"
import type { Calling } from "./calling.ts"
import { remember, restore } from "./durable.ts"
import { fill } from "./inputs.ts"
import * as Telemetry from "./telemetry.ts"

export interface Call {
  readonly plan: Plan
  readonly overrides: ReadonlyArray<Override | undefined> | undefined
  readonly args: { readonly [name: string]: unknown }
  readonly calling: Calling
  /** What every resolver of this call sees: the request, `Call`, `McpContext`, the call's scope, the question services. */
  readonly context: Context.Context<never>
  /** Before the keys of a call made inside a call; empty otherwise. */
  readonly prefix: string
  /** The how-manieth call of its round it is: 0 is the outer one. */
  readonly sequence: number
  readonly parent: Asker | undefined
}

/** The key of the resolver whose body failed: it rides on the cause, for the log and the report. */
export const FailedResolver = Context.Reference<string | undefined>("effect-resolve/internal/FailedResolver", {
  defaultValue: () => undefined
})

/** A durable value, as it was sealed. */
export const restored = ({ calling, context }: Call, { definition }: Node, path: string): Effect.Effect<unknown> => {
  const value = restore(definition, calling.memory.durable.get(path))
  if (!Telemetry.isTraced(context)) return value
  const attributes = { "effect_resolve.resolver": definition.key, "effect_resolve.outcome": "restored" }
  return Telemetry.inSpan(
    `Resolver/${definition.key}`,
    { context, attributes },
    () => value,
    () => ({ exit: Exit.void })
  )
}

export const body = (
  call: Call,
  node: Node,
  asker: Asker,
  inputs: ReadonlyArray<unknown>
): Effect.Effect<unknown, unknown> => {
  const { calling, context } = call
  const { definition } = node
  const override = call.overrides?.[node.index]
  const filled = fill(context, call.plan, node.dependencies, inputs)
  const own = Context.add(
    override === undefined ? filled : Context.merge(override.context, filled),
    CurrentAsker,
    asker
  )
  const resolve = override === undefined ? definition.resolve : override.resolve
  const resolving = attempt(`Resolver '${definition.key}'`, () => resolve(pick(node, call.args)))
  if (definition.durable !== undefined) calling.begun = true
  // I15: a durable body, once begun, is not interrupted by what happens beside it
  const whole =
    definition.durable === undefined
      ? resolving
      : Effect.uninterruptible(Effect.flatMap(resolving, (value) => keep(calling, definition, asker, value)))
  if (!Telemetry.isTraced(own)) return within(whole, own)
  return Telemetry.inSpan(
    `Resolver/${definition.key}`,
    { context: own, attributes: { "effect_resolve.resolver": definition.key } },
    (span) => within(whole, Context.add(own, ParentSpan, span)),
    (exit) => ({
      attributes: {
        "effect_resolve.outcome": asker.pending ? (asker.again === undefined ? "asked" : "asked again") : "ran",
        ...(asker.again === undefined ? {} : { "effect_resolve.reason": asker.again })
      },
      exit: asker.pending ? Exit.void : Telemetry.withoutValue(exit)
    })
  )
}

/** Once it has asked, what a durable body makes of its own suspension is no value, and must not be sealed as one (I11). */
const keep = (calling: Calling, definition: Definition, asker: Asker, value: unknown) => {
  if (asker.pending) return Effect.void
  // nor may anybody ask for it from now on
  asker.ended = true
  return remember(calling.memory, definition, asker.wireKey, value)
}

const pick = ({ definition: { reads } }: Node, args: Call["args"]) => {
  const picked: { [name: string]: unknown } = {}
  for (const name of reads) {
    // assigning `__proto__` would set a prototype
    if (Object.hasOwn(args, name)) {
      if (name === "__proto__") Object.defineProperty(picked, name, { value: args[name], enumerable: true })
      else picked[name] = args[name]
    }
  }
  return picked
}

// whatever a body needs is in the context: the compiler has seen to that
const within = (
  body: Effect.Effect<unknown, unknown, any>,
  context: Context.Context<never>
): Effect.Effect<unknown, unknown> =>
  Effect.updateContext(body as Effect.Effect<unknown, unknown>, (_: Context.Context<never>) => context)

/** A failure that was not an ordinary error of the resolver's own says whose it is. */
export const named = ({ key }: Definition, exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return exit
  return Exit.failCause(Cause.annotate(exit.cause, Context.make(FailedResolver, key)))
}
