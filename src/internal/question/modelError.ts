/** Errors of questions inside effect/ai's `AiError`, and the way back. */
import * as AiError from "effect/ai/AiError"
import * as Cause from "effect/Cause"
import { type AskFailed, isQuestionError, MissingCapability, type QuestionError } from "../base/questionErrors.ts"

/** An `AiError` that stands for an error of a question. Who does not catch it has not caught the question's error. */
export class ModelError extends AiError.AiError {
  readonly question: AskFailed | MissingCapability
  constructor(question: AskFailed | MissingCapability) {
    super({ module: "Sampling", method: "languageModel", reason: reasonOf(question) })
    this.question = question
  }
}

const reasonOf = (error: AskFailed | MissingCapability): AiError.AiErrorReason => {
  const description = error.message
  if (error instanceof MissingCapability) return new AiError.InvalidRequestError({ description })
  switch (error.reason) {
    case "InvalidAnswer":
      return new AiError.InvalidOutputError({ description })
    case "Timeout":
      return new AiError.InternalProviderError({ description })
    case "ClientError":
      return new AiError.UnknownError({ description })
    case "Unavailable":
      return new AiError.InvalidRequestError({ description })
  }
}

/** The question error that an error is, or stands for. */
export const questionErrorIn = (error: unknown): QuestionError | undefined =>
  error instanceof ModelError ? error.question : isQuestionError(error) ? error : undefined

/**
 * The question error that a failure is or stands for. A missing capability counts behind `Effect.orDie`, too: it is
 * the client's to mend and no fault of the program, which can do nothing but declare `AiError` or die of it.
 */
export const questionErrorOf = (cause: Cause.Cause<unknown>): QuestionError | undefined => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return questionErrorIn(failure.error)
  for (const reason of cause.reasons) {
    if (!Cause.isDieReason(reason) || !(reason.defect instanceof ModelError)) continue
    if (reason.defect.question instanceof MissingCapability) return reason.defect.question
  }
  return undefined
}
