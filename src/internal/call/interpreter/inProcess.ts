/** Questions of calls in process: they go to the services that the program provides. */
import type { Service } from "../../base/questions.ts"
import type { Interpreter } from "./interpreter.ts"

export const make = (service: Service): Interpreter => ({
  // whoever answers knows what can be answered
  lacking: () => undefined,
  supports: service.supports,
  put: (_turn, question) => service.ask(question)
})
