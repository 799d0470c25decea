/** What the compiler knows of a resolver, and of a list of them. */
import type * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type * as Types from "effect/Types"
import type { TypeId } from "./definition.ts"

/**
 * One tool argument that a resolver reads. A union of these travels up the graph, so a message can name the reader.
 *
 * @category models
 * @since 0.1.0
 */
export interface Need<out Name extends string, out Type, out By extends string> {
  readonly name: Name
  readonly type: Type
  readonly by: By
}

/**
 * What the compiler knows of a resolver: its errors, requirements, arguments and request-level services.
 *
 * @category models
 * @since 0.1.0
 */
export interface Variance<out E, out R, out Needs, out Requests> {
  readonly _E: Types.Covariant<E>
  readonly _R: Types.Covariant<R>
  readonly _Needs: Types.Covariant<Needs>
  readonly _Requests: Types.Covariant<Requests>
}

/**
 * What the three forms of a resolver have in common. It sits on the value, because a foreign key's identifier has no
 * room for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any {
  readonly [TypeId]: Variance<any, any, any, any>
  readonly key: string
  readonly Identifier: any
}

/**
 * The identifier of a resolver: its key, so that a wrong one is reported by its key, and the type of its value, so that
 * two resolvers of one key with two types are not taken for each other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resolved<out Key extends string, in out A = any> {
  readonly "~effect-resolve/Resolved": Key
  readonly "~effect-resolve/value": Types.Invariant<A>
}

/**
 * A resolver that is its own key: what `Resolver.Service` makes. `typeof CheckStock.Service` is the type of its value;
 * the instance type holds the key only, so that a wrong one is reported by its key.
 *
 * @typeParam E the resolver's own errors and those of its plain dependencies
 * @typeParam R app services of the resolver and of all it depends on, and the question services they use
 * @typeParam Needs the tool arguments they read
 * @typeParam Requests the request-level services they list
 * @category models
 * @since 0.1.0
 */
export interface Class<
  in out Self,
  out Key extends string,
  in out A,
  out E = never,
  out R = never,
  out Needs = never,
  out Requests = never
> extends Context.Service<Self, A> {
  new (_: never): Resolved<Key, A>
  readonly [TypeId]: Variance<E, R, Needs, Requests>
  readonly key: Key
  /** The second key of the resolver: the same run, its failure as a value, so that a consumer can branch. */
  readonly result: ResultKey<Key, A, E, R, Needs, Requests>
}

/**
 * The second key of a resolver: the same run, its failure as a value.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResultKey<
  out Key extends string,
  in out A,
  out E = never,
  out R = never,
  out Needs = never,
  out Requests = never
> extends Context.Key<Resolved<`${Key}.result`, A>, Result.Result<A, E>> {
  readonly [TypeId]: Variance<never, R, Needs, Requests>
  readonly key: `${Key}.result`
}

/**
 * A resolver for a key that exists already: it goes in lists, the key is what bodies yield.
 *
 * @category models
 * @since 0.1.0
 */
export interface Made<
  out Id,
  out Key extends string,
  in out A,
  out E = never,
  out R = never,
  out Needs = never,
  out Requests = never
> {
  readonly [TypeId]: Variance<E, R, Needs, Requests>
  readonly key: Key
  readonly Identifier: Id
  readonly Service: A
  readonly result: ResultKey<Key, A, E, R, Needs, Requests>
}

// ---------------------------------------------------------------- lists

/**
 * A resolver, a `.result`, or the key of a service that exists for one request.
 *
 * @category models
 * @since 0.1.0
 */
export type Dependency = Any | Context.Key<any, any>

/**
 * A list of dependencies.
 *
 * @category models
 * @since 0.1.0
 */
export type List = ReadonlyArray<Dependency>

/**
 * A list, or a thunk for a forward reference. Inferred as one type: as a union the squiggle would not reach the element.
 *
 * @category models
 * @since 0.1.0
 */
export type Dependencies = List | (() => List | readonly []) // the empty tuple: what a thunk gives is read as a tuple, too

/**
 * What `dependencies` are where none are given. Both forms, because the compiler reads a thunk in the light of it.
 *
 * @category models
 * @since 0.2.0
 */
export type NoDependencies = readonly [] | (() => readonly [])

/**
 * What the tools of `Resolve.tool` require beside their services, and nobody has: its members are what the compiler says
 * when a body reads what it is not given, or when the toolkit is registered by effect/ai alone.
 *
 * @category models
 * @since 0.2.0
 */
export interface Hint<out _Remedy extends string> {
  readonly key: string
  readonly "a body reads services of the app in the Effect that is given to toLayer, and asks when its tool lists the service": never
}

/**
 * As `Hint`, for a body that reads a resolver.
 *
 * @category models
 * @since 0.2.0
 */
export interface ListHint {
  readonly "~effect-resolve/Resolved": string
  readonly "a body reads the resolvers that its tool lists, and in every case of the list": never
}
