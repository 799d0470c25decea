/**
 * Every sentence of the test kit, in one list, for whoever wrote the test: what happened, and what to do about it. What
 * the library says stands in `../../internal/messages.ts`.
 */

const quoted = (names: ReadonlyArray<string>) => names.map((name) => `'${name}'`).join(", ")

// ---------------------------------------------------------------- a script that does not fit its test

export const unscripted = (question: string, reason: string, keys: ReadonlyArray<string>) =>
  `A question without an answer: ${question}\n${reason} ${
    keys.length === 0 ? "The script is empty" : `The script has ${quoted(keys)}`
  }; give the peer one in 'answers'.`
export const noneOfItsKind = "No scripted answer of its kind is left."
export const noneOfItsKey = (key: string) => `No answer is scripted for '${key}'.`
export const usedUp = (count: number, key: string) => `The ${count} scripted for '${key}' are used up.`
export const partlyUsed = (key: string, used: number, count: number) => `'${key}' (${used} of ${count} used)`
export const unused = (answers: ReadonlyArray<string>) =>
  `Scripted answers that nobody asked for: ${answers.join(", ")}. Take them out, or see why the question is not asked.`
export const idleOverrides = (keys: ReadonlyArray<string>) =>
  `Resolver.override of ${keys.join(", ")}: no call used it. Take it out, or see why it is not reached.`
export const noHttp = "This peer is connected over stdio: there is no HTTP request"
export const peerDied = (defect: unknown) => `The peer died: ${String(defect)}`

// ---------------------------------------------------------------- a call that is not the same between its rounds

export const splitDiffers = (faults: ReadonlyArray<string>, what: string, straight: string, split: string) =>
  `With ${faults.join(", ")} between its rounds the call has other ${what}:\n  undisturbed: ${straight}\n  disturbed:   ${split}`
export const unstable = (key: string, first: string, second: string) =>
  `The question of '${key}' does not read the same when its round is run again:\n  first:  ${first}\n  second: ${second}\nWhat it shows must not depend on the time, on chance or on data that moves: durable values, Call.id and Call.startedAt stand still.`
export const erasDiffer = (name: string, ...outcomes: ReadonlyArray<readonly [version: string, outcome: unknown]>) =>
  `'${name}' comes out otherwise:${outcomes.map(([version, outcome]) => `\n  ${version}: ${JSON.stringify(outcome)}`).join("")}`

// ---------------------------------------------------------------- a server that does not keep to the protocol

export const otherProtocol = (asked: string, answered: unknown) =>
  `The server answered initialize for ${asked} with ${answered}; does its 'protocols' list hold ${asked}?`
export const noResponse = (method: string, status: number | undefined, body: string) =>
  `HTTP ${status} without a JSON-RPC response to '${method}'${body === "" ? "" : `: ${body}`}`
export const noJson = (text: string) => `The server sent what is no JSON: ${JSON.stringify(text)}`
export const noMessage = (value: unknown) => `The server sent what is no message: ${JSON.stringify(value)}`
export const strangeRequest = (method: string) =>
  `The server sent the request '${method}': 2026-07-28 has none (rule 99)`
export const strangeQuestion = (method: string) => `The server asked for '${method}', which no client answers`
export const undeclared = (method: string, capability: string) =>
  `The server asked for '${method}' though this client did not declare '${capability}'`
export const strangeAnswer = (id: unknown, answered: boolean) =>
  `The server answered request ${JSON.stringify(id)}, ${answered ? "twice" : "which the peer never sent"}`
export const noResultType = (method: string) => `The result of '${method}' has no resultType, which 2026-07-28 requires`
export const noRoundsThere = (method: string, protocol: string) =>
  `'${method}' was answered with input_required, which ${protocol} lacks`
export const nothingToAnswer = (method: string) =>
  `'${method}' asks for input with neither inputRequests nor requestState, of which 2026-07-28 requires one`
export const tooManyRounds = (method: string, keys: ReadonlyArray<string>, rounds: number) =>
  `'${method}' still asks ${keys.length === 0 ? "for more time" : quoted(keys)} after ${rounds} rounds; the peer gives up there`
export const notAcknowledged = (result: unknown) =>
  `The subscription ended before it was acknowledged: ${JSON.stringify(result)}`
export const strangeBeginning = (method: string) =>
  `A subscription began with '${method}' and not with its acknowledgement`
