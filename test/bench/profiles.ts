/** `--profile`: where a call's CPU goes, by module, as a Markdown document. */
import { start, startServer } from "./lib/process.ts"
import { modules } from "./lib/profile.ts"
import { type Loaded, profile } from "./lib/profile-run.ts"

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const cases = [
  { server: "ours", tool: "order_book", title: "order_book, ours" },
  { server: "toolkit", tool: "order_book", title: "order_book, (a1)" },
  { server: "ours", tool: "shop_hours", title: "no resolver, ours" },
  { server: "toolkit", tool: "shop_hours", title: "no resolver, (a1)" },
  { server: "ours", tool: "confirm_order", title: "two rounds, ours" },
  { server: "official", tool: "confirm_order", title: "two rounds, (b)" }
] as const

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

export const profileTables = async (log: (text: string) => void): Promise<string> => {
  const load = start("load")
  const profiles: Array<Loaded & { readonly title: string }> = []
  for (const { server: name, title, tool } of cases) {
    log(`profiling ${title} ..`)
    const server = await startServer(`contestants/${name}`)
    profiles.push({ title, ...(await profile(server, load, { era: "2026-07-28", tool, check: true })) })
    await server.end()
  }
  load.process.disconnect()
  const lines = [
    "# Where a call's CPU goes",
    "",
    `Self time by module under load (16 connections, 2026-07-28, Node ${process.version}); written by \`npm run bench -- --profile --out test/bench/PROFILE.md\`.`,
    "Shares are of the time in which the process ran; the last row is the CPU time of a call without the profiler.",
    "",
    row(["module", ...profiles.map(({ title }) => title)]),
    row(["---", ...profiles.map(() => "---:")]),
    ...modules.map((module) => row([module, ...profiles.map(({ profile }) => percent(profile.share[module]))])),
    row(["CPU of a call", ...profiles.map(({ cpu }) => `${cpu.toFixed(0)} us`)]),
    "",
    "The costliest functions of effect-resolve itself:",
    ""
  ]
  const ours = profiles.filter(({ title }) => title.endsWith("ours"))
  lines.push(row(["function", ...ours.map(({ title }) => title)]), row(["---", ...ours.map(() => "---:")]))
  const own = ours.map(
    ({ profile }) =>
      new Map(profile.top.filter(({ module }) => module === "effect-resolve").map(({ name, share }) => [name, share]))
  )
  const names = [...new Set(own.flatMap((shares) => [...shares.keys()]))]
    .sort((a, b) => Math.max(...own.map((s) => s.get(b) ?? 0)) - Math.max(...own.map((s) => s.get(a) ?? 0)))
    .slice(0, 12)
  for (const name of names) lines.push(row([`\`${name}\``, ...own.map((shares) => percent(shares.get(name) ?? 0))]))
  return `${lines.join("\n")}\n`
}
