/**
 * What the three kinds of question share: forms and URLs (`Elicitation`), the client's model (`Sampling`) and its
 * roots (`Roots`). Here are the errors that any question can end with, the limits on a question, and the shape in
 * which a question reaches whoever answers it.
 *
 * A question is a service call. Who answers is decided by the transport, not by the program: on 2026-07-28 the
 * question rides back inside the result and the client retries; on older protocols the server sends the client a
 * request mid-call; in process the implementation is yours.
 *
 * Never catch these errors to carry on as if the person had said yes: `Declined`, `Cancelled`, `AskFailed` and
 * `MissingCapability` are four different things.
 *
 * @since 0.1.0
 */

export {
  AskFailed,
  type AskFailedReason,
  type Capabilities,
  isQuestionError,
  MissingCapability,
  type QuestionError,
  TypeId
} from "./internal/base/questionErrors.ts"
export {
  CallTimeout,
  MaxStaleAnswers,
  type Method,
  type Question,
  type Service,
  Timeout
} from "./internal/base/questions.ts"
