/**
 * The questions of a call: what was shown, what was answered, what was read, in which order. The rules about several
 * questions of one body, about answers that count (I3) and about questions that keep changing (I13) stand here and
 * nowhere else, for both protocol eras and in process.
 *
 * A question is known by its wire key, which is its resolver's with its label. Each time a body asks it is a turn.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import { AskFailed } from "../base/questionErrors.ts"
import type { Method, Question } from "../base/questions.ts"
import * as Text from "../base/sentences.ts"
import { type Asker, inPlanOrder, keyOf, outermost } from "./asker.ts"
import type { Kind, Questions, Recorded } from "./memory.ts"

/** One question on its way: who asks, under which wire key, and the how-manieth of that key in this run. */
export interface Turn {
  readonly asker: Asker
  readonly key: string
  readonly count: number
  /** The canonical text of the question. */
  readonly text: string
}

/** A question of this round that waits for its answer. */
export interface Pending {
  readonly turn: Turn
  readonly order: number
  readonly method: Method
  readonly params: { readonly [key: string]: unknown } | undefined
}

/** What became of a question in this run. */
interface Entry {
  turns: number
  /** How often its answer has been given. */
  given: number
  state: "open" | "answered" | "failed"
  /** Of the call whose body asked. */
  sequence: number
  text: string
  exit: Exit.Exit<any, any>
}

/** One body of the outer call with the calls made inside it. */
interface Run {
  /** How many of its questions have failed. */
  failures: number
  /** Whether an answer that came with this round has found its question. */
  found: boolean
  /** Who asked a question of another text than the one that was shown or recorded for its turn. */
  changed: Asker | undefined
}

const digestOf = (text: string): string => Base64Url.encode(sha256(new TextEncoder().encode(text)).subarray(0, 16))

const kindOf = (method: Method, data: unknown): Kind => {
  if (method !== "elicitation/create") return "answer"
  return (data as { readonly action: "accept" | "decline" | "cancel" }).action
}

export const toAnswer = ({ kind, data }: Recorded): unknown =>
  kind === "answer" || kind === "taken"
    ? data
    : kind === "accept"
      ? { action: "accept", content: data }
      : { action: kind }

const invalidOf = (exit: Exit.Exit<unknown, unknown>): AskFailed | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Cause.findErrorOption(exit.cause)
  return Option.isSome(error) && error.value instanceof AskFailed && error.value.reason === "InvalidAnswer"
    ? error.value
    : undefined
}

const fresh = (state: Entry["state"]): Entry => ({
  turns: 0,
  given: 0,
  state,
  sequence: 0,
  text: "",
  exit: Exit.void
})

/** A turn, an answer that is given again, or why there can be neither. */
export type Begun =
  | { readonly _tag: "Turn"; readonly turn: Turn }
  | { readonly _tag: "Again"; readonly exit: Exit.Exit<any, any> }
  | { readonly _tag: "Refused"; readonly detail: string }

export class Ledger {
  readonly #questions: Questions
  /** What came with this round, before any of it was taken. */
  readonly #sent: ReadonlyArray<string>
  readonly #entries = new Map<string, Entry>()
  readonly #runs = new Map<Asker, Run>()
  readonly #pending = new Map<string, Pending>()
  #calls = 0
  /** Answers that have found their question in this round. */
  readonly #taken = new Set<Recorded>()

  constructor(questions: Questions) {
    this.#questions = questions
    this.#sent = Array.from(questions.fresh.keys()).filter((key) => questions.shown.has(key))
  }

  /** The questions that wait for an answer, in plan order. */
  get pending(): ReadonlyArray<Pending> {
    return Array.from(this.#pending.values()).sort(
      (a, b) => inPlanOrder(a.turn.asker, b.turn.asker) || a.order - b.order
    )
  }

