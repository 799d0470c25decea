/** What ends a command early: a sentence for the terminal, and the exit code. */
import { Console, Data, Effect, Runtime } from "effect"
import { type Style, style } from "./style.ts"

/** 1: something is wrong with what was run. 2: it could not be run. */
export class Trouble extends Data.TaggedError("Trouble")<{
  readonly lines: ReadonlyArray<string>
  readonly code: 1 | 2
}> {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = this.code
}

export const unusable = (...lines: ReadonlyArray<string>) => new Trouble({ lines, code: 2 })

/** The exit code alone: all has been said. */
export const failed = new Trouble({ lines: [], code: 1 })

const indented = (text: string) => text.replaceAll("\n", "\n       ")

export const say = (kind: "error" | "hint", text: string, { red, yellow }: Style): string =>
  `${kind === "error" ? red("error") : yellow("hint ")}  ${indented(text)}`

/** Says a trouble on standard error, where the output of a command does not get mixed with it. */
export const report = (trouble: Trouble): Effect.Effect<void> =>
  Effect.flatMap(style, (style) =>
    Effect.forEach(trouble.lines, (line) => Console.error(say("error", line, style)), { discard: true })
  )
