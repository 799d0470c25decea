/** `--trace`: the rounds of a call and its resolvers on a time axis, from the spans that the engine makes. */
import { Clock, Effect, Option, Tracer } from "effect"
import { CliOutput } from "effect/cli"
import * as Text from "./sentences.ts"
import type { Style } from "./style.ts"

interface Interval {
  readonly from: number
  readonly to: number
}

export interface Tracing {
  readonly tracer: Tracer.Tracer
  /** Notes how long an answer took, which is nobody's work on the server. */
  readonly waiting: <A, E, R>(who: string, answer: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly render: (columns: number, style: Style) => string
}

const now = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

const waitCells = 3

/** Where a moment stands on an axis on which each wait has the same small width, however long it took. */
const axis = (whole: Interval, waits: ReadonlyArray<Interval>, cells: number) => {
  const waited = (at: number) => waits.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(at, to) - from), 0)
  const cut = (at: number) => waits.reduce((sum, { from, to }) => sum + (at <= from ? 0 : at < to ? 1 : waitCells), 0)
  const working = whole.to - whole.from - waited(whole.to)
  const free = Math.max(1, cells - waits.length * waitCells)
  return (at: number) =>
    Math.min(cells, Math.round(((at - whole.from - waited(at)) / Math.max(working, 1e-6)) * free) + cut(at))
}

const duration = (millis: number): string =>
  millis >= 1000 ? `${(millis / 1000).toFixed(1)} s` : `${millis.toFixed(millis >= 10 ? 0 : 1)} ms`

interface Row extends Interval {
  readonly depth: number
  readonly name: string
  readonly note: string
  readonly bar: string
}

const pad = (text: string, width: number) => text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))
const short = (text: string, width: number) => (text.length <= width ? text : `${text.slice(0, width - 1)}…`)

const render = (rows: ReadonlyArray<Row>, waits: ReadonlyArray<Interval>, columns: number, paint: Style): string => {
  const whole = { from: Math.min(...rows.map(({ from }) => from)), to: Math.max(...rows.map(({ to }) => to)) }
  const names = rows.map(({ depth, name }) => short(`${"  ".repeat(depth)}${name}`, 36))
  const left = Math.max(...names.map((name) => name.length)) + 1
  const middle = Math.max(...rows.map(({ note }) => note.length)) + 1
  const cells = Math.max(20, columns - left - middle - 10)
  const at = axis(whole, waits, cells)
  const lines = rows.map(({ bar, from, note, to }, index) => {
    const start = Math.min(at(from), cells - 1)
    const width = Math.max(1, at(to) - start)
    const drawn = bar.repeat(width)
    const color = bar === waitBar ? paint.dim : paint.cyan
    const line = `${" ".repeat(start)}${color(drawn)}${" ".repeat(cells - start - width)}`
    return `${pad(names[index]!, left)}${paint.dim(pad(note, middle))}${line} ${duration(to - from).padStart(8)}`
  })
  return lines.join("\n")
}

const workBar = "█"
const waitBar = "┄"

export const make = (): Tracing => {
  const spans: Array<Tracer.NativeSpan> = []
  const waits: Array<Interval & { readonly who: string }> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const rowsOf = (): ReadonlyArray<Row> => {
    const ours = new Map(spans.filter(({ name }) => /^Resolver?[./]/.test(name)).map((span) => [span.spanId, span]))
    const depthOf = (span: Tracer.NativeSpan): number => {
      const parent = Option.isSome(span.parent) ? ours.get(span.parent.value.spanId) : undefined
      return parent === undefined ? 0 : depthOf(parent) + 1
    }
    let rounds = 0
    const nameOf = (span: Tracer.NativeSpan): string => {
      if (span.name === "Resolve.round") return Text.round(++rounds)
      const owner = ["tool", "prompt", "resource"].map((kind) => span.attributes.get(`effect_resolve.${kind}`))
      return span.name === "Resolve.call"
        ? String(owner.find((name) => name !== undefined) ?? span.name)
        : span.name.replace(/^Resolver\//, "")
    }
    return [...ours.values()].flatMap((span): ReadonlyArray<Row> => {
      if (span.status._tag !== "Ended") return []
      const { endTime, startTime } = span.status
      const note = String(span.attributes.get("effect_resolve.outcome") ?? "")
      const times = { from: Number(startTime) / 1e6, to: Number(endTime) / 1e6 }
      return [{ ...times, depth: depthOf(span), name: nameOf(span), note, bar: workBar }]
    })
  }
  return {
    tracer,
    waiting: (who, answer) =>
      Effect.flatMap(now, (from) =>
        Effect.ensuring(
          answer,
          Effect.map(now, (to) => void waits.push({ who, from, to }))
        )
      ),
    render: (columns, style) => {
      const waiting = waits.map(({ from, to, who }): Row => ({ from, to, depth: 0, name: who, note: "", bar: waitBar }))
      const rows = [...rowsOf(), ...waiting].sort((one, other) => one.from - other.from)
      return rows.length === 0 ? "" : render(rows, waits, columns, style)
    }
  }
}
