/** A claim as one line of text, for stores that keep texts. */
import { Effect, Schema } from "effect"
import type { Claim, InDoubt } from "./journal.ts"

const Line = Schema.fromJsonString(
  Schema.Struct({ call: Schema.String, method: Schema.String, target: Schema.String, since: Schema.Finite })
)
const decode = Schema.decodeUnknownEffect(Line)

export const write = ({ call, method, since, target }: Claim): string => JSON.stringify({ call, method, target, since })

export const read = (key: string, line: unknown): Effect.Effect<InDoubt, Schema.SchemaError> =>
  Effect.map(decode(line), (claim) => ({ key, ...claim }))
