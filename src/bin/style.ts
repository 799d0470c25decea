/** Colours, on a terminal that has them. */
import { Context, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"

type Paint = (text: string) => string

export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

const plain: Paint = (text) => text
const paint =
  (code: number): Paint =>
  (text) =>
    text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`

export const styleOf = (context: Context.Context<never>): Style => {
  const { canColor } = Context.get(context, TerminalCapabilities.TerminalCapabilities)
  const of = (code: number) => (canColor ? paint(code) : plain)
  return { bold: of(1), dim: of(2), red: of(31), green: of(32), yellow: of(33), cyan: of(36) }
}

export const style: Effect.Effect<Style> = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(styleOf(context))
)
