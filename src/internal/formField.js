/**
 * One field of a question: from the encoded side of an Effect Schema to the definition a client can show.
 *
 * The protocol knows strings, numbers, booleans and choices, and few keywords of each
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation). Effect's own JSON Schema output says
 * more than that (`allOf`, `pattern`, exclusive bounds, null for an absent value) and less (half of a minimum length),
 * so fields are read from the public `SchemaAST`. What the keywords cannot say is left to decoding.
 */
import * as Result from "effect/Result";
import * as SchemaAST from "effect/SchemaAST";
/** Follows a schema to its encoded side, through transformations, defaults and `Schema.optional`. */
export const descend = (ast) => {
    const layers = [];
    let node = ast;
    let crossed = 0;
    let decoded;
    for (;;) {
        layers.push(node);
        if (node.encoding !== undefined) {
            decoded ??= layers.length;
            for (const link of node.encoding.slice(0, -1))
                layers.push(link.to);
            crossed = layers.length;
            node = node.encoding[node.encoding.length - 1].to;
            continue;
        }
        const present = SchemaAST.isUnion(node) ? node.types.filter((type) => !SchemaAST.isUndefined(type)) : [];
        if (present.length !== 1) {
            return { node, layers, decoded: layers.slice(0, decoded), encoded: layers.slice(crossed) };
        }
        node = present[0];
    }
};
const notes = (ast) => [
    ast.context?.annotations,
    // an annotation after `check` lands on the last check, one before it on the node: later ones win
    ...(ast.checks ?? []).map((check) => check.annotations).reverse(),
    ast.annotations
];
/** The first value annotated under `key`, from the decoded side to the encoded one; `annotateKey` wins. */
export const annotated = (layers, key) => {
    for (const layer of layers) {
        for (const note of notes(layer)) {
            const value = note?.[key];
            if (value !== undefined)
                return value;
        }
    }
    return undefined;
};
const text = (layers, key) => {
    const value = annotated(layers, key);
    return typeof value === "string" ? value : undefined;
};
const compact = (entries) => {
    const field = {};
    for (const [keyword, value] of Object.entries(entries)) {
        if (value !== undefined)
            field[keyword] = value;
    }
    return field;
};
const checksOf = (ast) => {
    const found = [];
    const visit = (check) => {
        const known = check.annotations?.representation;
        if (known !== undefined)
            found.push([known.id, (known.payload ?? {})]);
        if (check._tag === "FilterGroup")
            check.checks.forEach(visit);
    };
    ast.checks?.forEach(visit);
    return found;
};
const bound = (name, bounds) => {
    const finite = (values) => values.filter((value) => Number.isFinite(value));
    const minimums = finite(bounds.map(([min]) => min));
    const maximums = finite(bounds.map(([, max]) => max));
    const minimum = minimums.length > 0 ? Math.max(...minimums) : undefined;
    const maximum = maximums.length > 0 ? Math.min(...maximums) : undefined;
    return minimum !== undefined && maximum !== undefined && minimum > maximum
        ? Result.fail(`has no possible ${name}: at least ${minimum} and at most ${maximum}`)
        : Result.succeed({ minimum, maximum });
};
// The decoder's own numbers. Effect counts UTF-16 units and JSON Schema code points, and its JSON Schema halves a
// minimum for that; a form says what the author wrote, and a text of rare characters is judged by decoding.
const lengths = (ast) => checksOf(ast).map(([id, payload]) => {
    switch (id) {
        case "effect/schema/isMinLength":
            return [payload.minLength, undefined];
        case "effect/schema/isMaxLength":
            return [undefined, payload.maxLength];
        case "effect/schema/isMinCodePoints":
            return [payload.minCodePoints, undefined];
        case "effect/schema/isMaxCodePoints":
            return [undefined, payload.maxCodePoints];
        case "effect/schema/isBetweenLength":
        case "effect/schema/isBetweenCodePoints":
            return [payload.minimum, payload.maximum];
        default:
            return [undefined, undefined];
    }
});
const ranges = (ast) => checksOf(ast).map(([id, payload]) => {
    switch (id) {
        case "effect/schema/isGreaterThanOrEqualTo":
            return [payload.minimum, undefined];
        case "effect/schema/isLessThanOrEqualTo":
            return [undefined, payload.maximum];
        case "effect/schema/isBetween":
            return [
                payload.exclusiveMinimum === true ? undefined : payload.minimum,
                payload.exclusiveMaximum === true ? undefined : payload.maximum
            ];
        default:
            return [undefined, undefined];
    }
});
// ---- kinds
const formats = ["email", "uri", "date", "date-time"];
const string = (node, layers) => Result.map(bound("length", lengths(node)), ({ minimum, maximum }) => {
    const format = text(layers, "format");
    return compact({
        minLength: minimum,
        maxLength: maximum,
        format: format !== undefined && formats.includes(format) ? format : undefined
    });
});
const number = (node) => {
    const ids = checksOf(node).map(([id]) => id);
    const integer = ids.includes("effect/schema/isInt");
    if (!integer && !ids.includes("effect/schema/isFinite")) {
        return Result.fail("admits NaN and Infinity, which no client can send; use Schema.Finite or Schema.Int");
    }
    return Result.map(bound("value", ranges(node)), (bounds) => compact({ type: integer ? "integer" : "number", ...bounds }));
};
const nullable = "admits null, which no form can send; use Schema.optionalKey to let people leave it out";
const notText = (value) => `has the ${typeof value} ${String(value)} among its choices, and choices are strings; use ${typeof value === "boolean" ? "Schema.Boolean" : "Schema.Literals with strings"}`;
const collect = (ast) => {
    const { node, layers } = descend(ast);
    switch (node._tag) {
        case "Literal":
            return typeof node.literal === "string"
                ? Result.succeed([{ const: node.literal, title: text(layers, "title") }])
                : Result.fail(notText(node.literal));
        case "Enum": {
            const values = node.enums.map(([, value]) => value);
            const other = values.find((value) => typeof value !== "string");
            return other === undefined
                ? Result.succeed(values.map((value) => ({ const: String(value), title: undefined })))
                : Result.fail(notText(other));
        }
        case "Union":
            if (node.types.some(SchemaAST.isNull))
                return Result.fail(nullable);
            return Result.gen(function* () {
                const found = [];
                for (const type of node.types) {
                    if (!SchemaAST.isUndefined(type))
                        found.push(...(yield* collect(type)));
                }
                return found.filter((choice, at) => found.findIndex((other) => other.const === choice.const) === at);
            });
        default:
            return Result.fail("is a union of several types; ask for one type, or ask one field for each");
    }
};
const choices = (ast) => Result.flatMap(collect(ast), (found) => found.length > 0 ? Result.succeed(found) : Result.fail("has no choices to show"));
// Either every option has a title or none: a missing one is the value itself
const titled = (found) => found.some((choice) => choice.title !== undefined)
    ? found.map((choice) => ({ const: choice.const, title: choice.title ?? choice.const }))
    : undefined;
