/** `--profile`: where a call's CPU goes, by module, as a Markdown document. */
import { start, startServer } from "./lib/process.ts"
import { modules, type Profile } from "./lib/profile.ts"
import { profile } from "./lib/profile-run.ts"
import type { Order } from "./load.ts"

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const cases = [
  { server: "ours", tool: "order_book", title: "order_book, ours" },
  { server: "toolkit", tool: "order_book", title: "order_book, (a1)" },
  { server: "ours", tool: "confirm_order", title: "two rounds, ours" }
] as const

export const profileTables = async (log: (text: string) => void): Promise<string> => {
  const load = start("load")
  const profiles: Array<{ readonly title: string; readonly cpu: number; readonly profile: Profile }> = []
  for (const { server: name, title, tool } of cases) {
    log(`profiling ${title} ..`)
    const server = await startServer(`contestants/${name}`)
    const order: Omit<Order, "port"> = { era: "2026-07-28", tool, connections: 16, ms: 4000, check: true }
    const measured = await profile(server, load, order)
    const before = await server.cpu()
    const { outcome } = await load.tell<{ outcome: { calls: number } }>({ ...order, ms: 2000, port: server.port })
    profiles.push({ title, cpu: ((await server.cpu()) - before) / outcome.calls, profile: measured })
    await server.end()
  }
  load.process.disconnect()
  const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  const lines = [
    "# Where a call's CPU goes",
    "",
    `Self time by module under load (16 connections, 2026-07-28, Node ${process.version}); written by \`npm run bench -- --profile --out test/bench/PROFILE.md\`.`,
    "The share is of the time in which the process ran; the last row is the CPU time of a call without the profiler.",
    "",
    row(["module", ...profiles.map(({ title }) => title)]),
    row(["---", ...profiles.map(() => "---:")]),
    ...modules.map((module) => row([module, ...profiles.map(({ profile }) => percent(profile.share[module]))])),
    row(["CPU of a call", ...profiles.map(({ cpu }) => `${cpu.toFixed(0)} us`)]),
    "",
    "The costliest functions of effect-resolve itself:",
    "",
    row(["function", ...profiles.filter(({ title }) => title.endsWith("ours")).map(({ title }) => title)]),
    row(["---", "---:", "---:"])
  ]
  const ours = profiles.filter(({ title }) => title.endsWith("ours"))
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
