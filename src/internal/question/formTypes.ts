/** What a client can show as a form, judged by the compiler on what it sends back: the encoded side. */

type Flat = string | number | boolean

// `string extends E`: a list of any strings is not a list of choices
type IsField<T> = [T] extends [string] | [number] | [boolean]
  ? true
  : [T] extends [ReadonlyArray<infer E>]
    ? string extends E
      ? false
      : [E] extends [string]
        ? true
        : false
    : false

type BadField<Encoded> = {
  [K in keyof Encoded & string]-?: IsField<Exclude<Encoded[K], undefined>> extends true
    ? never
    : `Question field '${K}' must be a string, a number, a boolean or a list of choices`
}[keyof Encoded & string]

type NoStruct = "A question schema must be a struct of strings, numbers, booleans or lists of choices"

/** `unknown` when a client can show the schema as a form, otherwise a sentence for the compiler to print. */
export type CheckForm<Encoded> = Encoded extends Flat | null | ReadonlyArray<unknown>
  ? NoStruct
  : string extends keyof Encoded
    ? NoStruct
    : [BadField<Encoded>] extends [never]
      ? unknown
      : BadField<Encoded>
