/** The seven measurements of the bench. */
import { copies, delivery, hoursText, orderText, titles } from "./contestants/shop.ts"
import * as Mcp from "./lib/mcp.ts"
import { type Child, measure, type Server, start, startServer } from "./lib/process.ts"
import { profile } from "./lib/profile-run.ts"
import type { Row } from "./lib/report.ts"
import { startUp } from "./lib/startup.ts"
import { median, quartiles } from "./lib/stats.ts"
import { prepare } from "./lib/typecheck.ts"
import type { Order, Outcome } from "./load.ts"

export interface Plan {
  readonly measure: number
  readonly title: string
  readonly run: (log: (text: string) => void) => Promise<ReadonlyArray<Row>>
}

type Timed = Readonly<Record<string, ReadonlyArray<number>>>

const us = (value: number) => (value >= 1000 ? `${(value / 1000).toFixed(2)} ms` : `${value.toFixed(1)} us`)
const ratios = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>) =>
  ours.map((value, at) => value / theirs[at]!)

/** A row of one contestant against another, by the ratios of their rounds. */
const versus = (
  row: Pick<Row, "measure" | "what" | "target" | "note" | "unit">,
  ours: ReadonlyArray<number>,
  theirs: ReadonlyArray<number>,
  show: (value: number) => string
): Row => {
  const each = ratios(ours, theirs)
  return {
    ...row,
    ours: show(median(ours)),
    theirs: show(median(theirs)),
    ratio: median(each),
    spread: each.length > 2 ? quartiles(each) : undefined
  }
}

// ---------------------------------------------------------------- 1
const inProcess: Plan = {
  measure: 1,
  title: "a call in process, three resolvers",
  run: async () => {
    // each pair in a process of its own: the compiler takes code for what it has seen there
    const timed = await measure<Timed>("measures/in-process", ["call"])
    const handled = await measure<Timed>("measures/in-process", ["handle"])
    return [
      versus(
        { measure: 1, what: "Resolve.call / by hand with Effect.cached", target: { atMost: 1.5 } },
        timed.ours!,
        timed.theirs!,
        us
      ),
      versus(
        {
          measure: 1,
          what: "the same through handle: Resolve.withHandlers / Toolkit",
          note: "both through effect/ai's Toolkit.handle"
        },
        handled.ours!,
        handled.theirs!,
        us
      )
    ]
  }
}

// ---------------------------------------------------------------- 2 and 3: over HTTP
interface Entry {
  readonly name: string
  readonly server: Server
  readonly tool: Order["tool"]
  readonly check: boolean
}
interface Figures {
  readonly perSecond: ReadonlyArray<number>
  /** CPU time of the server process per call, in microseconds. */
  readonly cpu: ReadonlyArray<number>
}

