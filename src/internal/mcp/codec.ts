/**
 * What stands between a schema and JSON: arguments, results and declared failures go through the codec that the
 * advertised schema was made from, so that whatever is listed can be called and whatever type-checks can be returned.
 *
 * How a surface uses it:
 *
 * - `argumentsCodec(tool).decode(sent)` decodes what a client sent, texts that hold JSON among it, as strictly as the tool
 *   is. It fails with `InvalidArguments`, whose message is for the client: every fault, and no value that came.
 * - `resultCodec(tool).encode(value)` gives the JSON of a result, or `undefined` for a result without content. It fails
 *   with `NotEncoded` for what the schema cannot encode and for what is no JSON; that is a failure of the call, and it
 *   belongs before the end of the call's scope. A `CallToolResult` of the body's own passes as its JSON: the check, not
 *   the value to send.
 * - `resultCodec(tool).isFailure(error)` tells a declared failure, `encodeFailure(error)` gives its JSON.
 * - `shadow(tool)` is the same tool with these codecs for schemas, for code of effect/ai that decodes and encodes by
 *   itself (`withHandlers`): its handlers take and give what the author's handlers take and give.
 * - `rearguments(codec, sent)(decoded)` gives the arguments to seal in place of those sent, where decoding changed them
 *   in any way (I6): a generated default, inside a list too.
 * - `textCodec(fields)` is the same for arguments that are text: those of prompts and of templates.
 */
import * as AiTool from "effect/ai/Tool"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { canonicalJson } from "../base/canonical.ts"
import * as Faults from "../base/faults.ts"
import * as Text from "../base/sentences.ts"
import { descend } from "../base/wireSide.ts"
import { repair } from "./repair.ts"

/** Arguments by name, decoded. */
export type Arguments = { readonly [name: string]: unknown }

export interface ArgumentsCodec {
  /** The codec itself: its Type is what handlers get, its Encoded what clients send. */
  readonly schema: Schema.Codec<unknown, unknown>
  /** Whether a name that the schema does not have is a fault. */
  readonly strict: boolean
  readonly decode: (sent: unknown) => Effect.Effect<Arguments, InvalidArguments>
  readonly encode: (decoded: unknown) => Effect.Effect<unknown, Schema.SchemaError>
}

export interface ResultCodec {
  /** The JSON of a result; `undefined` where the tool has none to give. */
  readonly encode: (value: unknown) => Effect.Effect<Schema.Json | undefined, NotEncoded>
  /** Whether an error is one that the tool declares. */
  readonly isFailure: (error: unknown) => boolean
  /** The JSON of a declared failure. */
  readonly encodeFailure: (error: unknown) => Effect.Effect<Schema.Json | undefined, NotEncoded>
}

/** Arguments that do not decode. The message says every fault, for whoever sent them; the cause is for nobody. */
export class InvalidArguments extends Data.TaggedError("effect-resolve/InvalidArguments")<{
  readonly message: string
}> {}

/** A result that cannot be sent: for the log, never for the client. */
export class NotEncoded extends Data.TaggedError("effect-resolve/NotEncoded")<{
  readonly problem: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.problem
  }
}

/** One value per key, made when it is first asked for. */
const memoised = <K extends object, A>(make: (key: K) => A): ((key: K) => A) => {
  const made = new WeakMap<K, A>()
  return (key) => {
    if (made.has(key)) return made.get(key)!
    const value = make(key)
    made.set(key, value)
    return value
  }
}

// what a schema needs is in the context of the registration: effect/ai erases it in the same way
const erased = (schema: Schema.Constraint) => schema as Schema.Codec<unknown, unknown>

/** The JSON codec of a schema, made once: the parsers of a schema are kept with it. */
const jsonOf = memoised((schema: Schema.Constraint) => erased(Schema.toCodecJson(schema)))

// ---------------------------------------------------------------- arguments

const codec = (
  schema: Schema.Codec<unknown, unknown>,
  {
    naming,
    nameless,
    repairs,
    strict
  }: {
    readonly strict: boolean
    readonly nameless: boolean
    readonly repairs: boolean
    readonly naming: Faults.Naming
  }
): ArgumentsCodec => {
  const options: SchemaAST.ParseOptions = { onExcessProperty: strict ? "error" : "ignore", errors: "all" }
  const parse = Schema.decodeUnknownEffect(schema)
  const decode = (sent: unknown) => parse(sent, options) as Effect.Effect<Arguments, Schema.SchemaError> // the root is an object: registration has seen it
  const invalid = (sent: unknown) => (error: Schema.SchemaError) =>
    new InvalidArguments({ message: Faults.inWords(schema, error.issue, sent, naming) })
  return {
    schema,
    strict,
    decode: (given) => {
      // a schema without names refuses every name: unknown ones are ignored there as everywhere
      const sent = nameless ? {} : (given ?? {})
      return Effect.catch(decode(sent), (error) =>
        Effect.flatMap(repairs ? repair(schema, error.issue, sent) : Effect.undefined, (repair) =>
          repair === undefined
            ? Effect.fail(invalid(sent)(error))
            : Effect.mapError(decode(repair.repaired), invalid(repair.repaired))
        )
      )
    },
    encode: Schema.encodeUnknownEffect(schema)
  }
}

// a tool of a raw JSON Schema has no other
const parametersOf = (tool: AiTool.Any): Schema.Constraint => {
  const own: unknown = tool.parametersSchema
  return Schema.isSchema(own) ? own : Schema.Unknown
}

