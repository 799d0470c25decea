/**
 * The client's roots as a question: the folders and files that the client says the server may work in.
 *
 * Deprecated by SEP-2577, and supported for clients that have them: a new server should take a path or a resource URI
 * as a tool argument or from its own configuration. Roots are guidance and not access control: resolve `..` and links
 * before comparing a path with a root (https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Roots } from "./internal/base/keys.ts"
import type { AskFailed, MissingCapability } from "./internal/base/questionErrors.ts"
import { ask } from "./internal/question/ask.ts"
import { unavailable } from "./internal/question/elicitation.ts"
import * as Question_ from "./internal/question/roots.ts"

export { Roots } from "./internal/base/keys.ts"
export type { Root } from "./internal/question/roots.ts"

/**
 * Asks the client for its roots. An empty list is an answer, too: the client has none to offer.
 *
 * The question has no label: in a body that asks more, label the others. Deprecated by SEP-2577.
 *
 * Fails with `Question.MissingCapability`, or with `Question.AskFailed`: `InvalidAnswer` when a root is no `file://`
 * URI (https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
 *
 * @category constructors
 * @since 0.1.0
 */
export const list: Effect.Effect<ReadonlyArray<Question_.Root>, MissingCapability | AskFailed, Roots> = ask(Roots, () =>
  Effect.succeed(Question_.list)
)

/**
 * Tells whether the client declared that it has roots. Nothing is sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const supported: Effect.Effect<boolean, never, Roots> = Roots.use((service) => service.supports({ roots: {} }))

/**
 * Implements `Roots` with an Effect of yours, for programs without a client; it runs for each question.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  roots: Effect.Effect<ReadonlyArray<Question_.Root>, never, R>
): Layer.Layer<Roots, never, R> =>
  Layer.effect(
    Roots,
    Effect.map(Effect.context<R>(), (context) => Question_.inProcess(Effect.provideContext(roots, context)))
  )

/**
 * For programs without roots: every question fails with `Question.AskFailed`, reason `Unavailable`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerUnavailable: Layer.Layer<Roots> = Layer.succeed(Roots, unavailable())
