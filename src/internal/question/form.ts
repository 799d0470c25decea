/**
 * Question schemas: from an Effect Schema to the flat form that a client can show, and back.
 *
 * The rendered form is part of a question's digest (I3), so rendering is pure: the same declaration gives the same
 * text in every process. Answers are decoded with the original schema, never with the form: the client's own checks
 * are a courtesy.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Faults from "../base/faults.ts"
import { short } from "../base/printable.ts"
import * as Text from "../base/sentences.ts"
import { descend } from "../base/wireSide.ts"
import * as Default from "./formDefault.ts"
import * as Field from "./formField.ts"
import * as Format from "./formFormat.ts"

/** A schema that no client can show, or none of this protocol version. */
export class FormError extends Data.TaggedError("FormError")<{
  /** The field at fault; `undefined` when it is the schema as a whole. */
  readonly field: string | undefined
  /** What is wrong and what to use instead: the rest of a sentence whose subject is the field or the schema. */
  readonly problem: string
}> {
  override get message(): string {
    return Text.ofField(this.field, this.problem)
  }
}

/** An accepted answer that does not fit the question's schema. `cause` is for the log: validator text never goes out. */
export class InvalidContent extends Data.TaggedError("InvalidContent")<{
  readonly cause: unknown
  /** Which fields are at fault and what each must be, in our words. */
  readonly faults?: string | undefined
}> {}

/** A question schema as a client sees it. */
export interface Form {
  /** `{ type: "object", properties, required? }` with all that the newest protocol can show. */
  readonly requestedSchema: Schema.JsonObject
  /** The fields of `requestedSchema`, by name, in the order declared. */
  readonly fields: ReadonlyMap<string, Field.Field>
  /** Those that an answer must have. */
  readonly required: ReadonlyArray<string>
  /** Every field may be left out: it is optional or has a decoding default. */
  readonly allOptional: boolean
}

const make = (fields: ReadonlyMap<string, Field.Field>, required: ReadonlyArray<string>): Form => ({
  requestedSchema: assemble(fields, required),
  fields,
  required,
  allOptional: required.length === 0
})

const assemble = (fields: ReadonlyMap<string, Field.Field>, required: ReadonlyArray<string>): Schema.JsonObject => ({
  type: "object",
  properties: Object.fromEntries(fields),
  ...(required.length > 0 ? { required } : undefined)
})

const renderField = (property: SchemaAST.PropertySignature): Result.Result<Field.Field, Field.Problem> =>
  Result.gen(function* () {
    const descent = descend(property.type)
    const field = yield* Field.render(descent)
    const value = yield* Default.find(String(property.name), property, isOptional(property), descent, field)
    return value === undefined ? field : { ...field, default: value }
  })

// Clients that copy objects lose a member of this name, and then cannot answer
const isNameable = (name: PropertyKey): boolean => typeof name !== "symbol" && name !== "__proto__"

const isOptional = (property: SchemaAST.PropertySignature): boolean =>
  SchemaAST.isOptional(SchemaAST.toEncoded(property.type))

const renderAst = (ast: SchemaAST.AST): Result.Result<Form, FormError> =>
  Result.gen(function* () {
    const { node } = descend(ast)
    if (!SchemaAST.isObjects(node) || node.indexSignatures.length > 0) {
      const problem = node._tag === "Suspend" ? Text.recursiveForm : Text.noForm
      return yield* Result.fail(new FormError({ field: undefined, problem }))
    }
    const fields = new Map<string, Field.Field>()
    const required: Array<string> = []
    for (const property of node.propertySignatures) {
      const name = String(property.name)
      const rendered = isNameable(property.name) ? renderField(property) : Result.fail(Text.unnameable)
      fields.set(name, yield* Result.mapError(rendered, (problem) => new FormError({ field: name, problem })))
      if (!isOptional(property)) required.push(name)
    }
    return make(fields, required)
  })

const rendered = new WeakMap<SchemaAST.AST, Result.Result<Form, FormError>>()

