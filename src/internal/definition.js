/** What a resolver is at run time. It rides on the resolver's value, under its type id. */
import * as Context from "effect/Context";
export const TypeId = "~effect-resolve/Resolver";
/** The resolver behind an element of a list, if it is one. */
export const referenceOf = (u) => (typeof u === "function" || typeof u === "object") && u !== null && TypeId in u
    ? u[TypeId]
    : undefined;
export const overrideKey = (key) => Context.Service(`effect-resolve/Resolver/override/${key}`);
