/**
 * JSON-RPC errors as the protocol has them: `code`, `message` and `data`. effect/ai and effect/rpc write their own
 * errors with more than that, which tells a client nothing and is nobody's business.
 */
import { Predicate, Result } from "effect"
import * as Text from "../../base/sentences.ts"

const internalErrorCode = -32603

const plainError = (error: { readonly [member: string]: unknown }) => {
  // the whole report of what went wrong inside
  if (error._tag === "Cause" || error._tag === "Defect" || !Number.isInteger(error.code)) {
    return { code: internalErrorCode, message: Text.internal }
  }
  const { code, data, message } = error
  return data === undefined ? { code, message } : { code, message, data }
}

const plainMessage = (message: unknown): unknown =>
  Predicate.isReadonlyObject(message) && Predicate.isReadonlyObject(message.error) && "_tag" in message.error
    ? { ...message, error: plainError(message.error) }
    : message

/** One message or batch as text, with the errors in it as the protocol has them. */
export const plainErrors = (text: string): string => {
  // the usual text is looked at for a mark only
  if (!text.includes('"_tag":"') || !text.includes('"error":{')) return text
  const parsed = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  const plain = Array.isArray(parsed) ? parsed.map(plainMessage) : plainMessage(parsed)
  return plain === parsed ? text : `${JSON.stringify(plain)}${text.endsWith("\n") ? "\n" : ""}`
}