/** Renders a question schema with everything that 2025-11-25 and later can show. */
export const render = (schema: Schema.Constraint): Result.Result<Form, FormError> => {
  const known = rendered.get(schema.ast)
  if (known !== undefined) return known
  const form = renderAst(schema.ast)
  rendered.set(schema.ast, form)
  return form
}

const single = (field: Field.Field): Field.Field => {
  const { default: value, oneOf, ...rest } = field
  const options = Array.isArray(oneOf)
    ? (oneOf as ReadonlyArray<{ readonly const: string; readonly title: string }>)
    : []
  return {
    ...rest,
    ...(options.length > 0
      ? { enum: options.map((option) => option.const), enumNames: options.map((option) => option.title) }
      : undefined),
    // the only default of that schema: dropping another changes what is shown, not what an absent answer means
    ...(field.type === "boolean" && value !== undefined ? { default: value } : undefined)
  }
}

/**
 * The form in the words of one protocol version: 2025-06-18 has no titled options but `enumNames`, no
 * defaults except on booleans and no multiple choice; earlier protocols cannot be asked.
 */
export const project = (form: Form, protocolVersion: string): Result.Result<Schema.JsonObject, FormError> => {
  if (protocolVersion >= "2025-11-25") return Result.succeed(form.requestedSchema)
  if (protocolVersion < "2025-06-18") {
    return Result.fail(new FormError({ field: undefined, problem: Text.noFormOn(protocolVersion) }))
  }
  const fields = new Map<string, Field.Field>()
  for (const [name, field] of form.fields) {
    if (field.type === "array") {
      return Result.fail(new FormError({ field: name, problem: Text.noListOn(protocolVersion) }))
    }
    fields.set(name, single(field))
  }
  return Result.succeed(assemble(fields, form.required))
}

// Own fields of the form only, on an object that inherits none, and a choice made twice is made once. Clients send null
// for what a person left blank.
const answered = ({ fields, required }: Form, content: object): Record<string, unknown> => {
  const given: Record<string, unknown> = Object.create(null)
  for (const name of fields.keys()) {
    if (!Object.hasOwn(content, name)) continue
    const value = (content as { readonly [field: string]: unknown })[name]
    if (value === null && !required.includes(name)) continue
    given[name] = Array.isArray(value) ? [...new Set(value)] : value
  }
  return given
}

// they ride in the seal, when the question is put again
const maxFaults = 3
const maxLength = 240

const unmet = ({ fields }: Form, given: Record<string, unknown>): ReadonlyArray<string> =>
  Array.from(fields, ([name, field]) => {
    const wanted = Format.unmet(field, given[name])
    return wanted === undefined ? undefined : `${Text.fieldAt(short(name, 40))} ${Text.mustBe(wanted)}`
  }).filter((fault) => fault !== undefined)

/**
 * Decodes the content of an accepted answer with the schema of the question, as strictly as the schema is: `"true"` is
 * no boolean. Keys that the form does not have are ignored, as is null for a field that may be left out; decoding
 * defaults fill the fields that are absent. Formats that the form shows are held to.
 */
export const decode = <A>(schema: Schema.ConstraintDecoder<A>, content: unknown): Effect.Effect<A, InvalidContent> =>
  Effect.suspend(() => {
    const form = render(schema)
    if (Result.isFailure(form)) return Effect.fail(new InvalidContent({ cause: form.failure }))
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
      return Effect.fail(new InvalidContent({ cause: Text.contentIsNoObject }))
    }
    const given = answered(form.success, content)
    const ofForm = unmet(form.success, given)
    const invalid = (cause: unknown, faults: ReadonlyArray<string>) =>
      new InvalidContent({ cause, faults: short(faults.join("; "), maxLength) })
    return Effect.matchEffect(Schema.decodeUnknownEffect(schema)(given, { errors: "all" }), {
      onFailure: (error) => {
        const ofSchema = Faults.inWords(schema, error.issue, given, Faults.ofFields, maxFaults)
        return Effect.fail(invalid(error, [...ofForm, ofSchema]))
      },
      onSuccess: (value) => (ofForm.length === 0 ? Effect.succeed(value) : Effect.fail(invalid(ofForm, ofForm)))
    })
  })