/** The codec of a tool's arguments. */
export const argumentsCodec = memoised((tool: AiTool.Any): ArgumentsCodec => {
  const strict = AiTool.getStrictMode(tool) === true
  const nameless = (tool.parametersSchema as unknown) === AiTool.EmptyParams && !strict
  return codec(jsonOf(parametersOf(tool)), { strict, nameless, repairs: !strict, naming: Faults.ofArguments })
})

/**
 * Decodes the arguments of a call in process: what a client sends, or what the schema itself encodes to, which is what the
 * types of a program say (a `Date` for `Schema.Date`).
 */
export const decodeInProcess = memoised((tool: AiTool.Any): ArgumentsCodec["decode"] => {
  const { decode, strict } = argumentsCodec(tool)
  const own = erased(parametersOf(tool))
  const typed = codec(own, { strict, nameless: false, repairs: false, naming: Faults.ofArguments })
  return (sent) => Effect.catch(decode(sent), (error) => Effect.mapError(typed.decode(sent), () => error))
})

/** The schemas of arguments that are text on the wire. */
export const textFields = (fields: Schema.Struct.Fields): Schema.Struct.Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Schema.toCodecStringTree(schema)]))

/** The codec of arguments that are text on the wire: those of a prompt, and those in a URI. */
export const textCodec = (fields: Schema.Struct.Fields): ArgumentsCodec =>
  codec(erased(Schema.Struct(textFields(fields))), {
    strict: false,
    nameless: false,
    repairs: false,
    naming: Faults.ofTexts
  })

/**
 * The arguments to seal in place of what was sent, because decoding changed them (I6); `undefined` when there is nothing
 * to keep. A schema that cannot encode keeps what was sent.
 */
export const rearguments =
  (codec: ArgumentsCodec, sent: unknown) =>
  (decoded: unknown): Effect.Effect<unknown> =>
    Effect.match(codec.encode(decoded), {
      onFailure: () => undefined,
      onSuccess: (encoded) => (isSame(encoded, sent ?? {}) ? undefined : encoded)
    })

const isSame = (encoded: unknown, sent: unknown): boolean =>
  Result.getOrElse(
    Result.try(() => canonicalJson(encoded) === canonicalJson(sent)),
    // what has no canonical text cannot be sealed
    () => true
  )

// ---------------------------------------------------------------- results

const isJson = Schema.is(Schema.Json)

const hasNoContent = (schema: Schema.Constraint): boolean => {
  const { _tag } = schema.ast
  return _tag === "Void" || _tag === "Undefined"
}

const admitsUndefined = (ast: SchemaAST.AST): boolean => SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isUndefined)

/** `Any` takes every value as its own, an undefined one of `optional(Any)` too: it is null, as of any other schema. */
const withNulls = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (value === undefined) return admitsUndefined(ast) ? null : value
  const { node } = descend(ast)
  if (SchemaAST.isArrays(node) && Array.isArray(value)) {
    return value.map((member, index) => withNulls(node.elements[index] ?? node.rest[0] ?? node, member))
  }
  if (!SchemaAST.isObjects(node) || !Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const type =
        node.propertySignatures.find((property) => property.name === name)?.type ?? node.indexSignatures[0]?.type
      return [name, type === undefined ? member : withNulls(type, member)]
    })
  )
}

const encoder = (schema: Schema.Constraint): ResultCodec["encode"] => {
  if (hasNoContent(schema)) return () => Effect.undefined
  const json = jsonOf(schema)
  const encode = Schema.encodeUnknownEffect(json)
  return (value) =>
    Effect.matchEffect(encode(value), {
      onFailure: (cause) => Effect.fail(new NotEncoded({ problem: Text.doesNotEncode, cause })),
      onSuccess: (encoded) => {
        if (isJson(encoded)) return Effect.succeed(encoded)
        const whole = withNulls(json.ast, encoded)
        return isJson(whole) ? Effect.succeed(whole) : Effect.fail(new NotEncoded({ problem: Text.resultIsNoJson }))
      }
    })
}

/** The codecs of what a tool may end with. */
export const resultCodec = memoised(
  (tool: AiTool.Any): ResultCodec => ({
    encode: encoder(tool.successSchema),
    isFailure: Schema.is(tool.failureSchema),
    encodeFailure: encoder(tool.failureSchema)
  })
)

// ---------------------------------------------------------------- tools as effect/ai is given them

const withSchemas = (
  tool: AiTool.Any,
  parameters: (schema: Schema.Constraint) => Schema.Constraint,
  results: (schema: Schema.Constraint) => Schema.Constraint
): AiTool.Any => {
  const own: unknown = tool.parametersSchema
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
    parametersSchema: Schema.isSchema(own) ? parameters(own) : own,
    successSchema: results(tool.successSchema),
    failureSchema: results(tool.failureSchema)
  })
}

type Parse = (input: unknown) => Effect.Effect<unknown, SchemaIssue.Issue>

// effect/ai lists what a schema encodes to, which the annotation says, and decodes by the schema alone
const listedAs = (schema: Schema.Constraint, parse: Parse): Schema.Constraint =>
  Schema.declareConstructor<unknown>()([], () => parse, {
    toCodecJson: () => Schema.link<unknown>()(erased(schema), SchemaTransformation.passthrough({ strict: false }))
  })

/**
 * The tool with the codecs of its schemas in their place, for code of effect/ai that decodes and encodes by itself. What
 * effect/ai says of arguments that do not decode ends with their faults.
 */
export const shadow = memoised((tool: AiTool.Any): AiTool.Any => {
  const decode = decodeInProcess(tool)
  return withSchemas(
    tool,
    (schema) =>
      listedAs(schema, (sent) =>
        Effect.mapError(decode(sent), ({ message }) => new SchemaIssue.InvalidValue({ message }))
      ),
    (schema) => (hasNoContent(schema) ? schema : jsonOf(schema))
  )
})