const single = (node, layers) => Result.map(choices(node), (found) => {
    // the deprecated spelling of titles, for clients that know no other: only where a schema is annotated with it
    const names = annotated(layers, "enumNames");
    if (Array.isArray(names) && names.length === found.length && names.every((name) => typeof name === "string")) {
        return { enum: found.map((choice) => choice.const), enumNames: names };
    }
    // the annotations of a lone literal are those of the field
    const oneOf = SchemaAST.isLiteral(node) ? undefined : titled(found);
    return oneOf === undefined ? { enum: found.map((choice) => choice.const) } : { oneOf };
});
const freeList = "is a list of free values; a form needs a fixed set of choices, such as Schema.Array(Schema.Literals([..]))";
const multiple = (node) => {
    const item = node.rest[0];
    // `NonEmptyArray` is one element of the same schema before the rest
    if (item === undefined || node.rest.length > 1 || node.elements.some((element) => element !== item)) {
        return Result.fail("is a tuple; a form is flat: ask for each element in a field of its own");
    }
    const inner = descend(item).node;
    if (!SchemaAST.isLiteral(inner) && !SchemaAST.isUnion(inner) && !SchemaAST.isEnum(inner))
        return Result.fail(freeList);
    return Result.gen(function* () {
        const found = yield* choices(item);
        const least = node.elements.length > 0 ? node.elements.length : undefined;
        const { minimum, maximum } = yield* bound("number of choices", [[least, undefined], ...lengths(node)]);
        if (minimum !== undefined && minimum > found.length) {
            return yield* Result.fail(`asks for at least ${minimum} of ${found.length} choices`);
        }
        const anyOf = titled(found);
        return compact({
            minItems: minimum,
            maxItems: maximum,
            items: anyOf === undefined ? { type: "string", enum: found.map((choice) => choice.const) } : { anyOf }
        });
    });
};
const refusal = (node) => {
    switch (node._tag) {
        case "Objects":
            return "is an object; a form is flat: ask for its fields directly";
        case "Suspend":
            return "is recursive (Schema.suspend); a form is flat: ask for its fields directly";
        case "Null":
            return nullable;
        case "BigInt":
            return "is a bigint, which no client can send; use Schema.BigIntFromString";
        case "Declaration":
            return ("is not a value that a client can send; use a schema that decodes from a string, " +
                "such as Schema.DateTimeUtcFromString");
        default:
            return "must be a string, a number, a boolean or a list of choices";
    }
};
const keywords = (node, layers) => {
    const as = (type, rendered) => Result.map(rendered, (field) => [type, field]);
    switch (node._tag) {
        case "String":
        case "TemplateLiteral":
            return as("string", string(node, layers));
        case "Number":
            return as("number", number(node));
        case "Boolean":
            return as("boolean", Result.succeed({}));
        case "Literal":
        case "Enum":
        case "Union":
            return as("string", single(node, layers));
        case "Arrays":
            return as("array", multiple(node));
        default:
            return Result.fail(refusal(node));
    }
};
// Secrets must not pass through a form
// (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
const isSecret = (layers) => layers.some((layer) => {
    const known = layer.annotations?.representation;
    return known?.id === "effect/schema/Redacted";
});
/** Renders one field, without its default. */
export const render = ({ node, layers }) => {
    if (isSecret(layers)) {
        return Result.fail("is a secret (Schema.Redacted), which must not pass through a form; use Elicitation.url");
    }
    return Result.map(keywords(node, layers), ([type, field]) => compact({ type, title: text(layers, "title"), description: text(layers, "description"), ...field }));
};
