/** Client capabilities: what is missing of what is required, and several wants in one. */
import type { Capabilities } from "../base/questionErrors.ts"

/** What of `required` the client did not declare, as deep as needed; `undefined` when nothing is missing. */
export const missing = (required: Capabilities, declared: Capabilities): Capabilities | undefined => {
  const lacks: { -readonly [K in keyof Capabilities]: Capabilities[K] } = {}
  const { elicitation, sampling } = required
  if (elicitation !== undefined && declared.elicitation === undefined) lacks.elicitation = elicitation
  if (elicitation !== undefined && declared.elicitation !== undefined) {
    // an empty object declares forms; a url alone does not
    const form = declared.elicitation.form !== undefined || declared.elicitation.url === undefined
    const lack = {
      ...(elicitation.form !== undefined && !form ? { form: {} } : {}),
      ...(elicitation.url !== undefined && declared.elicitation.url === undefined ? { url: {} } : {})
    }
    if (Object.keys(lack).length > 0) lacks.elicitation = lack
  }
  if (sampling !== undefined) {
    const lack = {
      ...(sampling.tools !== undefined && declared.sampling?.tools === undefined ? { tools: {} } : {}),
      ...(sampling.context !== undefined && declared.sampling?.context === undefined ? { context: {} } : {})
    }
    if (declared.sampling === undefined || Object.keys(lack).length > 0) lacks.sampling = lack
  }
  if (required.roots !== undefined && declared.roots === undefined) lacks.roots = {}
  return Object.keys(lacks).length === 0 ? undefined : lacks
}

export const merge = (left: Capabilities, right: Capabilities): Capabilities => ({
  ...(left.elicitation || right.elicitation ? { elicitation: { ...left.elicitation, ...right.elicitation } } : {}),
  ...(left.sampling || right.sampling ? { sampling: { ...left.sampling, ...right.sampling } } : {}),
  ...(left.roots || right.roots ? { roots: {} } : {})
})
