/**
 * What the compiler reads off a list of dependencies. What a list *may* hold decides what must be provided, declared
 * and passed; what it holds in *every* case decides what a body may read.
 */
import type { TypeId } from "./definition.ts"
import type { Any, Dependencies, List, Variance } from "./resolverTypes.ts"

/** All that a list or thunk may hold. */
export type Element<Deps extends Dependencies> = Deps extends List
  ? Deps[number]
  : Deps extends () => infer L
    ? L[number & keyof L]
    : never

export type IdOf<D> = D extends { readonly Identifier: infer Id } ? Id : never
type FilledOf<D> = D extends Any ? D["Identifier"] : never

/** What a dependency can fail with: nothing for a `.result`. */
export type ErrorsOf<D> = D extends { readonly [TypeId]: Variance<infer E, any, any, any> } ? E : never

/** The app services and question services of a dependency and of all below it. */
export type ServicesOf<D> = D extends { readonly [TypeId]: Variance<any, infer R, any, any> } ? R : never

/** The tool arguments that a dependency and all below it read. */
export type NeedsOf<D> = D extends { readonly [TypeId]: Variance<any, any, infer Needs, any> } ? Needs : never

/** The request-level services that a dependency and all below it list. */
export type RequestsOf<D> = D extends { readonly [TypeId]: Variance<any, any, any, infer Requests> }
  ? Requests
  : IdOf<D>

// ---------------------------------------------------------------- in every case

/** The identifiers that a list brings into reach, whichever of its cases holds. */
export type Given<Deps extends Dependencies> = InEvery<Deps extends () => infer L ? L : Deps, "given">

/** Those of them that the engine fills; the others are request-level. */
export type Filled<Deps extends Dependencies> = InEvery<Deps extends () => infer L ? L : Deps, "filled">

type Kind = "given" | "filled"
type IdBy<D, K extends Kind> = K extends "given" ? IdOf<D> : FilledOf<D>

// a list of one case, which is nearly every one, is told by being all there is
type InEvery<L, K extends Kind, All = L> =
  L extends ReadonlyArray<unknown> ? ([All] extends [L] ? Ids<Sure<L>, K> : Common<Ids<Sure<L>, K>, All, K>) : never
type Common<Id, All, K extends Kind> = Id extends unknown ? ([Without<Id, All, K>] extends [never] ? Id : never) : never
type Without<Id, All, K extends Kind> =
  All extends ReadonlyArray<unknown> ? ([Id] extends [Ids<Sure<All>, K>] ? never : All) : never

// of one list
type Ids<L extends ReadonlyArray<unknown>, K extends Kind> = { readonly [I in keyof L]: IdAt<L[I], K> }[number]
type IdAt<D, K extends Kind, All = D> = D extends unknown
  ? [All] extends [D]
    ? IdBy<D, K>
    : SharedBy<IdBy<D, K>, All, K>
  : never
type SharedBy<Id, All, K extends Kind> = [
  All extends unknown ? ([Id] extends [IdBy<All, K>] ? never : All) : never
] extends [never]
  ? Id
  : never

// a list of unknown length may be empty, and so may the rest of a tuple
type Sure<L extends ReadonlyArray<unknown>> = number extends L["length"] ? Fixed<L> : L
type Fixed<L extends ReadonlyArray<unknown>> = L extends readonly [infer First, ...infer Rest]
  ? readonly [First, ...Fixed<Rest>]
  : L extends readonly [...infer Rest, infer Last]
    ? readonly [...Fixed<Rest>, Last]
    : readonly []

/** The request-level services that a list and all below it want, but those that the list fills by a resolver of theirs. */
export type RequestsIn<Deps extends Dependencies, Free> = WantedBy<Element<Deps>, Filled<Deps>, Free>
// a resolver may read the key that it is for: then it is given what was there before
type WantedBy<D, Fills, Free> = D extends { readonly Identifier: infer Own }
  ? Exclude<RequestsOf<D>, Free | (D extends Any ? Exclude<Fills, Own> : never)>
  : never
