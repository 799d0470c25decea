/**
 * The sentences of compile errors about lists: a template-literal type in place of the element that is
 * wrong. Everything a sentence reads is `NoInfer` where it is used, so that inference is untouched.
 */
import type { QuestionError } from "../base/questionErrors.ts"
import type * as Resolver from "./resolverTypes.ts"

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

type BadNeed<Who extends string, Args, N> =
  N extends Resolver.Need<infer Name, infer T, infer By>
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

type Undeclared<Who extends string, D, E> = E extends unknown
  ? `${Who}: resolver '${D extends Resolver.Any ? D["key"] : never}' can fail with ${ErrorName<E>}, which the failure schema does not declare; declare it, list .result, or use Effect.orDie in the resolver`
  : never
type ErrorName<E> = E extends { readonly _tag: infer Tag extends string } ? `'${Tag}'` : "an error"

// no alias for what is printed: the compiler would show its name in place of the sentence
type Checked<Who extends string, Args, Fail, D> = D extends unknown
  ? [BadNeed<Who, Args, Resolver.NeedsOf<D>>] extends [never]
    ? [Undeclared<Who, D, Exclude<Resolver.ErrorsOf<D>, Fail | QuestionError>>] extends [never]
      ? D
      : Undeclared<Who, D, Exclude<Resolver.ErrorsOf<D>, Fail | QuestionError>>
    : BadNeed<Who, Args, Resolver.NeedsOf<D>>
  : never
/** `Who` opens each sentence: `Tool 'order_book'`. */
export type Check<Who extends string, Args, Fail, Deps extends Resolver.Dependencies> = Deps extends () => infer L
  ? () => CheckList<Who, Args, Fail, L>
  : CheckList<Who, Args, Fail, Deps>
// a list that holds something else is inferred as any list
type CheckList<Who extends string, Args, Fail, L> = {
  readonly [I in keyof L]: [Resolver.Dependency] extends [L[I]]
    ? `${Who}: this is no key of a resolver or a service; of a module, list its service, as Elicitation.Elicitation`
    : Checked<Who, Args, Fail, L[I]>
}

/** A tool of effect/ai's own whose list is lost when it runs. */
export type PlainTool<
  Name extends string,
  Key extends string
> = `Tool '${Name}' lists resolver '${Key}': declare the tool with Resolve.tool in place of Tool.make`
