/** What a resolver is at run time. It rides on the resolver's value, under its type id. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

export const TypeId = "~effect-resolve/Resolver" as const

export interface Definition {
  readonly key: string
  /** The key as a part of wire keys: see `escape`. */
  readonly path: string
  /** Where a replacement is found in a context. */
  readonly override: Context.Key<never, Override>
  /** The key under which consumers find the value. */
  readonly service: Context.Key<any, any>
  /** The key under which consumers find the outcome as a `Result`. */
  readonly result: Context.Key<any, any>
  readonly fields: Readonly<Record<string, Schema.Constraint>>
  /** The names of the arguments that it reads. */
  readonly reads: ReadonlyArray<string>
  readonly dependencies: () => ReadonlyArray<unknown>
  readonly resolve: (args: any) => Effect.Effect<unknown, unknown, any>
  readonly durable: Schema.Codec<unknown, unknown> | undefined
  readonly timeout: Duration.Duration | undefined
}

/** A definition as it is made: its second key only when somebody looks for it, which most never do. */
export class Made implements Definition {
  readonly key: string
  readonly path: string
  readonly override: Context.Key<never, Override>
  readonly service: Context.Key<any, any>
  readonly fields: Definition["fields"]
  readonly reads: Definition["reads"]
  readonly dependencies: Definition["dependencies"]
  readonly resolve: Definition["resolve"]
  readonly durable: Definition["durable"]
  readonly timeout: Definition["timeout"]
  private made: Context.Key<any, any> | undefined = undefined
  constructor(
    service: Context.Key<any, any>,
    key: string,
    options: Pick<Definition, "fields" | "dependencies" | "resolve" | "durable" | "timeout">
  ) {
    this.key = key
    this.path = escape(key)
    this.override = overrideKey(key)
    this.service = service
    this.fields = options.fields
    this.reads = Object.keys(options.fields)
    this.dependencies = options.dependencies
    this.resolve = options.resolve
    this.durable = options.durable
    this.timeout = options.timeout
  }
  get result(): Context.Key<any, any> {
    if (this.made === undefined) {
      const reference: Reference = { definition: this, mode: "result" }
      this.made = Object.assign(Context.Service(`${this.key}.result`), { [TypeId]: reference })
    }
    return this.made
  }
}

export interface Reference {
  readonly definition: Definition
  readonly mode: "value" | "result"
}

/** The resolver behind an element of a list, if it is one. */
export const referenceOf = (u: unknown): Reference | undefined =>
  (typeof u === "function" || typeof u === "object") && u !== null && TypeId in u
    ? (u as { readonly [TypeId]: Reference })[TypeId]
    : undefined

/** One resolver's replacement, found in the context under a key of its own (one key each: two layers may both apply). */
export interface Override {
  readonly definition: Definition
  readonly resolve: (args: any) => Effect.Effect<unknown, unknown, any>
  readonly context: Context.Context<never>
  used: boolean
}

/** `#` sets a label off from a key, `>` a nested call from its caller: percent-encoded in a user's own text (I10). */
export const escape = (text: string): string => text.replace(/[%#>]/g, encodeURIComponent)

// a look-up reads no more of a key than its text, and a real one would weigh more than the rest of a definition
const overrideKey = (key: string): Context.Key<never, Override> =>
  ({ key: `effect-resolve/Resolver/override/${key}` }) as Context.Key<never, Override>
