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
 * The identifier of a resolver: one property with the key, so that a wrong one is reported by its key.
 *
 * @category models
 * @since 0.1.0
 */
export interface Resolved<out Key extends string> {
  readonly "~effect-resolve/Resolved": Key
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
export interface Class<in out Self, out Key extends string, in out A, out E, out R, out Needs, out Requests>
  extends Context.Service<Self, A> {
  new (_: never): Resolved<Key>
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
export interface ResultKey<out Key extends string, out A, out E, out R, out Needs, out Requests>
  extends Context.Key<Resolved<`${Key}.result`>, Result.Result<A, E>> {
  readonly [TypeId]: Variance<never, R, Needs, Requests>
  readonly key: `${Key}.result`
}

/**
 * A resolver for a key that exists already: it goes in lists, the key is what bodies yield.
 *
 * @category models
 * @since 0.1.0
 */
export interface Made<out Id, out Key extends string, out A, out E, out R, out Needs, out Requests> {
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
export type Dependencies = List | (() => List)

/**
 * The elements of a list or thunk.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Element<Deps extends Dependencies> = Deps extends List
  ? Deps[number]
  : Deps extends () => infer L
    ? L[number & keyof L]
    : never

/**
 * The identifiers that a list brings into reach.
 *
 * @category utility types
 * @since 0.1.0
 */
export type IdOf<D> = D extends { readonly Identifier: infer Id } ? Id : never

/**
 * The identifiers that the engine fills; the others are request-level.
 *
 * @category utility types
 * @since 0.1.0
 */
export type FilledOf<D> = D extends Any ? D["Identifier"] : never

/**
 * What a dependency can fail with: nothing for a `.result`.
 *
 * @category utility types
 * @since 0.1.0
 */
export type ErrorsOf<D> = D extends { readonly [TypeId]: Variance<infer E, any, any, any> } ? E : never

/**
 * The app services and question services of a dependency and of all below it.
 *
 * @category utility types
 * @since 0.1.0
 */
export type ServicesOf<D> = D extends { readonly [TypeId]: Variance<any, infer R, any, any> } ? R : never

/**
 * The tool arguments that a dependency and all below it read.
 *
 * @category utility types
 * @since 0.1.0
 */
export type NeedsOf<D> = D extends { readonly [TypeId]: Variance<any, any, infer Needs, any> } ? Needs : never

/**
 * The request-level services that a dependency and all below it list.
 *
 * @category utility types
 * @since 0.1.0
 */
export type RequestsOf<D> = D extends { readonly [TypeId]: Variance<any, any, any, infer Requests> }
  ? Requests
  : IdOf<D>
