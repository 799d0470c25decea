/** The command line on the bookshop, at a terminal and without one. */
import { readdirSync, readFileSync, renameSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { keys, project } from "./terminal.ts"

const shop = project("examples", "test/bin/fixtures")
afterAll(shop.remove)
shop.write("answers.json", `{ "bookshop/ConfirmBackorder": { "accept": { "confirm": true } } }`)
shop.write("calls.json", `{ "order_book": [{ "title": "Dune" }, { "title": "Emma" }] }`)

const escape = "\u001b"
const server = "examples/server.ts"
const forms = "test/bin/fixtures/forms.ts"
const served = "test/bin/fixtures/toolkit.ts"
const types = (text: string) => `${text}${keys.enter}`

describe("graph", () => {
  it("draws who is needed, who asks, what is read, and each resolver once, in a terminal", async () => {
    const terminal = shop.terminal(["graph", server, "order_book"])
    assert.strictEqual(await terminal.ends, 0)
    assert.strictEqual(
      terminal.screen().trim(),
      [
        "tool order_book(title)",
        "├─ bookshop/CheckStock  reads title",
        "└─ bookshop/ConfirmBackorder  reads title  asks: form",
        "   └─ bookshop/CheckStock  (above)"
      ].join("\n")
    )
  })

  it("shows durable resolvers, results, and bodies that may ask", async () => {
    const durable = await shop.run(["graph", "examples/10-durable.ts"])
    assert.include(durable.out, "├─ bookshop/OrderId  durable\n")
    const branch = await shop.run(["graph", "examples/03b-branch-on-refusal.ts"])
    assert.include(branch.out, "└─ bookshop/ConfirmBackorder  .result  reads title  asks: form")
    const body = await shop.run(["graph", forms, "send_gift"])
    assert.include(body.out, "tool send_gift(to, weight, express)  its body may ask")
  })

  it("draws every registration when none is named, resources too", async () => {
    const { out } = await shop.run(["graph", server])
    assert.deepStrictEqual(out.match(/^(tool|prompt|resource) \w+/gm), [
      "tool reserve_book",
      "tool order_book",
      "tool recommend_book",
      "tool search_books",
      "resource genres",
      "tool describe_catalog"
    ])
  })

  it("--mermaid draws what the README shows of example 10", async () => {
    const { code, out } = await shop.run(["graph", "examples/10-durable.ts", "--mermaid"])
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    assert.strictEqual(code, 0)
    assert.include(readme, `\`\`\`mermaid graph-10-durable\n${out.trim()}\n\`\`\``)
  })

  it("--json says the same for programs", async () => {
    const { out } = await shop.run(["graph", "examples/03b-branch-on-refusal.ts", "--json"])
    assert.deepStrictEqual(JSON.parse(out), {
      owners: [
        {
          kind: "tool",
          name: "order_book",
          arguments: ["title"],
          bodyAsks: false,
          needs: [{ resolver: "bookshop/ConfirmBackorder", as: "result" }]
        }
      ],
      resolvers: [
        { key: "bookshop/CheckStock", durable: false, reads: ["title"], asks: [], needs: [] },
        {
          key: "bookshop/ConfirmBackorder",
          durable: false,
          reads: ["title"],
          asks: ["form"],
          needs: [{ resolver: "bookshop/CheckStock", as: "value" }]
        }
      ]
    })
  })

  it("draws the toolkits that a file exports when its registrations want what is not here", async () => {
    const { code, err, out } = await shop.run(["graph", served])
    assert.strictEqual(code, 0)
    assert.strictEqual(out, "tool order_book()\n└─ shop/Consent  asks: confirm\n   └─ shop/Stock\n")
    assert.match(err, /^hint +drawn is what the exported toolkits of \S+ hold \(Shop\): .*'shop\/Inventory'/)
  })

  it("of a name that nobody has tells the names there are", async () => {
    const { code, err } = await shop.run(["graph", "examples/shop.ts", "order"])
    assert.deepStrictEqual(
      { code, err },
      { code: 2, err: "error  nothing of the name 'order' is registered; there is 'order_book'\n" }
    )
  })
})

describe("call", () => {
  it.each(["2026-07-28", "2025-11-25"])(
    "asks for the tool, its arguments and the answer at the keyboard [%s]",
    async (protocol) => {
      const terminal = shop.terminal(["call", server, "--protocol", protocol])
      await terminal.sees("Which tool?")
      terminal.types(keys.down + keys.enter)
      await terminal.sees("? title")
      terminal.types(types("Emma"))
      await terminal.sees("bookshop/ConfirmBackorder asks you:")
      await terminal.sees("'Emma' is out of stock (2-3 weeks). Order anyway?")
      await terminal.sees("Your answer")
      terminal.types(keys.enter)
      await terminal.sees("Backordered 'Emma'; it ships in 2-3 weeks.")
      assert.strictEqual(await terminal.ends, 0)
    }
  )

  it("ends with 1 when the answer is no and the tool's result an error", async () => {
    const terminal = shop.terminal(["call", server, "order_book", `{"title":"Emma"}`])
    await terminal.sees("Your answer")
    terminal.types(keys.down + keys.down + keys.enter)
    await terminal.sees("Resolver for 'bookshop/ConfirmBackorder' could not resolve: elicitation was decline")
    assert.strictEqual(await terminal.ends, 1)
  })

  it("is left with ctrl-c in the middle of a question", async () => {
    const terminal = shop.terminal(["call", server, "order_book", `{"title":"Emma"}`])
    await terminal.sees("Your answer")
    terminal.types(keys.interrupt)
    assert.strictEqual(await terminal.ends, 130)
  })

  it("asks field by field, with the form's choices and defaults, and takes the roots and a visited link", async () => {
    const terminal = shop.terminal(["call", forms, "wrap_gift"])
    await terminal.sees("How shall it be wrapped?")
    terminal.types(keys.enter)
    await terminal.sees("Paper")
    await terminal.sees("❯ striped")
    terminal.types(keys.down + keys.enter)
    await terminal.sees("copies")
    terminal.types(types("12"))
    await terminal.sees("at most 9")
    terminal.types(`\u007f\u007f${types("3")}`)
    await terminal.sees("ribbon")
    terminal.types(keys.down + keys.enter)
    await terminal.sees("extras")
    // above the choices stand "select all" and "inverse selection"
    terminal.types(keys.down + keys.down + keys.space + keys.down + keys.down + keys.space + keys.enter)
    await terminal.sees("note (optional)")
    terminal.types(keys.enter)
    await terminal.sees("https://pay.example/1")
    terminal.types(keys.enter)
    await terminal.sees("gift/Folder asks for the client's roots:")
    terminal.types(keys.enter)
    await terminal.sees(`"folder":`)
    assert.strictEqual(await terminal.ends, 0)
    const result = /\{"wrapping".*\}$/s.exec(terminal.screen().trim().replaceAll(/\n\s*/g, ""))?.[0]
    assert.deepStrictEqual(JSON.parse(result!), {
      wrapping: { paper: "golden", copies: 3, ribbon: false, extras: ["card", "bow"] },
      folder: `file://${shop.home}`
    })
  })

  it.each(["2026-07-28", "2025-11-25"])(
    "asks two questions of one round one after the other, and one refused leaves the other [%s]",
    async (protocol) => {
      const terminal = shop.terminal(["call", forms, "plan_party", "--trace", "-p", protocol])
      await terminal.sees("gift/Cake asks you:")
      await terminal.sees("Your answer")
      terminal.types(keys.down + keys.down + keys.enter)
      await terminal.sees("gift/Music asks you:")
      await terminal.sees("Your answer")
      terminal.types(keys.enter)
      await terminal.sees("answer to gift/Cake")
      await terminal.sees("answer to gift/Music")
      await terminal.sees("cake Failure, music Success")
      assert.strictEqual(await terminal.ends, 0)
    }
  )

  it("asks which file when none is named", async () => {
    const terminal = shop.terminal(["call"])
    await terminal.sees("Which file exports the registrations?")
    terminal.types("examples")
    await terminal.sees("❯ examples")
    terminal.types(keys.enter)
    await terminal.sees("[filter: type to filter]")
    terminal.types("shop.ts")
    await terminal.sees("[filter: shop.ts]")
    terminal.types(keys.down)
    await terminal.sees("❯ shop.ts")
    terminal.types(keys.enter)
    await terminal.sees("? title")
    terminal.types(types("Dune"))
    await terminal.sees("Ordered 'Dune'; it arrives tomorrow.")
    assert.strictEqual(await terminal.ends, 0)
  })

  it("asks for optional arguments only when none are given, and for missing ones always", async () => {
    const given = shop.terminal(["call", forms, "send_gift", `{"to":"Ann"}`])
    await given.sees("weight")
    given.types(types("much"))
    await given.sees("a number is wanted")
    given.types(`${"\u007f".repeat(4)}${types("2.5")}`)
    await given.sees("Send 2.5 kg to Ann?")
    given.types(keys.enter)
    await given.sees("Sent to Ann.")
    assert.strictEqual(await given.ends, 0)
    assert.notInclude(given.screen(), "express (optional)")
    const none = shop.terminal(["call", forms, "send_gift"])
    await none.sees("to")
    none.types(types("Bob"))
    await none.sees("weight")
    none.types(types("1"))
    await none.sees("express (optional)")
    none.types(keys.enter)
    await none.sees("Send 1 kg to Bob?")
    none.types(keys.enter)
    await none.sees("Sent to Bob by express.")
  })

  it("lets whoever sits there play the model, or takes --model", async () => {
    const typed = shop.terminal(["call", server, "recommend_book", `{"genre":"poetry"}`])
    await typed.sees("bookshop/Pick asks the client's model:")
    await typed.sees("poetry")
    await typed.sees("The model's answer")
    typed.types(types("Leaves of Grass"))
    await typed.sees("Leaves of Grass")
    assert.strictEqual(await typed.ends, 0)
    const given = await shop.run(["call", server, "recommend_book", `{"genre":"poetry"}`, "--model", "Emma"])
    assert.strictEqual(given.code, 0)
    assert.include(given.out, "Emma")
  })

  it.each(["2026-07-28", "2025-11-25"])(
    "takes --answers without a terminal, and --json gives the result alone [%s]",
    async (protocol) => {
      const args = [
        "call",
        server,
        "order_book",
        `{"title":"Emma"}`,
        "--answers",
        "answers.json",
        "--json",
        "-p",
        protocol
      ]
      const { code, err, out } = await shop.run(args)
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
      const { content, isError } = JSON.parse(out)
      assert.deepStrictEqual(content, [{ type: "text", text: "Backordered 'Emma'; it ships in 2-3 weeks." }])
      assert.notStrictEqual(isError, true)
    }
  )

  it("says which answers nobody asked for", async () => {
    const { code, err } = await shop.run([
      "call",
      server,
      "order_book",
      `{"title":"Dune"}`,
      "--answers",
      "answers.json"
    ])
    assert.strictEqual(code, 0)
    assert.strictEqual(err, "hint   answers that nobody asked for: 'bookshop/ConfirmBackorder'\n")
  })

  it("says who asks what when nobody is there to answer, and what is missing when nobody can type", async () => {
    const asked = await shop.run(["call", "examples/shop.ts", "order_book", `{"title":"Emma"}`])
    assert.strictEqual(asked.code, 2)
    assert.include(asked.err, `'bookshop/Delivery' asks "'Emma' is out of stock. Order anyway?", and nobody is there`)
    const missing = await shop.run(["call", "examples/shop.ts"])
    assert.strictEqual(missing.code, 2)
    assert.include(missing.err, "arguments are missing: 'title'")
    const several = await shop.run(["call", server])
    assert.include(several.err, "which tool? There is 'reserve_book', 'order_book',")
  })

  it("--header gives the client's requests a header", async () => {
    const { code, out } = await shop.run([
      "call",
      forms,
      "who_am_i",
      "--header",
      "x-user=ann",
      "--header",
      "x-team=blue"
    ])
    assert.strictEqual(code, 0)
    assert.match(out, /"x-user":"ann"/)
    assert.match(out, /"x-team":"blue"/)
  })

  it.each(["2026-07-28", "2025-11-25"])(
    "--endpoint calls through what stands in front of the tools [%s]",
    async (protocol) => {
      const args = ["call", served, "--export", "endpoint", "--endpoint", "--protocol", protocol]
      const terminal = shop.terminal([...args, "--header", "authorization=Bearer ann"])
      await terminal.sees("One of 3?")
      terminal.types(keys.enter)
      await terminal.sees("Ordered.")
      assert.strictEqual(await terminal.ends, 0)
      const { code, err } = await shop.run(args)
      assert.strictEqual(code, 1)
      assert.include(err, "HTTP 401")
      assert.include(err, "--header authorization=..")
      const plain = await shop.run(args.filter((arg) => arg !== "--endpoint"))
      assert.include(plain.err, "the export is an endpoint and no registrations: say so with --endpoint")
    }
  )

  it("--without shows what a client without a capability is told", async () => {
    const { code, err } = await shop.run(["call", server, "order_book", `{"title":"Emma"}`, "--without", "elicitation"])
    assert.strictEqual(code, 1)
    assert.include(err, "the call was refused with error -32021")
  })

  it.each([
    ["2026-07-28", ["round 1", "answer to bookshop/ConfirmBackorder", "round 2"]],
    ["2025-11-25", ["round 1", "answer to bookshop/ConfirmBackorder"]]
  ] as const)(
    "--trace draws rounds, resolvers and the time an answer took on one axis [%s]",
    async (protocol, rows) => {
      const args = [
        "call",
        server,
        "order_book",
        `{"title":"Emma"}`,
        "--answers",
        "answers.json",
        "--trace",
        "-p",
        protocol
      ]
      const { out } = await shop.run(args)
      const lines = out.split("\n").filter((line) => /\d ms$/.test(line))
      assert.deepStrictEqual(
        lines.map((line) => /^(round \d|answer to \S+)/.exec(line)?.[0]).filter((row) => row !== undefined),
        [...rows]
      )
      for (const line of lines) assert.match(line, /[█┄]+ +[\d.]+ ms$/)
      const stock = lines.find((line) => line.includes("bookshop/CheckStock"))!
      const round = lines[0]!
      assert.isAtLeast(stock.indexOf("█"), round.indexOf("█"))
      assert.isAtMost(stock.lastIndexOf("█"), round.lastIndexOf("█"))
    }
  )
})

describe("check", () => {
  // those of a number, and the two that put several together
  const modules = readdirSync(new URL("../../examples/", import.meta.url)).filter((name) =>
    /^(\d\d|server|shop\.ts)/.test(name)
  )

  it.each(modules)("finds nothing wrong with examples/%s, but for what only its server gives", async (name) => {
    const { code, err, out } = await shop.run(["check", `examples/${name}`])
    const wants = /a setting cannot be read: .*|nothing provides the service '(?!bookshop\/)/.exec(err)?.[0]
    assert.deepStrictEqual({ code, wrong: wants ?? err }, { code: wants === undefined ? 0 : 1, wrong: wants ?? "" })
    if (wants === undefined) assert.include(out, `examples/${name}: nothing is wrong with`)
  })

  it("says in a terminal that nothing is wrong", async () => {
    const terminal = shop.terminal(["check", server])
    await terminal.sees("examples/server.ts: nothing is wrong with the 6 things it registers")
    assert.strictEqual(await terminal.ends, 0)
  })

  it("rehearses calls round by round, and a durable value in a question is no difference", async () => {
    const { code, out } = await shop.run(["check", "examples/10-durable.ts", "--calls", "calls.json"])
    assert.deepStrictEqual(
      { code, out },
      { code: 0, out: "examples/10-durable.ts: nothing is wrong with the one thing it registers\n" }
    )
  })

  it("says that a file of calls is none", async () => {
    const { code, err } = await shop.run(["check", server, "--calls", "package.json"])
    assert.strictEqual(code, 2)
    assert.include(err, "package.json is no file of calls")
  })
})

describe("the command line", () => {
  it("does not hold a module to account as a test would, for a replacement that nothing uses", async () => {
    for (const args of [["graph"], ["check"], ["call", "greet"]]) {
      const [verb = "", ...rest] = args
      const { code, err } = await shop.run([verb, "test/bin/fixtures/overridden.ts", ...rest])
      assert.deepStrictEqual({ code, err }, { code: 0, err: "" })
    }
  })

  it("colours a terminal and nothing else, and keeps to NO_COLOR", async () => {
    const plain = await shop.run(["graph", server])
    assert.notInclude(plain.out, escape)
    const terminal = shop.terminal(["graph", server])
    await terminal.ends
    assert.include(terminal.raw(), `${escape}[1morder_book${escape}[0m`)
    const asked = shop.terminal(["graph", server], { NO_COLOR: "1" })
    await asked.ends
    assert.notInclude(asked.raw(), `${escape}[1m`)
  })

  it("has help for each command, and completions for shells", async () => {
    const all = await shop.run(["--help"])
    for (const name of ["graph", "call", "check"]) assert.match(all.out, new RegExp(`^ +${name} +\\w`, "m"))
    const call = await shop.run(["call", "--help"])
    assert.include(call.out, "effect-resolve call [flags] <module> [<tool>] [<json>]")
    const completions = await shop.run(["--completions", "bash"])
    assert.strictEqual(completions.code, 0)
    assert.include(completions.out, "effect-resolve")
  })

  it("says what it needs on a Node that does not run TypeScript, and ends with 1", async () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.0" } })`
    const { code, err, out } = await shop.run(["call", server], {
      env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"` }
    })
    assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
    assert.include(err, "takes Node 22.19 or later; this is Node 22.18.0")
  })

  it("says which of its peers is not installed", async () => {
    const peers = `${shop.home}/node_modules/@effect`
    renameSync(peers, `${peers}-away`)
    const { code, err } = await shop.run(["graph", server])
    renameSync(`${peers}-away`, peers)
    assert.deepStrictEqual(
      { code, err },
      {
        code: 1,
        err: "effect-resolve's command line needs @effect/platform-node, which is not installed: npm install @effect/platform-node@~4.1.0\n"
      }
    )
  })

  it("is loaded by nothing else of the package", () => {
    const src = new URL("../../src/", import.meta.url)
    const importers = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/^bin[\\/]/.test(name))
      .filter((name) => /from "[^"]*\/bin\/|import\("[^"]*\/bin\//.test(readFileSync(new URL(name, src), "utf8")))
    assert.deepStrictEqual(importers, [])
  })
})