/** Starts what can be started; one that cannot is told and left out. */
const startAll = async (names: ReadonlyArray<string>, log: (text: string) => void) => {
  const servers = new Map<string, Server>()
  for (const name of names) {
    try {
      servers.set(name, await startServer(`contestants/${name}`))
    } catch (error) {
      log(`   ${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return servers
}

/** Compares a contestant's answers to the 100 inputs with what they must be. */
const agrees = async (entry: Entry, era: Mcp.Era): Promise<string | undefined> => {
  if (!entry.check) return undefined
  const client = await Mcp.open(entry.server.port, era, { elicitation: { form: {} } })
  try {
    for (const title of titles) {
      if (entry.tool === "confirm_order" && copies(title) > 0) continue
      const reply =
        entry.tool === "confirm_order"
          ? await Mcp.callAnswering(client, entry.tool, title, { confirm: true })
          : await Mcp.call(client, entry.tool, title)
      const want =
        entry.tool === "order_book"
          ? orderText(title, copies(title), delivery(copies(title)))
          : entry.tool === "shop_hours"
            ? hoursText(title)
            : `Backordered '${title}'; it ships in 2-3 weeks.`
      const got = Mcp.answer(reply)
      if (got !== want) return `answers '${title}' with ${got.slice(0, 200)}`
    }
    return undefined
  } finally {
    client.connection.close()
  }
}

const slice = async (load: Child, entry: Entry, era: Mcp.Era, ms: number) => {
  const before = await entry.server.cpu()
  const { failed, outcome } = await load.tell<{ outcome?: Outcome; failed?: string }>({
    port: entry.server.port,
    era,
    tool: entry.tool,
    connections: 16,
    ms,
    check: entry.check
  } satisfies Order)
  const after = await entry.server.cpu()
  if (outcome === undefined) throw new Error(`${entry.name}: ${failed}`)
  if (outcome.errors > 0) throw new Error(`${entry.name}: ${outcome.errors} wrong answers, ${outcome.sample}`)
  return {
    calls: outcome.calls,
    perSecond: outcome.calls / outcome.seconds,
    cpu: (after - before) / outcome.calls
  }
}

/** Calls until the compiler has settled, or for so long as a slow machine may take. */
const warm = async (load: Child, entry: Entry, era: Mcp.Era) => {
  const until = Date.now() + 4000
  for (let calls = 0; calls < 2000 && Date.now() < until; ) calls += (await slice(load, entry, era, 500)).calls
}

/** All contestants of one era take turns, each round in the other order. */
const contest = async (
  load: Child,
  entries: ReadonlyArray<Entry>,
  era: Mcp.Era,
  options: { readonly rounds: number; readonly ms: number },
  log: (text: string) => void
): Promise<Readonly<Record<string, Figures>>> => {
  const racing: Array<Entry> = []
  for (const entry of entries) {
    try {
      const wrong = await agrees(entry, era)
      if (wrong !== undefined) throw new Error(wrong)
      await warm(load, entry, era)
      racing.push(entry)
    } catch (error) {
      log(`   ${entry.name} (${entry.tool}, ${era}) is not timed: ${error instanceof Error ? error.message : error}`)
    }
  }
  const figures: Record<string, { perSecond: Array<number>; cpu: Array<number> }> = {}
  for (let round = 0; round < options.rounds; round++) {
    for (const entry of round % 2 === 0 ? racing : racing.toReversed()) {
      const { cpu, perSecond } = await slice(load, entry, era, options.ms)
      const name = `${entry.name} ${entry.tool}`
      const known = figures[name] ?? { perSecond: [], cpu: [] }
      figures[name] = { perSecond: [...known.perSecond, perSecond], cpu: [...known.cpu, cpu] }
    }
  }
  return figures
}

const rate = (value: number) => `${value.toFixed(0)}/s`

const httpRow = (
  figures: Readonly<Record<string, Figures>>,
  measure: number,
  what: string,
  [ours, theirs]: readonly [string, string],
  target?: Row["target"]
): Row => {
  const [a, b] = [figures[ours], figures[theirs]]
  if (a === undefined || b === undefined) {
    return {
      measure,
      what,
      ours: a === undefined ? "erred" : "",
      theirs: b === undefined ? "erred" : "",
      ratio: undefined,
      target
    }
  }
  const cpu = median(ratios(b.cpu, a.cpu))
  return versus(
    { measure, what, target, note: `CPU ${us(median(a.cpu))} / ${us(median(b.cpu))}, ratio ${cpu.toFixed(2)}` },
    a.perSecond,
    b.perSecond,
    rate
  )
}

const rivals = [
  { name: "toolkit", title: "(a1) McpServer.toolkit", atLeast: 0.95 },
  { name: "addtool", title: "(a2) addTool", atLeast: 0.85 },
  { name: "official", title: "(b) official server", atLeast: 1.4 },
  { name: "fastmcp", title: "(c) fastmcp", atLeast: 1.5 }
]

const http: Plan = {
  measure: 2,
  title: "order_book over HTTP, 16 connections",
  run: async (log) => {
    const servers = await startAll(["ours", "ours-served", ...rivals.map(({ name }) => name), "echo"], log)
    const load = start("load")
    const rows: Array<Row> = []
    try {
      for (const era of ["2026-07-28", "2025-11-25"] as const) {
        const entries: Array<Entry> = []
        const add = (name: string, tool: Order["tool"], check = true) => {
          const server = servers.get(name)
          if (server !== undefined) entries.push({ name, server, tool, check })
        }
        for (const name of ["ours", "ours-served", ...rivals.map(({ name }) => name)]) {
          // it says itself that it serves the older revisions only
          if (name !== "fastmcp" || era === "2025-11-25") add(name, "order_book")
        }
        add("ours", "shop_hours")
        add("toolkit", "shop_hours")
        add("echo", "order_book", false)
        const figures = await contest(load, entries, era, { rounds: 9, ms: 450 }, log)
        for (const rival of rivals) {
          if (rival.name === "fastmcp" && era === "2026-07-28") continue
          rows.push(
            httpRow(figures, 2, `${era}: ours / ${rival.title}`, ["ours order_book", `${rival.name} order_book`], {
              atLeast: rival.atLeast
            })
          )
        }
        rows.push(
          httpRow(figures, 2, `${era}: no resolver, ours / (a1)`, ["ours shop_hours", "toolkit shop_hours"], {
            atLeast: 0.99
          }),
          httpRow(figures, 2, `${era}: ours on ResolveServer / (a1)`, ["ours-served order_book", "toolkit order_book"]),
          httpRow(figures, 2, `${era}: ours / (d) floor`, ["ours order_book", "echo order_book"])
        )
      }
      const ours = servers.get("ours")
      if (ours !== undefined) {
        const { share } = (
          await profile(ours, load, { era: "2026-07-28", tool: "order_book", check: true }, { warm: true })
        ).profile
        rows.push({
          measure: 2,
          what: "2026-07-28: the engine's own share of a call's CPU",
          ours: `${(100 * share["effect-resolve"]).toFixed(1)} %`,
          theirs: "",
          ratio: 100 * share["effect-resolve"],
          unit: " %",
          target: { atMost: 10 },
          note: "self time of effect-resolve's own code in a profile"
        })
      }
      return rows
    } finally {
      await Promise.all([...servers.values()].map((server) => server.end()))
      load.process.disconnect()
    }
  }
}

const twoRounds: Plan = {
  measure: 3,
  title: "a question in two rounds, 2026-07-28",
  run: async (log) => {
    const servers = await startAll(["ours", "official"], log)
    const load = start("load")
    try {
      const entries = [...servers].map(([name, server]) => ({
        name,
        server,
        tool: "confirm_order" as const,
        check: true
      }))
      const figures = await contest(load, entries, "2026-07-28", { rounds: 9, ms: 450 }, log)
      return [
        httpRow(
          figures,
          3,
          "ours / (b) inputRequired with its own codec",
          ["ours confirm_order", "official confirm_order"],
          { atLeast: 1 }
        )
      ]
    } finally {
      await Promise.all([...servers.values()].map((server) => server.end()))
      load.process.disconnect()
    }
  }
}

// ---------------------------------------------------------------- 4
const graph: Plan = {
  measure: 4,
  title: "cost of a node by size of the graph",
  run: async () => {
    const timed = await measure<Timed>("measures/graph")
    const rows: Array<Row> = []
    for (const asks of ["", "_asks"]) {
      for (const shape of ["chain", "fan", "diamonds"]) {
        const nodes = (size: number) => (shape === "diamonds" ? 3 * Math.floor(size / 3) : size)
        const of = (size: number) => timed[`${shape}_${size}${asks}`]!
        const perNode = (size: number) => of(size).map((each) => each / nodes(size))
        // between two sizes what a call costs by itself cancels out
        const further = (from: number, to: number) =>
          of(to).map((each, round) => (each - of(from)[round]!) / (nodes(to) - nodes(from)))
        const growth = median(ratios(further(100, 1000), further(10, 100))).toFixed(2)
        const whole = [10, 100, 1000].map((size) => us(median(of(size))))
        rows.push(
          versus(
            {
              measure: 4,
              what: `${shape}${asks === "" ? "" : ", a question open"}: cost per node of 1,000 / of 10`,
              target: { atMost: 1.5 },
              note: `a call with 10, 100, 1,000 nodes: ${whole.join(", ")}; a further node costs ${growth}x as much above 100 as below`
            },
            perNode(1000),
            perNode(10),
            us
          )
        )
      }
    }
    return rows
  }
}

// ---------------------------------------------------------------- 5
interface Registered {
  readonly seconds: number
  readonly definition: number
  readonly registration: number
}

const registration: Plan = {
  measure: 5,
  title: "registration of 1,000 tools with 5 resolvers each",
  run: async () => {
    const [ours, plain]: [Array<Registered>, Array<Registered>] = [[], []]
    for (let round = 0; round < 3; round++) {
      ours.push(await measure<Registered>("measures/registration", ["ours"], ["--expose-gc"]))
      plain.push(await measure<Registered>("measures/registration", ["plain"], ["--expose-gc"]))
    }
    const of = (all: ReadonlyArray<Registered>, key: keyof Registered) => all.map((one) => one[key])
    const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
    const whole = (all: ReadonlyArray<Registered>) => all.map((one) => one.definition + one.registration)
    const time = median(of(ours, "seconds"))
    const added = median(whole(ours)) - median(whole(plain))
    return [
      {
        measure: 5,
        what: "time to register 1,000 tools (theirs: without resolvers)",
        ours: `${time.toFixed(2)} s`,
        theirs: `${median(of(plain, "seconds")).toFixed(2)} s`,
        ratio: time,
        unit: " s",
        target: { atMost: 1 },
        note: `${median(ratios(of(ours, "seconds"), of(plain, "seconds"))).toFixed(2)} times effect/ai's own registration`
      },
      {
        measure: 5,
        what: "heap that five resolvers add to a tool",
        ours: kB(median(whole(ours))),
        theirs: kB(median(whole(plain))),
        ratio: added / 1000,
        unit: " kB",
        target: { atMost: 10 },
        note: "definition and registration; theirs is the same tool on effect/ai alone"
      }
    ]
  }
}

