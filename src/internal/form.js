/**
 * Question schemas: from an Effect Schema to the flat form that a client can show, and back.
 *
 * The rendered form is part of a question's digest (I3), so rendering is pure: the same declaration gives the same
 * text in every process. Answers are decoded with the original schema, never with the form: the client's own checks
 * are a courtesy.
 */
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import * as Default from "./formDefault.js";
import * as Field from "./formField.js";
/** A schema that no client can show, or none of this protocol version. */
export class FormError extends Data.TaggedError("FormError") {
    get message() {
        return this.field === undefined ? this.problem : `field '${this.field}' ${this.problem}`;
    }
}
/** An accepted answer that the question's schema refuses. `cause` is for the log: validator text never goes out. */
export class InvalidContent extends Data.TaggedError("InvalidContent") {
}
/** The sentence for whoever wrote the resolver. */
export const sentence = (key, error) => `Question schema of resolver '${key}'${error.field === undefined ? "" : ":"} ${error.message}`;
const make = (fields, required) => ({
    requestedSchema: assemble(fields, required),
    fields,
    required,
    allOptional: required.length === 0
});
const assemble = (fields, required) => ({
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.length > 0 ? { required } : undefined)
});
const renderField = (property) => Result.gen(function* () {
    const descent = Field.descend(property.type);
    const field = yield* Field.render(descent);
    const value = yield* Default.find(String(property.name), property, isOptional(property), descent, field);
    return value === undefined ? field : { ...field, default: value };
});
// F-34: clients that copy objects lose a member of this name, and then cannot answer
const isNameable = (name) => typeof name !== "symbol" && name !== "__proto__";
const unnameable = "has a name that clients cannot send back; use another (Schema.encodeKeys renames it on the wire only)";
const isOptional = (property) => SchemaAST.isOptional(SchemaAST.toEncoded(property.type));
const renderAst = (ast) => Result.gen(function* () {
    const { node } = Field.descend(ast);
    if (!SchemaAST.isObjects(node) || node.indexSignatures.length > 0) {
        const problem = node._tag === "Suspend"
            ? "is recursive (Schema.suspend); a form is flat: use one Schema.Struct"
            : "must be a struct of strings, numbers, booleans or lists of choices";
        return yield* Result.fail(new FormError({ field: undefined, problem }));
    }
    const fields = new Map();
    const required = [];
    for (const property of node.propertySignatures) {
        const name = String(property.name);
        const rendered = isNameable(property.name) ? renderField(property) : Result.fail(unnameable);
        fields.set(name, yield* Result.mapError(rendered, (problem) => new FormError({ field: name, problem })));
        if (!isOptional(property))
            required.push(name);
    }
    return make(fields, required);
});
const rendered = new WeakMap();
/** Renders a question schema with everything that 2025-11-25 and later can show. */
export const render = (schema) => {
    const known = rendered.get(schema.ast);
    if (known !== undefined)
        return known;
    const form = renderAst(schema.ast);
    rendered.set(schema.ast, form);
    return form;
};
const single = (field) => {
    const { default: value, oneOf, ...rest } = field;
    const options = Array.isArray(oneOf)
        ? oneOf
        : [];
    return {
        ...rest,
        ...(options.length > 0
            ? { enum: options.map((option) => option.const), enumNames: options.map((option) => option.title) }
            : undefined),
        // the only default of that schema: dropping another changes what is shown, not what an absent answer means
        ...(field.type === "boolean" && value !== undefined ? { default: value } : undefined)
    };
};
/**
 * The form in the words of one protocol version (SPEC (e)): 2025-06-18 has no titled options but `enumNames`, no
 * defaults except on booleans and no multiple choice; earlier protocols cannot be asked.
 */
export const project = (form, protocolVersion) => {
    if (protocolVersion >= "2025-11-25")
        return Result.succeed(form.requestedSchema);
    if (protocolVersion < "2025-06-18") {
        const problem = `has no form on protocol ${protocolVersion}, which cannot ask people`;
        return Result.fail(new FormError({ field: undefined, problem }));
    }
    const fields = new Map();
    for (const [name, field] of form.fields) {
        if (field.type === "array") {
            const problem = `is a list of choices, which protocol ${protocolVersion} cannot show; ` +
                "ask for one of them (Schema.Literals), or for a boolean each";
            return Result.fail(new FormError({ field: name, problem }));
        }
        fields.set(name, single(field));
    }
    return Result.succeed(assemble(fields, form.required));
};
// F-33, F-34: own fields of the form only, on an object that inherits none, and a choice made twice is made once.
const answered = (form, content) => {
    const fields = Object.create(null);
    for (const name of form.fields.keys()) {
        if (!Object.hasOwn(content, name))
            continue;
        const value = content[name];
        fields[name] = Array.isArray(value) ? [...new Set(value)] : value;
    }
    return fields;
};
/**
 * Decodes the content of an accepted answer with the schema of the question, as strictly as the schema is: `"true"` is
 * no boolean, `null` is not an absent value. Keys that the form does not have are ignored; decoding defaults fill the
 * fields that are absent.
 */
export const decode = (schema, content) => Effect.suspend(() => {
    const form = render(schema);
    if (Result.isFailure(form))
        return Effect.fail(new InvalidContent({ cause: form.failure }));
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
        return Effect.fail(new InvalidContent({ cause: "the content of an accepted answer must be an object" }));
    }
    return Effect.mapError(Schema.decodeUnknownEffect(schema)(answered(form.success, content)), (cause) => new InvalidContent({ cause }));
});
