/** Durable values: encoded once, carried from round to round, decoded for whoever consumes them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Text from "../base/sentences.ts"
import type { Definition } from "../graph/definition.ts"
import type { Memory } from "./memory.ts"

type Durable = Schema.Codec<unknown, unknown>
type Transform = (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>

const codecs = new WeakMap<Durable, { readonly encode: Transform; readonly decode: Transform }>()

const codecOf = (schema: Durable) => {
  const known = codecs.get(schema)
  if (known !== undefined) return known
  const json = Schema.toCodecJson(schema)
  const codec = { encode: Schema.encodeUnknownEffect(json), decode: Schema.decodeUnknownEffect(json) }
  codecs.set(schema, codec)
  return codec
}

// a value that cannot cross the rounds is a mistake in the program, told by its key
const orBroken = (key: string, problem: string, effect: Effect.Effect<unknown, Schema.SchemaError>) =>
  Effect.catch(effect, (cause) => Effect.die(new Error(Text.brokenDurable(key, problem), { cause })))

/** Keeps the encoded value for later rounds, and gives what they will see: the same on both eras. */
export const remember = (
  memory: Memory,
  { durable, key }: Definition,
  path: string,
  value: unknown
): Effect.Effect<unknown> => {
  const { decode, encode } = codecOf(durable!)
  return Effect.flatMap(orBroken(key, Text.cannotEncode, encode(value)), (encoded) => {
    memory.durable.set(path, encoded)
    return orBroken(key, Text.cannotDecode, decode(encoded))
  })
}

/** Never a second run when the schema has changed in the meantime: the effect has happened. */
export const restore = ({ durable, key }: Definition, encoded: unknown): Effect.Effect<unknown> =>
  orBroken(key, Text.cannotRestore, codecOf(durable!).decode(encoded))
