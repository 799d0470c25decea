/**
 * How a test learns which resolver a question on the back channel belongs to: the wire of 2025-11-25 and older carries no key.
 *
 * The engine announces a question right before it sends it; the test kit listens. Nothing on the wire changes, and
 * outside tests the reference keeps its default.
 */
import { Context, type Effect } from "effect"

/** A question about to be sent: its wire key, and what will be asked. */
export interface AnnouncedQuestion {
  readonly key: string
  readonly method: string
  readonly params: unknown
}

/** Called by the engine's back-channel interpreter right before it sends a question. */
export const CurrentQuestionObserver = Context.Reference<
  ((question: AnnouncedQuestion) => Effect.Effect<void>) | undefined
>("effect-resolve/internal/CurrentQuestionObserver", { defaultValue: () => undefined })

/** Called by `Resolver.override` for each replacement that is built, so that the test kit can report unused ones. */
export const CurrentOverrideObserver = Context.Reference<
  ((override: { readonly definition: { readonly key: string }; readonly used: boolean }) => void) | undefined
>("effect-resolve/internal/CurrentOverrideObserver", { defaultValue: () => undefined })
