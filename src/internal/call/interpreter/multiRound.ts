/**
 * Questions that ride back inside the result (2026-07-28): the body suspends, the client answers and retries, and the
 * answer is found in the ledger of the next round.
 */
import * as Effect from "effect/Effect"
import type { Capabilities } from "../../base/questionErrors.ts"
import { lacking } from "../../question/revisions.ts"
import type { Calling } from "../calling.ts"
import { suspend } from "../suspension.ts"
import type { Interpreter } from "./interpreter.ts"

export interface Options {
  readonly calling: Calling
  readonly protocolVersion: string
  readonly declared: Capabilities
}

export const make = ({ calling, declared, protocolVersion }: Options): Interpreter => ({
  lacking: (required) => lacking(protocolVersion, declared, required),
  supports: (required) => Effect.sync(() => lacking(protocolVersion, declared, required) === undefined),
  put: (turn, question) =>
    Effect.suspend(() => {
      calling.ledger.put(turn, question)
      return suspend(turn.asker, calling.parked)
    })
})
