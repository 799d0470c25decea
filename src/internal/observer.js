/**
 * How a test learns which resolver a question on the back channel belongs to: the wire of 2025-11-25 and older carries no key.
 *
 * The engine announces a question right before it sends it; the test kit listens. Nothing on the wire changes, and
 * outside tests the reference keeps its default.
 */
import { Context } from "effect";
/** Called by the engine's back-channel interpreter right before it sends a question. */
export const CurrentQuestionObserver = Context.Reference("effect-resolve/internal/CurrentQuestionObserver", { defaultValue: () => undefined });
/** Called by `Resolver.override` for each replacement that is built, so that the test kit can report unused ones. */
export const CurrentOverrideObserver = Context.Reference("effect-resolve/internal/CurrentOverrideObserver", { defaultValue: () => undefined });