const typeCheck: Plan = {
  measure: 5,
  title: "type-check of 200 tools and 400 look-ups",
  run: async () => {
    const check = prepare()
    const [ours, plain]: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round < 3; round++) {
      ours.push((await check("ours")).seconds)
      plain.push((await check("plain")).seconds)
    }
    return [
      versus(
        { measure: 5, what: "tsc on 200 tools, ours / plain effect/ai", target: { atMost: 2 } },
        ours,
        plain,
        (value) => `${value.toFixed(2)} s`
      )
    ]
  }
}

const starting: Plan = {
  measure: 5,
  title: "start-up over stdio, to the first answer",
  run: async () => {
    const scripts = ["ours-stdio", "toolkit-stdio", "official-stdio"]
    const times: Record<string, Array<number>> = {}
    for (let round = 0; round < 6; round++) {
      for (const script of round % 2 === 0 ? scripts : scripts.toReversed()) {
        const time = await startUp(`contestants/${script}`)
        // the first round fills the disk cache
        if (round > 0) times[script] = [...(times[script] ?? []), time]
      }
    }
    const ms = (value: number) => `${value.toFixed(0)} ms`
    return [
      versus(
        { measure: 5, what: "start-up, ours / (b) official server", target: { atMost: 2 } },
        times["ours-stdio"]!,
        times["official-stdio"]!,
        ms
      ),
      versus(
        { measure: 5, what: "start-up, ours / effect/ai with one plain tool" },
        times["ours-stdio"]!,
        times["toolkit-stdio"]!,
        ms
      )
    ]
  }
}

