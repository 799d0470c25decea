/**
 * The sentences of compile errors about lists: a template-literal type in place of the element that is wrong.
 * Everything a sentence reads is `NoInfer` where it is used, so that inference is untouched.
 *
 * A check has the form `fault extends string ? fault : all is well`, and no fault is known while what it reads is
 * `any`: in that form the compiler takes a check over a type parameter for passed, so that a generic function may make
 * a resolver or a tool. What its caller brings is looked at where the tool is registered.
 */
import type * as Schema from "effect/Schema"
import type * as Unify from "effect/Unify"
import type { QuestionError } from "../base/questionErrors.ts"
import type { Element, ErrorsOf, IdOf, NeedsOf } from "./listTypes.ts"
import type { Any, Dependencies, Dependency, Need, Resolved } from "./resolverTypes.ts"

// an Effect's own optional members would make the compiler advise on `exactOptionalPropertyTypes` where it has no part
interface Told {
  readonly [Unify.unifySymbol]: {}
  readonly [Unify.ignoreSymbol]: {}
}

type IsAny<T> = 0 extends 1 & T ? true : false
/** What is no text, so that a check without a fault takes the other branch. */
type OrNone<Fault> = [Fault] extends [never] ? null : Fault

// `Tool.EmptyParams` has a string index signature: plain `keyof` would accept every name.
type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: 1 }

type Kind<T> = [T] extends [string]
  ? "a string"
  : [T] extends [number]
    ? "a number"
    : [T] extends [boolean]
      ? "a boolean"
      : [T] extends [ReadonlyArray<any>]
        ? "a list"
        : [T] extends [object]
          ? "an object"
          : "of several types"

type BadNeed<Who extends string, Args, N> = true extends IsAny<Args> | IsAny<N>
  ? never
  : N extends Need<infer Name, infer T, infer By>
    ? Name extends KnownKeys<Args>
      ? BadArgument<`${Who}: argument '${Name}'`, Args[Name & keyof Args], T, By>
      : `${Who} has no argument '${Name}', which resolver '${By}' reads`
    : never
type BadArgument<Argument extends string, Given, T, By extends string> = [Given] extends [T]
  ? never
  : [Exclude<Given, undefined>] extends [T]
    ? `${Argument} is optional, but resolver '${By}' reads ${Kind<T>}`
    : Kind<Exclude<Given, undefined>> extends Kind<Exclude<T, undefined>>
      ? `${Argument} is not of the type that resolver '${By}' reads`
      : `${Argument} is ${Kind<Exclude<Given, undefined>>}, but resolver '${By}' reads ${Kind<Exclude<T, undefined>>}`

// an error type that the compiler could not make out has been told about where it is made
type Undeclared<Who extends string, D, E> = unknown extends E
  ? never
  : E extends unknown
    ? `${Who}: resolver '${D extends Any ? D["key"] : never}' can fail with ${ErrorName<E>}, which the failure schema does not declare; declare it, list .result, or use Effect.orDie in the resolver`
    : never
type ErrorName<E> = E extends { readonly _tag: infer Tag extends string } ? `'${Tag}'` : "an error"

// the class form names itself: `class Price extends Resolver.Service<Stock>()(..)` would be found under the other's key
type Misnamed<D> =
  IsAny<D> extends true
    ? never
    : D extends { readonly key: infer Key extends string; readonly Identifier: infer Id }
      ? Id extends { readonly "~effect-resolve/Resolved": Key }
        ? never
        : D extends { new (_: never): Resolved<Key> }
          ? `Resolver '${Key}' names another class as its own: in Resolver.Service<..> goes the class that it is declared as`
          : never
      : never

/** Every fault of one element, as the owner of the list sees it. */
export type Faults<Who extends string, Args, Fail, D> =
  IsAny<D> extends true
    ? never
    : D extends unknown
      ? Misnamed<D> | BadNeed<Who, Args, NeedsOf<D>> | Undeclared<Who, D, Exclude<ErrorsOf<D>, Fail | QuestionError>>
      : never

type NoKey<Who extends string> =
  `${Who}: this is no key of a resolver or a service; of a module, list its service, as Elicitation.Elicitation`

// a list that holds something else is inferred as any list
type OrNoKey<Who extends string, D, Fault> =
  IsAny<D> extends true ? never : [Dependency] extends [D] ? NoKey<Who> : Fault

type Checked<Who extends string, Args, Fail, D> =
  OrNone<OrNoKey<Who, D, Faults<Who, Args, Fail, D>>> extends string
    ? OrNoKey<Who, D, Faults<Who, Args, Fail, D>> & Told
    : D

/**
 * `Who` opens each sentence: `Tool 'order_book'`. A thunk has no elements to point at: for it the sentence stands alone,
 * and not in a function, beside which the compiler would not read what the thunk gives as a tuple.
 */
export type Check<Who extends string, Args, Fail, Deps extends Dependencies> =
  Deps extends ReadonlyArray<unknown>
    ? { readonly [I in keyof Deps]: Checked<Who, Args, Fail, Deps[I]> }
    : Alone<Who, Element<Deps>, Faults<Who, Args, Fail, Element<Deps>>>
type Alone<Who extends string, D, Fault> =
  OrNone<OrNoKey<Who, D, Fault>> extends string
    ? [Dependency] extends [D]
      ? ReadonlyArray<NoKey<Who> & Told>
      : Fault & Told
    : unknown

// ---------------------------------------------------------------- what a resolver lists and reads

/**
 * `unknown` when all that a body reads is in its list in every case, otherwise a sentence where the mistake is. `Rest`
 * is what it reads beside what its list gives.
 */
export type CheckListed<Who extends string, Rest, Deps extends Dependencies> =
  OrNone<Unlisted<Who, Rest, Deps> | Misnamed<Element<Deps>>> extends string
    ? { readonly dependencies: Unlisted<Who, Rest, Deps> | Misnamed<Element<Deps>> }
    : unknown
type Unlisted<Who extends string, Id, Deps extends Dependencies> = [Dependency] extends [Element<Deps>]
  ? never
  : unknown extends Id
    ? never
    : Id extends Resolved<infer Key>
      ? [Id] extends [IdOf<Element<Deps>>]
        ? `${Who} reads '${Key}', which is not in its dependencies in every case`
        : `${Who} reads '${Key}', which is not in its dependencies`
      : [Id] extends [IdOf<Element<Deps>>]
        ? `${Who} reads ${KeyName<Id>}, which is not in its dependencies in every case`
        : never
type KeyName<Id> = Id extends { readonly key: infer Key extends string } ? `'${Key}'` : "a service"

/** Of anything but a struct, the names of the arguments that it reads cannot be known. */
export type CheckParameters<Key extends string, P> =
  NoStruct<Key, P> extends string ? { readonly parameters: NoStruct<Key, P> } : unknown
type NoStruct<Key extends string, P> = P extends Schema.Constraint
  ? P extends { readonly fields: Schema.Struct.Fields }
    ? null
    : `The parameters of '${Key}' must be a struct or a class: its fields are the arguments that it reads, by name`
  : null

/** A tool of effect/ai's own whose list is lost when it runs. */
export type PlainTool<
  Name extends string,
  Key extends string
> = `Tool '${Name}' lists resolver '${Key}': declare the tool with Resolve.tool in place of Tool.make`
