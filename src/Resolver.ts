/**
 * Resolvers: values that a tool needs and that must not come from the model, each declared with the Effect that
 * obtains it for one call. Unrelated to Effect's `RequestResolver`.
 *
 * A resolver is an ordinary `Context.Service` key. List it in a tool (`Resolve.tool`) or in another resolver, and
 * `yield*` it there: by then it has been computed, once per call. What it needs, how it fails and whether it asks
 * stands in its type.
 *
 * The mistake to avoid: a side effect in a resolver that runs beside a question. List the question it must wait for,
 * and make it `durable`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import type { TimedOut } from "./internal/base/questionErrors.ts"
import * as Text from "./internal/base/sentences.ts"
import { CurrentOverrideObserver } from "./internal/call/observer.ts"
import * as Suspension from "./internal/call/suspension.ts"
import type { CheckListed, CheckParameters } from "./internal/graph/checks.ts"
import * as Definition from "./internal/graph/definition.ts"
import type { Element, ErrorsOf, Given, NeedsOf, RequestsOf, ServicesOf } from "./internal/graph/listTypes.ts"
import type { Any, Class, Dependencies, Made, Need, NoDependencies, Variance } from "./internal/graph/resolverTypes.ts"
import type { CallServices, QuestionServices } from "./internal/mcp/toolTypes.ts"

export { TimedOut } from "./internal/base/questionErrors.ts"
export type {
  Any,
  Class,
  Dependencies,
  Dependency,
  Hint,
  List,
  ListHint,
  Made,
  Need,
  NoDependencies,
  Resolved,
  ResultKey,
  Variance
} from "./internal/graph/resolverTypes.ts"
export type { CallServices, QuestionServices } from "./internal/mcp/toolTypes.ts"

/**
 * Marks resolvers, and tells their types apart.
 *
 * @category models
 * @since 0.1.0
 */
export const TypeId = Definition.TypeId

/**
 * The type of the mark.
 *
 * @category models
 * @since 0.1.0
 */
export type TypeId = typeof TypeId

/**
 * What a resolver, or one of its plain dependencies, can fail with: `Resolver.Error<typeof CheckStock>`.
 *
 * @category utility types
 * @since 0.2.0
 */
export type Error<D extends Any> = ErrorsOf<D>

/**
 * The app services and question services that a resolver and all below it need: `Resolver.Services<typeof CheckStock>`.
 *
 * @category utility types
 * @since 0.2.0
 */
export type Services<D extends Any> = ServicesOf<D>

// ---------------------------------------------------------------- options

/**
 * Tool arguments by name, as fields or as a struct.
 *
 * @category models
 * @since 0.1.0
 */
export type Parameters = Schema.Struct.Fields | Schema.Constraint

/**
 * The decoded arguments that `resolve` receives.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Args<P extends Parameters> = P extends Schema.Constraint
  ? P["Type"]
  : P extends Schema.Struct.Fields
    ? Schema.Struct.Type<P>
    : never

type OwnNeeds<Args, Key extends string> = { [K in keyof Args & string]-?: Need<K, Args[K], Key> }[keyof Args & string]

/**
 * How a resolver obtains its value.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<P extends Parameters, Deps extends Dependencies, A, E, R, Durable, Timeout> {
  /**
   * The tool's arguments that this resolver reads, by name, as the tool decodes them. Its schema also checks them,
   * before anything runs. An optional field must be declared by the tool as well, optional or not.
   */
  readonly parameters?: P | undefined
  /**
   * What it depends on: resolvers, their `.result`, and keys of services that exist for one request. `resolve` may read
   * what is in the list in every case of it: of `sale ? [Stock, Discount] : [Stock]`, Stock.
   *
   * A key is filled by the resolver for it that the tool lists, at whatever depth it is listed: an interface, whose
   * implementation each tool chooses. A tool that lists none leaves it to the request.
   */
  readonly dependencies?: Deps | undefined
  /** Obtains the value. It may yield its dependencies, app services, `Call`, `McpContext`, a `Scope`, and may ask. */
  readonly resolve: (args: NoInfer<Args<P>>) => Effect.Effect<A, E, R>
  /**
   * Computes the value at most once per *call*, across its rounds: the encoded value rides in the sealed state, and
   * consumers see what the schema decodes to. A body that has begun is not interrupted by what happens beside it.
   *
   * What `resolve` does must be done when it ends, and stand by itself: a later round takes the value and does not do it
   * again. So do not do it inside a transaction or another resource that lasts as long as the call: a round that ends
   * with a question open rolls that back, and the value would be used all the same. Commit inside `resolve`.
   *
   * It does not cover a client that sends an earlier round again (`Journal` does), the very first request sent again
   * (that is a new call: use an idempotency argument), or a call that ends in an error after the effect.
   */
  readonly durable?: Durable | undefined
  /**
   * How long it may take, its dependencies included: `TimedOut` after that. The clock stands still while a question
   * that it waits for is open. Do not put `Effect.timeout` around a question instead.
   */
  readonly timeout?: Timeout | undefined
}

