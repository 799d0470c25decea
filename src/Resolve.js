import * as McpServer from "effect/ai/McpServer";
import * as Tool from "effect/ai/Tool";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import { ElicitationError } from "./Elicitation.js";
import * as InProcess from "./internal/inProcess.js";
import * as Live from "./internal/live.js";
import * as Plan from "./internal/plan.js";
import * as Register from "./internal/register.js";
import * as Tools from "./internal/tools.js";
export { 
/**
 * A graph that cannot run, in the error channel of the registration (rule I12).
 *
 * @category errors
 * @since 0.1.0
 */
InvalidSignature } from "./internal/plan.js";
/**
 * Declares a tool: effect/ai's `Tool.make`, with resolvers in `dependencies`.
 *
 * A resolver in the list is computed before the body runs, and `yield*` gives its value there; its `.result` gives its
 * failure as a value. Any other key in the list is a service that exists for one request, which a middleware
 * (`McpServer.middleware`) must give. A body asks only when its tool lists a question service: then it is run again
 * from its start in each round. `Call`, `McpContext` and a `Scope` are there for every body.
 *
 * What a resolver reads must be an argument of the tool, and what it can fail with must be in `failure`; both are
 * compile errors otherwise, and are checked again when the tool is registered or called.
 *
 * **Example** (Declaring a tool)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Resolve, Resolver } from "effect-resolve"
 *
 * class Price extends Resolver.Service<Price>()("shop/Price", {
 *   parameters: { title: Schema.String },
 *   resolve: ({ title }) => Effect.succeed(title.length)
 * }) {}
 *
 * export const Quote = Resolve.tool("quote", {
 *   parameters: Schema.Struct({ title: Schema.String }),
 *   success: Schema.String,
 *   dependencies: [Price]
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const tool = (name, options) => {
    const { dependencies, ...rest } = options ?? {};
    const list = Tools.thunk(dependencies);
    const failure = rest.failure ?? Schema.Never;
    // a thunk is not called here: what it refers to may not exist yet
    const asks = typeof dependencies === "function" || Tools.asks(list());
    const made = Tool.make(name, {
        ...rest,
        failure: asks ? Schema.Union([failure, ElicitationError]) : failure
    });
    // the list and its marker are ours: effect/ai's types know nothing of them
    return made.annotate(Tools.List, list);
};
/**
 * Registers the tools of a toolkit with the server, plain `Tool.make` tools among them, and retires them when the
 * Layer's scope closes. Fails with `InvalidSignature` before a client connects when a graph cannot run (rule I12).
 *
 * Calls begin as on effect/ai; what differs is decided in DESIGN.md 9: error results begin with
 * `Error executing tool <name>:`, strings arrive as plain text, and a `McpSchema.CallToolResult` passes through.
 *
 * @category layers
 * @since 0.1.0
 */
export const toolkit = (toolkit) => Layer.effectDiscard(Effect.gen(function* () {
    const live = Live.make(yield* McpServer.McpServer, "tools");
    yield* Register.toolkit(toolkit, live);
    yield* Effect.addFinalizer(() => live.retire);
})); // the requirements are in the type above: effect/ai's registration asks for the handlers only
// ---------------------------------------------------------------- in process
/**
 * The arguments of `Resolve.call` do not decode, or are not what a resolver can read.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidArguments extends Schema.TaggedError()("InvalidArguments", {
    tool: Schema.String,
    message: Schema.String
}) {
}
/**
 * Runs one tool's resolvers and body in process, no server. Arguments are given as a client sends them, the success
 * comes out decoded, and question errors are typed. It requires the app services, request-level keys and question
 * services of that one tool; a graph that cannot run is a defect here.
 *
 * Inside a call it joins that call: its durable values and its questions are those of the outer one. Two calls of one
 * tool in one body are told apart by a `label`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const call = (toolkit, name, args, options) => 
// what the context must hold is in the type above
InProcess.call(toolkit.tools[name], args, options?.label, (message) => new InvalidArguments({ tool: name, message }));
/**
 * Gives what `yield* toolkit` gives, with the resolvers run around each body, so that the same toolkit serves
 * `LanguageModel.generateText({ toolkit })`. App services and question services are required once, here; question
 * errors are part of a tool's failure, thrown or returned as its `failureMode` says.
 *
 * @category combinators
 * @since 0.1.0
 */
export const withHandlers = (toolkit) => 
// the tools are rebuilt with wider failures: the mapped type above says which
InProcess.withHandlers(toolkit);
/**
 * Draws the plans of a toolkit as an `effect/Graph`: an edge leads from what is needed to what needs it, and its data
 * says whether it is consumed as a value or as a `.result`. `Graph.toMermaid` renders it.
 *
 * @category combinators
 * @since 0.1.0
 */
export const graph = (toolkit) => Effect.map(Effect.forEach(Object.values(toolkit.tools), (tool) => Effect.fromResult(Tools.planOf(tool))), (planned) => Plan.toGraph(planned.map(({ plan }) => plan)));
