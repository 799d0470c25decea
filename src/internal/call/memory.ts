/**
 * What a call remembers from one round to the next: on the wire it rides in the sealed state. Calls made inside a call
 * share it.
 *
 * Answers and durable values are only ever added to: a round that does not reach them carries them forward (I15).
 */
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"

/**
 * How an answer was recorded. Refusals and answers that did not fit are outcomes too, so that a retry replays alike; one
 * that was `taken` has found its question, and has not been read to its end.
 */
export type Kind = "accept" | "decline" | "cancel" | "answer" | "invalid" | "taken"

/** A recorded answer, pinned to the digest of the question that was shown (I3). */
export interface Recorded {
  readonly digest: string
  readonly kind: Kind
  /** As parsed from the wire, never a re-encoding of the decoded value. */
  readonly data?: unknown
}

/** What was asked and answered, by wire key. The ledger alone writes to it. */
export interface Questions {
  /** Answers in the order of a question's turns. */
  readonly recorded: Map<string, Array<Recorded>>
  /** The digests of what was shown in the last round. */
  readonly shown: ReadonlyMap<string, string>
  /** Answers that came with this request; each is taken once. */
  readonly fresh: Map<string, unknown>
  /** How many rounds in a row the questions of a resolver were stale (I13). */
  readonly stale: Map<string, number>
}

export interface Memory {
  readonly id: string
  readonly startedAt: number
  readonly questions: Questions
  /** Encoded durable values, by path and key. */
  readonly durable: Map<string, unknown>
  /** Arguments re-encoded after decoding, when decoding added to what was sent (I6). */
  args: unknown
}

/** Made for each call, and most calls touch nothing of it: its parts are made when they are first looked at. */
class Fresh implements Memory {
  readonly startedAt: number
  args: unknown = undefined
  private ownId: string | undefined = undefined
  private ownQuestions: Questions | undefined = undefined
  private ownDurable: Map<string, unknown> | undefined = undefined
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }
  get id() {
    return (this.ownId ??= uuidV4Unsafe())
  }
  get questions() {
    return (this.ownQuestions ??= { recorded: new Map(), shown: new Map(), fresh: new Map(), stale: new Map() })
  }
  get durable() {
    return (this.ownDurable ??= new Map())
  }
}

/** The memory of a call that begins. */
export const make = (startedAt: number): Memory => new Fresh(startedAt)

/** The key whose recorded values weigh most, for the error that a state too large ends with. */
export const heaviest = ({ questions, durable }: Memory): string | undefined => {
  let found: readonly [string, number] | undefined
  const weigh = (key: string, value: unknown) => {
    const weight = JSON.stringify(value)?.length ?? 0
    if (found === undefined || weight > found[1]) found = [key, weight]
  }
  for (const [key, answers] of questions.recorded) weigh(key, answers)
  for (const [key, value] of durable) weigh(key, value)
  return found?.[0]
}
