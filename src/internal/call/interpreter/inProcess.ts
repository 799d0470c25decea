/** Questions of calls in process: they go to the services that the program provides. */
import type { Service } from "../../../Question.ts"
import type { Session } from "../memory.ts"
import { whileOpen } from "../stopwatch.ts"
import type { Interpreter } from "./interpreter.ts"

export const make = (session: Session, service: Service): Interpreter => ({
  supports: service.supports,
  ask: ({ asker }, question) => whileOpen(service.ask(question), asker, session.stopwatches)
})
