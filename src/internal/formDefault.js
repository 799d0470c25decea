import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import { annotated } from "./formField.js";
const wrong = "has a default that its own schema refuses";
// A schema that has nothing to wait for answers with an Exit; whatever is still to be run, or throws, stays unknown.
const settled = (evaluate) => Option.filter(Result.getSuccess(Result.try(evaluate)), Exit.isExit);
const own = (record, name) => typeof record === "object" && record !== null && Object.hasOwn(record, name)
    ? record[name]
    : undefined;
const options = (field) => {
    const consts = (list) => Array.isArray(list) ? list.map((option) => option.const) : undefined;
    const items = field.items;
    return (field.enum ??
        consts(field.oneOf) ??
        items?.enum ??
        consts(items?.anyOf));
};
const fits = (value, field) => {
    const allowed = options(field);
    switch (field.type) {
        case "string":
            return typeof value === "string" && (allowed === undefined || allowed.includes(value));
        case "boolean":
            return typeof value === "boolean";
        case "array":
            return Array.isArray(value) && value.every((item) => allowed?.includes(item));
        default:
            return Number.isFinite(value);
    }
};
const check = (value, field) => value === undefined ? Result.succeed(undefined) : fits(value, field) ? Result.succeed(value) : Result.fail(wrong);
const member = (property) => Schema.make(new SchemaAST.Objects([property], []));
/** The encoded default of a field, if it has one that is known without running anything. */
export const find = (name, property, optional, descent, field) => {
    const schema = member(property);
    const encode = (value) => settled(() => Schema.encodeUnknownEffect(schema)({ [name]: value }));
    const decode = (fields) => settled(() => Schema.decodeUnknownEffect(schema)(fields));
    const absent = optional ? decode(Object.create(null)) : Option.none();
    if (Option.isSome(absent)) {
        if (Exit.isFailure(absent.value))
            return Result.fail(wrong);
        const filled = own(absent.value.value, name);
        if (filled !== undefined) {
            const encoded = encode(filled);
            const shown = Option.isSome(encoded) && Exit.isSuccess(encoded.value) ? own(encoded.value.value, name) : undefined;
            // `encodingStrategy: "omit"` encodes to nothing: then the value itself, where it is one that a client can send
            if (shown !== undefined || fits(filled, field))
                return check(shown ?? filled, field);
        }
    }
    const suggested = annotated(descent.decoded, "default");
    if (suggested !== undefined) {
        const encoded = encode(suggested);
        if (Option.isNone(encoded))
            return Result.succeed(undefined);
        return Exit.isSuccess(encoded.value) ? check(own(encoded.value.value, name), field) : Result.fail(wrong);
    }
    const plain = annotated(descent.encoded, "default");
    if (plain === undefined)
        return Result.succeed(undefined);
    const decoded = decode({ [name]: plain });
    return Option.isSome(decoded) && Exit.isFailure(decoded.value) ? Result.fail(wrong) : check(plain, field);
};