// A durable value is also restored, so consumers see what the schema decodes to.
type Value<A, D extends Schema.Constraint> = [D] extends [never] ? A : D["Type"]
type TimeoutError<T> = [T] extends [never] ? never : TimedOut

// `unknown` is what the compiler takes a generator's value for before it has looked into it: no verdict then
type CheckDurable<Key extends string, A, D extends Schema.Constraint> = [D] extends [never]
  ? unknown
  : unknown extends A
    ? unknown
    : [A] extends [D["Type"]]
      ? unknown
      : BadDurable<Key>
type BadDurable<Key extends string> = `The durable schema of '${Key}' does not encode what its resolve returns`

// ---------------------------------------------------------------- constructors

type AnyOptions = Options<any, any, any, any, any, any, any>

const define = (service: Context.Key<any, any>, key: string, options: AnyOptions): Definition.Definition => {
  const { parameters, dependencies } = options
  return new Definition.Made(service, key, {
    fields: parameters === undefined ? {} : Schema.isSchema(parameters) ? fieldsOf(key, parameters) : parameters,
    dependencies: typeof dependencies === "function" ? dependencies : () => dependencies ?? [],
    resolve: options.resolve,
    durable: options.durable,
    timeout: options.timeout === undefined ? undefined : Duration.fromInputUnsafe(options.timeout)
  })
}

const fieldsOf = (key: string, schema: object): Definition.Definition["fields"] => {
  if ("fields" in schema) return schema.fields as Definition.Definition["fields"]
  throw new TypeError(Text.noFields(key))
}

/**
 * Declares a resolver that is its own key: the class is what lists hold and what bodies yield.
 *
 * **Example** (Looking up the stock)
 *
 * ```ts
 * import { Context, Effect, Schema } from "effect"
 * import { Resolver } from "effect-resolve"
 *
 * class Inventory extends Context.Service<Inventory, {
 *   readonly copies: (title: string) => Effect.Effect<number>
 * }>()("Inventory") {}
 *
 * export class CheckStock extends Resolver.Service<CheckStock>()("bookshop/CheckStock", {
 *   parameters: { title: Schema.String },
 *   resolve: Effect.fn(function* ({ title }) {
 *     const inventory = yield* Inventory
 *     return { title, copies: yield* inventory.copies(title) }
 *   })
 * }) {}
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const Service =
  <Self>() =>
  <
    const Key extends string,
    A,
    E,
    R,
    const P extends Parameters = {},
    const Deps extends Dependencies = NoDependencies,
    D extends Schema.Codec<any, any> = never,
    T extends Duration.Input = never
  >(
    key: Key,
    options: Options<P, Deps, A, E, R, D & CheckDurable<Key, Types.NoInfer<A>, Types.NoInfer<D>>, T> &
      CheckListed<`Resolver '${Key}'`, Exclude<R, Given<Deps> | CallServices>, Deps> &
      CheckParameters<Key, P>
  ): Class<
    Self,
    Key,
    Value<A, D>,
    E | ErrorsOf<Element<Deps>> | TimeoutError<T>,
    Exclude<R, Given<Deps> | CallServices> | ServicesOf<Element<Deps>>,
    OwnNeeds<Args<P>, Key> | NeedsOf<Element<Deps>>,
    RequestsOf<Element<Deps>>
  > => {
    const service: any = Context.Service<Self, any>()(key)
    const definition = define(service, key, options as AnyOptions)
    service[TypeId] = { definition, mode: "value" } satisfies Definition.Reference
    Object.defineProperty(service, "result", { get: () => definition.result })
    return service
  }

/**
 * Declares a resolver for a `Context.Service` key that exists already, yours or a library's. The resolver goes in
 * lists; bodies yield the key. A key made in function style has no literal text for the compiler: give it as `key`.
 *
 * **Example** (A key that a library reads)
 *
 * ```ts
 * import { Context, Effect, Schema } from "effect"
 * import { Resolve, Resolver } from "effect-resolve"
 *
 * class Locale extends Context.Service<Locale, string>()("Locale") {}
 *
 * const AskedLocale = Resolver.make(Locale, {
 *   parameters: { country: Schema.String },
 *   resolve: ({ country }) => Effect.succeed(country === "CH" ? "de-CH" : "en")
 * })
 *
 * // the resolver is what is listed, the key is what the body yields
 * export const Greet = Resolve.tool("greet", {
 *   parameters: Schema.Struct({ country: Schema.String }),
 *   success: Schema.String,
 *   dependencies: [AskedLocale]
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  Id,
  A,
  const Text extends string,
  E,
  R,
  const P extends Parameters = {},
  const Deps extends Dependencies = NoDependencies,
  D extends Schema.Codec<any, any> = never,
  T extends Duration.Input = never,
  const Named extends string = never,
  Key extends string = [Named] extends [never] ? Text : Named
>(
  key: Context.Key<Id, A> & { readonly key: Text },
  options: Options<
    P,
    Deps,
    Types.NoInfer<A>,
    E,
    R,
    D &
      CheckDurable<Key, Types.NoInfer<A>, Types.NoInfer<D>> &
      // the key's type is fixed: what is restored must be of it, too
      ([Types.NoInfer<D>["Type"]] extends [Types.NoInfer<A>] ? unknown : BadDurable<Key>),
    T
  > & {
    /** The text of a function-style key, which the compiler cannot see. */
    readonly key?: Named | Unnamed<Text> | OtherText<Text, Named> | undefined
  } & CheckListed<`Resolver '${Key}'`, Exclude<R, Given<Deps> | CallServices>, Deps> &
    CheckParameters<Key, P> &
    CheckNamed<Text, Named>
): Made<
  Id,
  Key,
  A,
  E | ErrorsOf<Element<Deps>> | TimeoutError<T>,
  Exclude<R, Given<Deps> | CallServices> | ServicesOf<Element<Deps>>,
  OwnNeeds<Args<P>, Key> | NeedsOf<Element<Deps>>,
  RequestsOf<Element<Deps>>