  /** The digests of what is shown now, for the next round. */
  get shown(): ReadonlyMap<string, string> {
    return new Map(Array.from(this.#pending.values(), ({ turn }) => [turn.key, digestOf(turn.text)]))
  }

  // -------------------------------------------------------------- turns

  /**
   * Asked again after it failed, a question is asked anew. Asked again in the same words after it was answered, it
   * gives the same answer, at most once for each question of that run that has failed: a `retry` around a block asks
   * only for what was wrong.
   */
  begin(asker: Asker, key: string, label: string | undefined, text: string): Begun {
    const entry = this.#entries.get(key) ?? fresh("failed")
    if (entry.state === "open") return { _tag: "Refused", detail: Text.askedTwice(label) }
    if (entry.state === "answered") {
      // a call that is made again inside a call is a run of its own
      const again = entry.sequence !== asker.sequence
      if (!again && entry.given > this.#runOf(asker).failures) {
        return { _tag: "Refused", detail: Text.askedTwice(label) }
      }
      if (entry.text === text) {
        entry.given = again ? 1 : entry.given + 1
        entry.sequence = asker.sequence
        return { _tag: "Again", exit: entry.exit }
      }
    }
    entry.state = "open"
    entry.text = text
    entry.sequence = asker.sequence
    this.#entries.set(key, entry)
    return { _tag: "Turn", turn: { asker, key, count: entry.turns++, text } }
  }

  /** The label of a question whose label is a stem: the first turn that has not been answered and is not open. */
  labelOf(asker: Asker, stem: string): string {
    for (let count = 1; ; count++) {
      const label = count === 1 ? stem : `${stem}-${count}`
      const entry = this.#entries.get(keyOf(asker, label))
      if (entry === undefined || entry.state === "failed") return label
    }
  }

  /** An ask that was interrupted has not happened: it spends no turn. */
  end({ asker, key }: Turn, exit: Exit.Exit<any, any>): void {
    const entry = this.#entries.get(key)!
    entry.state = Exit.isSuccess(exit) ? "answered" : "failed"
    entry.exit = exit
    if (Exit.isSuccess(exit)) entry.given++
    else if (Cause.hasInterruptsOnly(exit.cause)) entry.turns--
    else this.#runOf(asker).failures++
  }

  /**
   * A call made inside a call: once under one path, and again when it has failed. Gives which call of the round it is, or
   * `undefined` when it may not begin.
   */
  enter(path: string): number | undefined {
    const entry = this.#entries.get(path)
    if (entry !== undefined && entry.state !== "failed") return undefined
    this.#entries.set(path, fresh("open"))
    return ++this.#calls
  }

  leave(asker: Asker, path: string, outcome: "answered" | "failed" | "suspended"): void {
    this.#entries.get(path)!.state = outcome === "answered" ? "answered" : "failed"
    // a failure beats a pending question here, too; what its caller's own question has cut off is still to be asked
    if (outcome === "suspended" || asker.pending) return
    for (const key of this.#pending.keys()) if (key.startsWith(path)) this.#pending.delete(key)
  }

  // -------------------------------------------------------------- answers

  /**
   * The answer to a turn, which is taken as it came before anything reads it: a reader that is cut off loses nothing.
   * An answer counts only for the exact question that was shown (I3).
   */
  find({ asker, key, count, text }: Turn): Recorded | undefined {
    const { fresh, recorded, shown } = this.#questions
    const answers = recorded.get(key)
    // nothing can be known of it yet: no digest
    if (answers === undefined && !shown.has(key)) return undefined
    const known = answers?.[count]
    const sent = known === undefined && fresh.has(key) && (answers?.length ?? 0) === count ? shown.get(key) : undefined
    const pinned = known?.digest ?? sent
    if (pinned === undefined) {
      asker.again = Text.noAnswerCounts
      return undefined
    }
    if (pinned !== digestOf(text)) {
      if (known === undefined) fresh.delete(key)
      asker.again = Text.questionChanged
      this.#runOf(asker).changed ??= asker
      return undefined
    }
    if (known !== undefined) return known
    const taken: Recorded = { digest: pinned, kind: "taken", data: fresh.get(key) }
    recorded.set(key, [...(answers ?? []), taken])
    fresh.delete(key)
    this.#runOf(asker).found = true
    this.#taken.add(taken)
    return taken
  }

  /**
   * An answer has been read. Tells whether it counts: a recorded one that no longer fits is asked again, a fresh one is
   * what the asker must hear of.
   */
  read({ asker, key, count }: Turn, method: Method, exit: Exit.Exit<unknown, unknown>): boolean {
    const answers = this.#questions.recorded.get(key)!
    const recorded = answers[count]!
    const { digest, kind, data } = recorded
    const invalid = invalidOf(exit)
    if (invalid !== undefined && !this.#taken.has(recorded)) {
      asker.again = Text.noAnswerCounts
      return false
    }
    if (kind !== "taken") return true
    // of one that did not fit what was wrong with it and not what it was: a replay fails with the same words
    if (invalid !== undefined) answers[count] = { digest, kind: "invalid", data: invalid.detail }
    else {
      const final = kindOf(method, data)
      answers[count] =
        final === "answer"
          ? { digest, kind: final, data }
          : final === "accept"
            ? { digest, kind: final, data: (data as { readonly content?: unknown }).content ?? undefined }
            : { digest, kind: final }
    }
    return true
  }

  /** A question that this round cannot answer: it goes out, and what was recorded from there on is not asked any more. */
  put(turn: Turn, { method, params }: Question<unknown, unknown>): void {
    const answers = this.#questions.recorded.get(turn.key)
    if (answers !== undefined) answers.length = Math.min(answers.length, turn.count)
    const order = this.#pending.get(turn.key)?.order ?? this.#pending.size
    this.#pending.set(turn.key, { turn, order, method, params })
  }

  // -------------------------------------------------------------- the end of a round

  /**
   * Settles a round that ends with questions open. Answers that nobody looked for are kept for the round that reaches
   * their question (I15). Gives the sentence with which a call ends whose questions keep changing (I13): stale is a
   * round in which one has changed, or in which a resolver found a question for none of its answers and asked all the
   * same; a round in which one is found ends the row.
   */
  settle(maxStale: number): string | undefined {
    const { stale } = this.#questions
    let ended: string | undefined
    const waiting = new Map<Asker, Asker>()
    for (const { turn } of this.pending) {
      const outer = outermost(turn.asker)
      if (!waiting.has(outer)) waiting.set(outer, turn.asker)
      this.#runOf(turn.asker)
    }
    for (const [outer, { changed, found }] of this.#runs) {
      const key = outer.wireKey
      if (found) {
        stale.delete(key)
        continue
      }
      const asking = waiting.get(outer)
      const unlooked = asking !== undefined && this.#sent.some((sent) => belongs(sent, key))
      if (changed === undefined && !unlooked) continue
      const count = (stale.get(key) ?? 0) + 1
      stale.set(key, count)
      if (count >= maxStale) ended ??= Text.changing((changed ?? asking ?? outer).key, count)
    }
    this.#keep()
    return ended
  }

  #keep(): void {
    const { fresh, recorded, shown } = this.#questions
    for (const [key, data] of fresh) {
      const digest = shown.get(key)
      if (digest === undefined) continue
      recorded.set(key, [...(recorded.get(key) ?? []), { digest, kind: "taken", data }])
      fresh.delete(key)
    }
  }

  #runOf(asker: Asker): Run {
    const outer = outermost(asker)
    const known = this.#runs.get(outer)
    if (known !== undefined) return known
    const run: Run = { failures: 0, found: false, changed: undefined }
    this.#runs.set(outer, run)
    return run
  }
}

// labels and the calls inside a body are set off by characters that no key holds
const belongs = (key: string, owner: string): boolean =>
  key === owner || key.startsWith(`${owner}#`) || key.startsWith(`${owner}>`)
