/**
 * Which revision of the protocol knows which question: one table, for every kind.
 *
 * Revisions before 2025-11-25 have no capability for a context of sampling: it could be asked for without one.
 */
import type { Capabilities } from "../base/questionErrors.ts"
import { missing } from "./capabilities.ts"

interface Known {
  readonly form: boolean
  readonly url: boolean
  readonly tools: boolean
  /** Whether a context needs a capability of its own. */
  readonly context: boolean
}

const early: Known = { form: false, url: false, tools: false, context: false }
const newest: Known = { form: true, url: true, tools: true, context: true }

const revisions: { readonly [version: string]: Known } = {
  "2024-11-05": early,
  "2025-03-26": early,
  "2025-06-18": { ...early, form: true }
}

const omitContext = ({ context: _, ...rest }: NonNullable<Capabilities["sampling"]>) => rest

/** What of `required` the other side cannot do: a revision without such a question is as good as a client without it. */
export const lacking = (
  protocolVersion: string,
  declared: Capabilities,
  required: Capabilities
): Capabilities | undefined => {
  const known = revisions[protocolVersion] ?? newest
  const { elicitation, sampling } = required
  const asked =
    known.context || sampling?.context === undefined ? required : { ...required, sampling: omitContext(sampling) }
  const unknown =
    (elicitation !== undefined && !known.form) ||
    (elicitation?.url !== undefined && !known.url) ||
    (sampling?.tools !== undefined && !known.tools)
  return unknown ? asked : missing(asked, declared)
}
