/**
 * Registers with effect/ai by decorating two public things, the `McpServer` service and the handlers, and calling its
 * own registration: it decodes once (I6) and keeps its descriptors, strict mode and error mapping (FINDINGS b2).
 */
import * as McpSchema from "effect/ai/McpSchema";
import * as McpServer from "effect/ai/McpServer";
import * as Tool from "effect/ai/Tool";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Predicate from "effect/Predicate";
import * as Schema from "effect/Schema";
import * as SchemaIssue from "effect/SchemaIssue";
import * as Plan from "./plan.js";
import * as Refusal from "./refusal.js";
import * as Round from "./round.js";
import * as Tools from "./tools.js";
// effect/ai's own words for everything that it scrubs; `test/upstream` watches them
const scrubbed = "Tool execution failed due to an internal server error.";
const prefixed = (tool, message) => `Error executing tool ${tool}: ${message}`;
const errorResult = (tool, message) => new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text: prefixed(tool, message) }] });
/** Results as people expect them (DESIGN.md 9): a prefix on errors, plain text for strings. */
const present = (tool, pureString, result, value) => {
    // a body's own result passes through, so that images, audio, links and resources work
    if (value instanceof McpSchema.CallToolResult)
        return value;
    if (result.isError === true) {
        return new McpSchema.CallToolResult({
            ...result,
            content: result.content.map((block) => block.type === "text"
                ? { ...block, text: prefixed(tool, block.text === scrubbed ? "internal error" : block.text) }
                : block)
        });
    }
    const text = result.structuredContent;
    if (!Predicate.isString(text))
        return result;
    return new McpSchema.CallToolResult({
        ...result,
        content: [{ type: "text", text }],
        structuredContent: pureString ? undefined : text
    });
};
const format = SchemaIssue.makeFormatterStandardSchemaV1();
/** Which arguments are wrong, in our own words: a validator's may say too much (PARITY N-04). */
const argumentProblems = (tool, payload) => {
    const decode = Schema.decodeUnknownEffect(tool.parametersSchema);
    const onExcessProperty = Tool.getStrictMode(tool) === true ? "error" : "ignore";
    return Effect.match(decode(payload ?? {}, { errors: "all", onExcessProperty }), {
        onSuccess: () => "the arguments are not valid",
        onFailure: ({ issue }) => {
            const problems = format(issue).issues.map(({ path = [] }) => describe(payload ?? {}, path));
            return Array.from(new Set(problems)).join("; ");
        }
    });
};
const describe = (payload, path) => {
    const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
    if (keys.length === 0)
        return "the arguments are not valid";
    let value = payload;
    for (const key of keys) {
        if (!Predicate.isObject(value) || !Object.hasOwn(value, key))
            return `argument '${keys.join(".")}' is missing`;
        value = value[key];
    }
    return `argument '${keys.join(".")}' is not valid`;
};
/** Re-encoded arguments, when decoding added something to what was sent; a schema that cannot encode adds nothing. */
const generated = (tool, sent) => {
    const encode = Schema.encodeUnknownEffect(tool.parametersSchema);
    return (decoded) => Effect.match(encode(decoded), {
        onFailure: () => undefined,
        onSuccess: (encoded) => (addsTo(encoded, sent ?? {}) ? encoded : undefined)
    });
};
const addsTo = (encoded, sent) => Predicate.isObject(encoded) && !Array.isArray(encoded)
    ? !Predicate.isObject(sent) ||
        Object.entries(encoded).some(([key, value]) => value !== undefined && (!Object.hasOwn(sent, key) || addsTo(value, sent[key])))
    : false;
const descriptorOf = (tool, { tool: descriptor }) => {
    const type = descriptor.outputSchema?.type;
    return type === "string" || type === "null" || tool.successSchema === McpSchema.CallToolResult
        ? new McpSchema.Tool({ ...descriptor, outputSchema: undefined })
        : descriptor;
};
const toolRegistration = (server, tool, planned, registration, services, live) => {
    const { name } = tool;
    const pureString = registration.tool.outputSchema?.type === "string";
    const complete = (payload) => (exit, round) => {
        if (Exit.isSuccess(exit)) {
            const value = round.ending?._tag === "Value" ? round.ending.value : undefined;
            return Effect.succeed(present(name, pureString, exit.value, value));
        }
        return round.started
            ? Effect.failCause(exit.cause)
            : Effect.map(invalid(tool, payload, exit), (message) => errorResult(name, message));
    };
    return {
        ...registration,
        tool: descriptorOf(tool, registration),
        annotations: live.annotate(registration.annotations),
        services,
        handle: (payload) => Round.run({
            server,
            plan: planned.plan,
            method: "tools/call",
            target: name,
            arguments: payload,
            handle: registration.handle, // a toolkit's handler never gives an interim result
            generated: generated(tool, payload),
            complete: complete(payload),
            said: (message) => Effect.succeed(errorResult(name, message))
        }) // refusals become the wire's errors in the middleware that rides in `services`
    };
};
const invalid = (tool, payload, exit) => exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof McpSchema.InvalidParams)
    ? argumentProblems(tool, payload)
    : Effect.failCause(exit.cause);
/** Registers the tools of a toolkit; fails before it has touched the server when a graph cannot run. */
export const toolkit = Effect.fnUntraced(function* (toolkit, live) {
    const server = yield* McpServer.McpServer;
    const context = yield* Effect.context();
    const services = Context.merge(context, yield* Refusal.services);
    const planned = new Map();
    let handlers = context;
    for (const tool of Object.values(toolkit.tools)) {
        const plan = yield* Effect.fromResult(Tools.planOf(tool));
        planned.set(tool.name, { tool, planned: plan });
        const handler = Context.getOrUndefined(context, handlerKey(tool));
        if (handler !== undefined) {
            handlers = Context.add(handlers, handlerKey(tool), Tools.wrap(plan, handler, Plan.overridesOf(plan.plan, context)));
        }
    }
    const decorated = McpServer.McpServer.of({
        ...server,
        addTool: (registration) => {
            const { tool, planned: plan } = planned.get(registration.tool.name);
            return server.addTool(toolRegistration(server, tool, plan, registration, services, live));
        }
    });
    yield* Effect.updateContext(McpServer.registerToolkit(toolkit), (_) => Context.add(handlers, McpServer.McpServer, decorated));
});
const handlerKey = (tool) => Context.Service(tool.id);
