/**
 * What a client can show as a form, judged by the compiler on what it sends back: the encoded side. What compiles can
 * be shown, but for what no type tells: bounds that contradict each other.
 */
import type * as Redacted from "effect/Redacted"

type IsAny<T> = 0 extends 1 & T ? true : false
// a text of a fixed set is a property that must be there; one of a pattern, such as `a${string}`, is not
type IsChoice<T extends string> = {} extends Record<T, 1> ? false : true

// numbers and booleans are shown as such, and not as choices among a few of them
type IsField<T> =
  IsAny<T> extends true
    ? false
    : [T] extends [never]
      ? false
      : [T] extends [string]
        ? true
        : [T] extends [number]
          ? number extends T
            ? true
            : false
          : [T] extends [boolean]
            ? boolean extends T
              ? true
              : false
            : [T] extends [readonly [infer E, ...ReadonlyArray<infer Rest>]]
              ? [Rest] extends [E]
                ? IsChoices<E>
                : false
              : [T] extends [ReadonlyArray<infer E>]
                ? number extends T["length"]
                  ? IsChoices<E>
                  : false
                : false
type IsChoices<E> =
  IsAny<E> extends true ? false : [E] extends [never] ? false : [E] extends [string] ? IsChoice<E> : false

type BadField<Encoded, Type> = {
  [K in keyof Encoded & string]-?: K extends keyof Type
    ? [Exclude<Type[K], undefined>] extends [Redacted.Redacted<any>]
      ? `Question field '${K}' is a secret, which must not pass through a form; use Elicitation.url`
      : NoField<K, Encoded[K]>
    : NoField<K, Encoded[K]>
}[keyof Encoded & string]
type NoField<K extends string, Field> =
  IsField<Exclude<Field, undefined>> extends true
    ? never
    : `Question field '${K}' must be a string, a number, a boolean or a list of choices`

type NoStruct = "A question schema must be a struct of strings, numbers, booleans or lists of choices"

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never

type Fault<Encoded, Type> =
  IsAny<Encoded> extends true
    ? null
    : true extends IsUnion<Encoded>
      ? NoStruct
      : [Encoded] extends [string | number | boolean | bigint | symbol | null | undefined | ReadonlyArray<unknown>]
        ? NoStruct
        : string extends keyof Encoded
          ? NoStruct
          : [BadField<Encoded, Type>] extends [never]
            ? null
            : BadField<Encoded, Type>

/** `unknown` when a client can show the schema as a form, otherwise a sentence for the compiler to print. */
export type CheckForm<Encoded, Type = unknown> = [Fault<Encoded, Type>] extends [string]
  ? Fault<Encoded, Type>
  : unknown
