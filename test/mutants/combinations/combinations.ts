/**
 * Mutants of combinations: each lets two parts of a call disagree, about who waits, what was answered, what has settled or
 * how the round ended. No test names them: the generators of `test/difference` alone must notice.
 */
import { readFileSync } from "node:fs"

const root = new URL("../../../", import.meta.url)

export interface Combination {
  /** What is no longer so. */
  readonly name: string
  /** Relative to the root. */
  readonly file: string
  /** A text that stands there once. */
  readonly before: string
  readonly after: string
  /** Whose generators are asked first; the others are asked when these see nothing. */
  readonly by: "bodies" | "graphs"
}

const of =
  (by: Combination["by"], file: string) =>
  (name: string, before: string, after: string): Combination => ({ name, file, before, after, by })

const ledger = of("bodies", "src/internal/call/ledger.ts")
const nodes = of("graphs", "src/internal/call/nodes.ts")
const asking = of("bodies", "src/internal/call/asking.ts")
const suspension = of("bodies", "src/internal/call/suspension.ts")
const body = of("graphs", "src/internal/call/body.ts")
const durable = of("graphs", "src/internal/call/durable.ts")
const exit = of("graphs", "src/internal/call/exit.ts")
const inputs = of("graphs", "src/internal/call/inputs.ts")
const call = of("bodies", "src/internal/call/call.ts")
const round = of("graphs", "src/internal/mcp/round.ts")
const inProcess = of("bodies", "src/internal/mcp/inProcess.ts")
const backChannel = of("bodies", "src/internal/call/interpreter/backChannel.ts")

export const combinations: ReadonlyArray<Combination> = [
  // the ledger and the bodies that ask
  ledger("an ask that is interrupted spends its turn", "entry.turns--", "entry.turns += 0"),
  ledger("an answered question is put anew", 'if (entry.state === "answered") {', 'if (entry.text === "") {'),
  ledger("every turn of a question is its first", "count: entry.turns++", "count: entry.turns"),
  ledger(
    "an answer that was taken stays there for the next turn",
    "    fresh.delete(key)\n    this.#runOf(asker).found = true",
    "    this.#runOf(asker).found = true"
  ),
  ledger("a round that finds an answer counts as stale", "    this.#runOf(asker).found = true\n", ""),
  ledger(
    "what was answered after a question that is put again stays",
    "answers.length = Math.min(answers.length, turn.count)",
    "answers.length += 0"
  ),
  ledger(
    "an answer that did not fit is kept as if it had",
    "if (invalid !== undefined) answers[count]",
    "if (false) answers[count]"
  ),
  ledger("two answers are swapped", "data: fresh.get(key) }", "data: Array.from(fresh.values())[0] }"),
  ledger(
    "a question is known by its key and not by its words",
    "[turn.key, digestOf(turn.text)]",
    "[turn.key, digestOf(turn.key)]"
  ),
  ledger(
    "the pending question of a turn is lost to one beside it",
    "this.#pending.set(turn.key, {",
    "this.#pending.clear()\n    this.#pending.set(turn.key, {"
  ),
  asking(
    "a fresh answer is handed over at once",
    "return Effect.andThen(Effect.yieldNow, this.#read(turn, question, recorded))",
    "return this.#read(turn, question, recorded)"
  ),
  // suspension, and who waits for it
  suspension("a body that waits for an answer is not pending", "    asker.pending = true\n", ""),
  call(
    "what a pending body makes of its interruption ends the call",
    "asker.pending ? invocation.suspend : judge(invocation, exit, true)",
    "judge(invocation, exit, true)"
  ),
  call(
    "the end of a call inside a call ends the outer one",
    "if (parent === undefined) calling.end()",
    "calling.end()"
  ),
  inProcess(
    "a call inside a call does not suspend its caller",
    'exit._tag === "Suspended" ? suspend(outer.asker, calling.parked) : give(plan, exit)',
    "give(plan, exit)"
  ),
  backChannel(
    "a question waits until no resolver will ever start",
    "Effect.andThen(Effect.andThen(Effect.yieldNow, calling.paused), open)",
    "Effect.andThen(Effect.andThen(calling.paused, Effect.never), open)"
  ),
  // nodes and their consumers
  nodes(
    "what ends with the round starts its queue again",
    "    this.#resume = undefined\n    this.#limits?.stopAll()",
    "    this.#limits?.stopAll()"
  ),
  nodes(
    "a node that waits for an answer has failed",
    "asker?.pending === true ? pending : named",
    "asker === undefined ? pending : named"
  ),
  nodes(
    "a waiter that leaves takes what others wait for with it",
    "this.#unwanted?.has(node) || --wants[node]! > 0",
    "this.#unwanted?.has(node)"
  ),
  nodes(
    "a failure does not end the round at once",
    "if (this.#call.plan.decisive.has(consumer)) {\n      // whatever",
    "if (this.#call.plan.decisive.has(-1)) {\n      // whatever"
  ),
  nodes(
    "a restored durable value wants its dependencies",
    "this.#waits[index] = restored?.has(index) ? 0 : dependencies.length",
    "this.#waits[index] = dependencies.length"
  ),
  nodes(
    "a durable value is computed in every round",
    "calling.memory.durable.has(path)) return restored",
    'calling.memory.durable.has(path) && path === "") return restored'
  ),
  nodes(
    "what still runs does not end with the round",
    "return Fiber.interruptAll(this.#fibers.filter((fiber) => fiber !== undefined))",
    "return Effect.void"
  ),
  inputs(
    "a failure of a result is a failure of its consumer",
    'edge.mode === "result" && isTyped(cell)',
    'edge.mode === "result" && !isTyped(cell)'
  ),
  body(
    "a durable body is interrupted by what happens beside it",
    "Effect.uninterruptible(Effect.flatMap(resolving, (value) => keep(calling, definition, asker, value)))",
    "Effect.flatMap(resolving, (value) => keep(calling, definition, asker, value))"
  ),
  durable("a durable value is not remembered", "    memory.durable.set(path, encoded)\n", ""),
  // what the next round is told, and what finalizers are
  round(
    "durable values do not ride in the state",
    "stale, durable, args, trace })",
    "stale, durable: new Map(), args, trace })"
  ),
  round("answers do not ride in the state", "pack({ id, recorded, shown", "pack({ id, recorded: new Map(), shown"),
  exit("a suspended round is a success to finalizers", "return Exit.failCause(suspendedCause)", "return Exit.void"),
  exit("a broken call is a success to finalizers", "return Exit.failCause(exit.cause)", "return Exit.void"),
  exit("a call that has failed is a success to finalizers", "return Exit.fail(exit.error)", "return Exit.void")
]

/** The file with its new text; throws when the change has no place, or more than one. */
export const applied = ({ after, before, file, name }: Combination): string => {
  const text = readFileSync(new URL(file, root), "utf8")
  const count = text.split(before).length - 1
  if (count !== 1) throw new Error(`'${name}': found ${count} times in ${file}, not once: ${before}`)
  return text.replace(before, () => after)
}
