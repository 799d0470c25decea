/**
 * Resolvers: values that a tool needs and that must not come from the model, each declared with the Effect that
 * obtains it for one call. Unrelated to Effect's `RequestResolver`.
 *
 * A resolver is an ordinary `Context.Service` key. List it in a tool (`Resolve.tool`) or in another resolver, and
 * `yield*` it there: by then it has been computed, once per call. What it needs, how it fails and whether it asks
 * stands in its type.
 *
 * The mistake to avoid: a side effect in a resolver that runs beside a question. List the question it must wait for,
 * and make it `durable` (DESIGN.md 3).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import * as Asker from "./internal/asker.js";
import * as Definition from "./internal/definition.js";
import { CurrentOverrideObserver } from "./internal/observer.js";
import * as Question from "./Question.js";
/**
 * Marks resolvers, and tells their types apart.
 *
 * @category models
 * @since 0.1.0
 */
export const TypeId = Definition.TypeId;
/**
 * A resolver took longer than its `timeout`. Like the errors of questions it needs no declaration by the tool: its
 * message may be shown.
 *
 * @category errors
 * @since 0.1.0
 */
export class TimedOut extends Schema.TaggedError()("TimedOut", {
    /** The key of the resolver. */
    resolver: Schema.String,
    /** Its limit, in words. */
    limit: Schema.String
}) {
    [Question.TypeId] = Question.TypeId;
    get message() {
        return `Resolver for '${this.resolver}' could not resolve: it took longer than ${this.limit}`;
    }
}
const define = (service, key, options) => {
    const { parameters, dependencies } = options;
    const result = Context.Service(`${key}.result`);
    const definition = {
        key,
        service,
        result,
        fields: parameters === undefined ? {} : Schema.isSchema(parameters) ? fieldsOf(key, parameters) : parameters,
        dependencies: typeof dependencies === "function" ? dependencies : () => dependencies ?? [],
        resolve: options.resolve,
        durable: options.durable,
        timeout: options.timeout === undefined ? undefined : Duration.fromInputUnsafe(options.timeout)
    };
    result[TypeId] = { definition, mode: "result" };
    return definition;
};
const fieldsOf = (key, schema) => {
    if ("fields" in schema)
        return schema.fields;
    throw new TypeError(`Resolver '${key}': parameters must be fields, a Schema.Struct or a Schema.Class`);
};
/**
 * Declares a resolver that is its own key: the class is what lists hold and what bodies yield.
 *
 * **Example** (Looking up the stock)
 *
 * ```ts
 * import { Context, Effect, Schema } from "effect"
 * import { Resolver } from "effect-resolve"
 *
 * class Inventory extends Context.Service<Inventory, {
 *   readonly copies: (title: string) => Effect.Effect<number>
 * }>()("Inventory") {}
 *
 * export class CheckStock extends Resolver.Service<CheckStock>()("bookshop/CheckStock", {
 *   parameters: { title: Schema.String },
 *   resolve: Effect.fn(function* ({ title }) {
 *     const inventory = yield* Inventory
 *     return { title, copies: yield* inventory.copies(title) }
 *   })
 * }) {}
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const Service = () => (key, options) => {
    const service = Context.Service()(key);
    const definition = define(service, key, options);
    service[TypeId] = { definition, mode: "value" };
    service.result = definition.result;
    return service;
};
/**
 * Declares a resolver for a `Context.Service` key that exists already, yours or a library's. The resolver goes in
 * lists; bodies yield the key. A key made in function style has no literal text for the compiler: give it as `key`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (key, options) => {
    const named = options.key;
    if (named !== undefined && named !== key.key) {
        throw new TypeError(`Resolver.make: the key's text is '${key.key}', not '${named}'`);
    }
    const definition = define(key, key.key, options);
    // the phantoms of the type are not there at run time
    return {
        [TypeId]: { definition, mode: "value" },
        key: key.key,
        Identifier: undefined,
        Service: undefined,
        result: definition.result
    };
};
/**
 * A Layer for tests that replaces a resolver's `resolve`, by a value or by another `resolve`: a function is taken for
 * one. Its dependencies stay as they are. It applies wherever the Layer reaches, also to finished registrations; one
 * that no plan used is an error of the test kit.
 *
 * @category testing
 * @since 0.1.0
 */
export const override = (resolver, to) => Layer.effectContext(Effect.map(Effect.context(), (context) => {
    // a resolver's type id holds its definition at run time
    const { definition } = Definition.referenceOf(resolver);
    const override = {
        definition,
        resolve: typeof to === "function" ? to : () => Effect.succeed(to),
        context: context,
        used: false
    };
    Context.get(context, CurrentOverrideObserver)?.(override);
    return Context.make(Definition.overrideKey(definition.key), override);
}));
/**
 * Tells a finalizer that the round ended with a question open, and not with a cancelled call: the same call goes on
 * in a later round (rule I11).
 *
 * @category guards
 * @since 0.1.0
 */
export const isSuspended = Asker.isSuspended;