// ---------------------------------------------------------------- 6
const stateBytes: Plan = {
  measure: 6,
  title: "state on the wire, by recorded answers",
  run: async (log) => {
    const servers = await startAll(["ours", "official"], log)
    const sizes = async (server: Server | undefined, tool = "many_questions") => {
      if (server === undefined) throw new Error("a contestant erred")
      const client = await Mcp.open(server.port, "2026-07-28", { elicitation: { form: {} } })
      const bytes: Array<number> = []
      let reply = await Mcp.call(client, tool, "Dune")
      for (let round = 0; ; round++) {
        const { result } = Mcp.message(reply)
        if (result?.resultType !== "input_required") break
        bytes.push(Buffer.byteLength(result.requestState ?? ""))
        reply = await Mcp.call(client, tool, "Dune", Mcp.answers(result, { amount: 10 + round }))
      }
      client.connection.close()
      const answer = Mcp.answer(reply)
      if (answer !== "21") throw new Error(`${tool} ends with ${answer.slice(0, 300)}`)
      return bytes
    }
    try {
      const ours = await sizes(servers.get("ours"))
      const row = (answers: number, theirs: ReadonlyArray<number>, name: string, extra: Partial<Row>): Row => ({
        measure: 6,
        what: `${answers} recorded answer${answers === 1 ? "" : "s"}, ours / ${name}`,
        ours: `${ours[answers]} B`,
        theirs: `${theirs[answers]} B`,
        ratio: ours[answers]! / theirs[answers]!,
        ...extra
      })
      const plain = await sizes(servers.get("official"))
      const pinned = await sizes(servers.get("official"), "many_questions_pinned")
      return [
        ...[1, 5, 20].map((answers) => row(answers, plain, "(b)", { target: { atMost: 1.2 } })),
        ...[1, 5, 20].map((answers) =>
          row(answers, pinned, "(b) pinned", { note: "each answer pinned to the question shown, as ours is" })
        )
      ]
    } finally {
      await Promise.all([...servers.values()].map((server) => server.end()))
    }
  }
}

// ---------------------------------------------------------------- 7
const suspended: Plan = {
  measure: 7,
  title: "heap after 10,000 suspended calls",
  run: async () => {
    const { bytes } = await measure<{ bytes: number }>("measures/suspended", [], ["--expose-gc"])
    return [
      {
        measure: 7,
        what: "heap that 10,000 suspended calls leave behind",
        ours: `${(bytes / 1e6).toFixed(2)} MB`,
        theirs: "",
        ratio: bytes / 1e6,
        unit: " MB",
        target: { atMost: 1 }
      }
    ]
  }
}

// ---------------------------------------------------------------- 8
const journal: Plan = {
  measure: 8,
  title: "a journal in memory",
  run: async () => {
    const timed = await measure<Timed>("measures/journal", [])
    return [
      {
        measure: 8,
        what: "CPU of a call of two rounds, with a journal in memory / without",
        ours: us(median(timed.journal!)),
        theirs: us(median(timed.without!)),
        ratio: median(ratios(timed.journal!, timed.without!)),
        target: { atMost: 1.05 }
      }
    ]
  }
}

export const plans: ReadonlyArray<Plan> = [
  inProcess,
  http,
  twoRounds,
  graph,
  registration,
  typeCheck,
  starting,
  stateBytes,
  suspended,
  journal
]
