/** A body that may ask: a resolver's, or that of a tool, prompt or resource. */
import type * as Context from "effect/Context"
import type * as Fiber from "effect/Fiber"
import { escape } from "../graph/definition.ts"
import * as Ask from "../question/ask.ts"

// a class: one is made for each body that runs
export class Asker {
  /** The resolver's own key (a body's is its tool's name): what sentences name. */
  readonly key: string
  /** The key on the wire: inside a nested call it is prefixed with the path of the call. */
  readonly wireKey: string
  /** Plan order, for the order of `inputRequests`. */
  readonly index: number
  /** The how-manieth call of its round it belongs to: 0 is the outer one. */
  readonly sequence: number
  /** The body that made the call that this one belongs to. */
  readonly parent: Asker | undefined
  /** The body's own fiber, while it runs. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Whether a question of it is open that this round cannot answer. */
  pending = false
  /** Why its question was put again, for traces. */
  again: string | undefined = undefined
  ended = false
  constructor(key: string, wireKey: string, index: number, sequence: number, parent: Asker | undefined) {
    this.key = key
    this.wireKey = wireKey
    this.index = index
    this.sequence = sequence
    this.parent = parent
  }
}

/** The body of the outer call that a body of a call inside it works for. */
export const outermost = (asker: Asker): Asker => {
  let outer = asker
  while (outer.parent !== undefined) outer = outer.parent
  return outer
}

/** In plan order, calls inside a body in the order in which they were made. */
export const inPlanOrder = (left: Asker, right: Asker): number => {
  const [these, those] = [placeOf(left), placeOf(right)]
  for (let at = 0; at < Math.min(these.length, those.length); at++) {
    const difference = these[at]! - those[at]!
    if (difference !== 0) return difference
  }
  return these.length - those.length
}

const placeOf = (asker: Asker): ReadonlyArray<number> =>
  asker.parent === undefined ? [asker.index] : [...placeOf(asker.parent), asker.sequence, asker.index]

/** The key on the wire of a question with that label. */
export const keyOf = ({ wireKey }: Asker, label: string | undefined): string =>
  label === undefined ? wireKey : `${wireKey}#${escape(label)}`

/** The body at hand; only bodies of calls put themselves there. */
export const CurrentAsker = Ask.CurrentAsker as Context.Reference<Asker | undefined>
