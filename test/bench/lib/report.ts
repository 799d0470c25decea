/** One line of the table. */
export interface Row {
  /** Which of the seven measurements. */
  readonly measure: number
  readonly what: string
  /** What is compared with what, in figures for people; the ratio is what counts. */
  readonly ours: string
  readonly theirs: string
  /** Median of the ratios of the rounds; undefined when a contestant erred. */
  readonly ratio: number | undefined
  readonly spread?: readonly [low: number, high: number] | undefined
  readonly target?: { readonly atLeast: number } | { readonly atMost: number } | undefined
  readonly unit?: string | undefined
  readonly note?: string | undefined
}

export const verdict = (row: Row): string => {
  if (row.ratio === undefined || Number.isNaN(row.ratio)) return "not timed"
  if (row.target === undefined) return ""
  const [ok, bound] =
    "atLeast" in row.target
      ? [row.ratio >= row.target.atLeast, row.target.atLeast]
      : [row.ratio <= row.target.atMost, row.target.atMost]
  if (ok) return "met"
  const within = row.spread !== undefined && row.spread[0] <= bound && bound <= row.spread[1]
  return within ? "missed, within noise" : "missed"
}

const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2)

const cells = (row: Row): ReadonlyArray<string> => [
  String(row.measure),
  row.what,
  row.ours,
  row.theirs,
  row.ratio === undefined || Number.isNaN(row.ratio) ? "-" : `${figure(row.ratio)}${row.unit ?? ""}`,
  row.spread === undefined ? "" : `${figure(row.spread[0])}..${figure(row.spread[1])}`,
  row.target === undefined
    ? ""
    : "atLeast" in row.target
      ? `>= ${row.target.atLeast}${row.unit ?? ""}`
      : `<= ${row.target.atMost}${row.unit ?? ""}`,
  verdict(row),
  row.note ?? ""
]

const header = ["#", "measurement", "ours", "theirs", "ratio", "middle half", "target", "", "note"]

/** The table, as Markdown that also reads well in a terminal. */
export const render = (rows: ReadonlyArray<Row>): string => {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, at) => Math.max(...lines.map((line) => line[at]!.length), 3))
  const draw = (line: ReadonlyArray<string>) => `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`
  return [
    draw(header),
    `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`,
    ...lines.slice(1).map(draw)
  ].join("\n")
}
