/** What the adversary's tests share: a tool that other tools call, and everything that leaves a server as text. */
import { Cause, Effect, Exit, type Layer, Schema, Tracer } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import type { ToolOptions } from "../rules/kit.ts"

/** A tool to be called in process; `live` are its handlers. */
export const callee = (
  name: string,
  options: ToolOptions,
  body: (args: any) => Effect.Effect<any, any, any>
): {
  readonly call: (args?: unknown, options?: { readonly label?: string }) => Effect.Effect<any, any, any>
  readonly live: Layer.Layer<never, any, any>
} => {
  const kit: any = Toolkit.make(Resolve.tool(name, { success: Schema.String, ...options } as any) as any)
  return {
    call: (args = {}, options) => (Resolve.call as any)(kit, name, args, options),
    live: kit.toLayer({ [name]: body })
  }
}

/** All that a tracer is told while `self` runs: names, attributes, events and how spans end. */
export const traced = <A, E, R>(self: (told: Array<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const told: Array<string> = []
    class Span extends Tracer.NativeSpan {
      override end(time: bigint, exit: Exit.Exit<unknown, unknown>) {
        const how = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : String(JSON.stringify(exit.value))
        told.push(`${this.name} ${how} ${JSON.stringify([Array.from(this.attributes), this.events.map(String)])}`)
        super.end(time, exit)
      }
    }
    return Effect.withTracer(self(told), Tracer.make({ span: (options) => new Span(options) }))
  })