> => {
  const named = (options as { readonly key?: string }).key
  if (named !== undefined && named !== key.key) {
    throw new TypeError(Text.otherText(key.key, named))
  }
  const definition = define(key, key.key, options as AnyOptions)
  return {
    [TypeId]: { definition, mode: "value" },
    key: key.key,
    Identifier: undefined,
    Service: undefined,
    result: definition.result
  } as any // the phantoms of the type are not there at run time
}
// also in the option itself: without it the two types of `key` would meet in `never`, and the sentence would be lost
type Unnamed<Text extends string> = string extends Text
  ? "Name the key's text in the option 'key': the compiler cannot see it in a function-style key"
  : never
type OtherText<Text extends string, Named> = [Named] extends [Text] ? never : `The text of this key is '${Text}'`
type CheckNamed<Text extends string, Named> = string extends Text
  ? [Named] extends [never]
    ? { readonly key: Unnamed<Text> }
    : unknown
  : [Named] extends [Text]
    ? unknown
    : { readonly key: OtherText<Text, Named> }

/**
 * A Layer for tests that replaces a resolver's `resolve`, by a value or by another `resolve`: a function is taken for
 * one. Its dependencies stay as they are. It applies wherever the Layer reaches, also to finished registrations; one
 * that no plan used is an error of the test kit.
 *
 * @category testing
 * @since 0.1.0
 */
export const override = <Key extends string, A, E, Needs, R = never>(
  resolver: {
    readonly [TypeId]: Variance<E, any, Needs, any>
    readonly key: Key
    readonly Service: A
    readonly result: Any
  },
  to:
    | Types.NoInfer<A>
    | ((
        args: OwnArgs<Types.NoInfer<Needs>, Types.NoInfer<Key>>
      ) => Effect.Effect<Types.NoInfer<A>, Types.NoInfer<E>, R>)
): Layer.Layer<never, never, Exclude<R, CallServices | QuestionServices>> =>
  Layer.effectContext(
    Effect.map(Effect.context<Exclude<R, CallServices | QuestionServices>>(), (context) => {
      // a resolver's type id holds its definition at run time
      const { definition } = Definition.referenceOf(resolver)!
      const override: Definition.Override = {
        definition,
        resolve: typeof to === "function" ? (to as Definition.Definition["resolve"]) : () => Effect.succeed(to),
        context: context as Context.Context<never>,
        used: false
      }
      Context.get(context as Context.Context<never>, CurrentOverrideObserver)?.(override)
      return Context.make(definition.override, override)
    })
  )
type OwnArgs<Needs, Key extends string> = {
  readonly [N in Extract<Needs, Need<string, unknown, Key>> as N["name"]]: N["type"]
}

/**
 * Tells a finalizer that the round ended with a question open, and not with a cancelled call: the same call goes on
 * in a later round (rule I11).
 *
 * **Example** (Told apart at the end of a round)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Elicitation, Resolver } from "effect-resolve"
 *
 * export class Agreed extends Resolver.Service<Agreed>()("shop/Agreed", {
 *   resolve: () =>
 *     Effect.onExit(Elicitation.confirm("Sell?"), (exit) =>
 *       Resolver.isSuspended(exit) ? Effect.void : Effect.logInfo("answered, or gone")
 *     )
 * }) {}
 * ```
 *
 * @category guards
 * @since 0.1.0
 */
export const isSuspended: (exit: Exit.Exit<unknown, unknown>) => boolean = Suspension.isSuspended
