import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Cell, type Check, cells, checks, name } from "./cells.ts"
import { connect, type Peer, type Reply, serverCommand, type Target } from "./clients.ts"

const ran = new Map<string, Array<Check>>()

// ---------------------------------------------------------------- servers over HTTP: one per list of protocols

const servers = new Map<string, { readonly url: string; readonly child: ChildProcess }>()
const urlOf = async (cell: Cell): Promise<string> => {
  const running = servers.get(cell.server.join())
  if (running !== undefined) return running.url
  const { command, args, cwd } = serverCommand("http", ...cell.server)
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    servers.set(cell.server.join(), { url, child })
    return url
  }
  throw new Error("The server ended before it listened")
}
afterAll(async () => {
  for (const { child } of servers.values()) {
    const exit = once(child, "exit")
    child.kill("SIGTERM")
    await exit
  }
})

const result = (text: string): Reply => ({ kind: "result", isError: false, text, structured: undefined })
const failure = (text: string): Reply => ({ kind: "result", isError: true, text, structured: undefined })
const none = { form: 0, url: 0, sampling: 0, roots: 0 }
const missing = (requiredCapabilities: object) =>
  expect.objectContaining({ kind: "error", code: -32021, data: { requiredCapabilities } })

describe.each(cells.map((cell) => ({ cell, title: name(cell) })))("$title", ({ cell, title }) => {
  let peer: Peer
  let target: Target
  const forms = cell.version >= "2025-06-18"
  const urls = cell.version >= "2025-11-25"
  const modern = cell.version === "2026-07-28"

  beforeAll(async () => {
    target =
      cell.transport === "http"
        ? { transport: "http", url: await urlOf(cell) }
        : { transport: "stdio", protocols: cell.server }
    peer = await connect(cell.client, target, cell.version)
  })
  afterAll(async () => {
    await peer?.close()
    const passed = ran.get(title)?.length ?? 0
    process.stdout.write(`${passed === checks.length ? "ok    " : "FAILED"} ${title}: ${passed} of ${checks.length}\n`)
  })

  const check = (what: Check, run: () => Promise<void>) =>
    it(what, async () => {
      peer.reset()
      await run()
      ran.set(title, [...(ran.get(title) ?? []), what])
    })
  const text = async (reply: Promise<Reply>) => {
    const given = await reply
    return given.kind === "result" ? given.text : given
  }

  check("agrees on the version", async () => {
    expect(peer.version ?? cell.version).toBe(cell.version)
    expect(await peer.call("request_id")).toEqual(result(`${cell.version} known`))
  })

  check("lists tools without the resolved values", async () => {
    const tools = new Map((await peer.tools()).map((tool) => [tool.name, tool.arguments]))
    expect(tools.get("ask_form")).toEqual(["title"])
    expect(tools.get("ask_roots")).toEqual([])
    expect(tools.get("ask_all")).toEqual(["key", "title", "genre"])
    expect(tools.has("browse_shelf")).toBe(false)
  })

  check("gives results of both kinds", async () => {
    expect(await peer.call("echo", { text: "hello" })).toEqual(result("hello"))
    const sum = await peer.call("sum", { a: 2, b: 3 })
    expect(sum).toMatchObject({ kind: "result", isError: false, text: '{"sum":5}' })
    // structured results came with 2025-06-18
    if (cell.version >= "2025-06-18") expect(sum).toMatchObject({ structured: { sum: 5 } })
  })

  check("keeps 50 calls at once apart", async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `call ${index}`)
    const replies = await Promise.all(texts.map((text) => peer.call("echo", { text })))
    expect(replies).toEqual(texts.map(result))
    if (!forms) return
    peer.answers.form = (message) => ({ action: "accept", content: { confirm: message !== "Order 'call 7'?" } })
    const ordered = await Promise.all(texts.map((title) => peer.call("ask_form", { title })))
    expect(ordered).toEqual(
      texts.map((title) => result(title === "call 7" ? "No order placed." : `Ordered '${title}'.`))
    )
    expect(peer.asked).toEqual({ ...none, form: 50 })
  })

  check("asks by a form, once", async () => {
    const reply = await peer.call("ask_form", { title: "Dune" })
    if (!forms) return expect(reply).toEqual(missing({ elicitation: { form: {} } }))
    expect(reply).toEqual(result("Ordered 'Dune'."))
    expect(peer.asked).toEqual({ ...none, form: 1 })
  })

  check("asks to open a page, once", async () => {
    const opened: Array<string> = []
    peer.answers.url = (message, url) => {
      opened.push(message, url)
      return { action: "accept" }
    }
    const reply = await peer.call("ask_url")
    if (!urls) return expect(reply).toEqual(missing({ elicitation: { url: {} } }))
    expect(reply).toEqual(result("Signed in."))
    expect(opened).toEqual(["Sign in first.", "https://shop.example/login"])
    expect(peer.asked).toEqual({ ...none, url: 1 })
    // the body tells that the page is done; 2026-07-28 has no such message
    if (!modern) await peer.notified("notifications/elicitation/complete")
  })

  check("asks the client's model, once", async () => {
    expect(await peer.call("ask_model", { genre: "fantasy" })).toEqual(result("Today's pick: Dune"))
    expect(peer.asked).toEqual({ ...none, sampling: 1 })
  })

  check("asks for the roots, once", async () => {
    peer.answers.roots = () => ["file:///shop", "file:///cellar"]
    expect(await peer.call("ask_roots")).toEqual(result("Roots: file:///shop, file:///cellar"))
    expect(peer.asked).toEqual({ ...none, roots: 1 })
  })

  check("puts four questions of one call together", async () => {
    const key = `${title} all`
    const reply = await peer.call("ask_all", { key, title: "Dune", genre: "fantasy" })
    if (!urls) {
      expect(reply).toEqual(missing(forms ? { elicitation: { url: {} } } : expect.anything()))
      return
    }
    expect(reply).toEqual(result("true; true; Dune; file:///shop"))
    expect(peer.asked).toEqual({ form: 1, url: 1, sampling: 1, roots: 1 })
    expect(await text(peer.call("ledger", { key }))).toBe(modern ? "round, round" : "round")
  })

  check("charges once in a call that asks twice", async () => {
    if (!forms) return
    const key = `${title} twice`
    peer.answers.form = (message) => ({
      action: "accept",
      content: message.startsWith("Order") ? { confirm: true } : { paper: "red" }
    })
    expect(await peer.call("ask_twice", { key, title: "Dune" })).toEqual(result("paid, wrapped in red"))
    expect(peer.asked).toEqual({ ...none, form: 2 })
    expect(await text(peer.call("ledger", { key }))).toBe("charged, body")
  })

  check("asks from a body", async () => {
    const reply = await peer.call("ask_in_body", { title: "Dune" })
    if (!forms) return expect(reply).toEqual(missing({ elicitation: { form: {} } }))
    expect(reply).toEqual(result("Really ordered 'Dune'."))
    expect(peer.asked).toEqual({ ...none, form: 1 })
  })

  check("tells a refusal, a false and a branch apart", async () => {
    if (!forms) return
    const refused = (word: string) =>
      failure(
        `Error executing tool ask_form: Resolver for 'interop/Confirm' could not resolve: elicitation was ${word}`
      )
    peer.answers.form = () => ({ action: "decline" })
    expect(await peer.call("ask_form", { title: "Dune" })).toEqual(refused("decline"))
    expect(await peer.call("ask_and_branch", { title: "Dune" })).toEqual(result("Not ordered (Declined)."))
    peer.answers.form = () => ({ action: "cancel" })
    expect(await peer.call("ask_form", { title: "Dune" })).toEqual(refused("cancel"))
    expect(await peer.call("ask_and_branch", { title: "Dune" })).toEqual(result("Not ordered (Cancelled)."))
    peer.answers.form = () => ({ action: "accept", content: { confirm: false } })
    expect(await peer.call("ask_form", { title: "Dune" })).toEqual(result("No order placed."))
    expect(peer.asked).toEqual({ ...none, form: 5 })
  })

  check("names what a client did not declare", async () => {
    // another process each: once per version is enough
    if (cell.transport === "stdio" && cell.client !== "v2 legacy" && cell.client !== "v2 pin") return
    const bare = await connect(cell.client, target, cell.version, {})
    try {
      expect(await bare.call("ask_form", { title: "Dune" })).toEqual(missing({ elicitation: { form: {} } }))
      expect(await bare.call("ask_url")).toEqual(missing({ elicitation: { url: {} } }))
      expect(await bare.call("ask_model", { genre: "fantasy" })).toEqual(missing({ sampling: {} }))
      expect(await bare.call("ask_roots")).toEqual(missing({ roots: {} }))
      expect(await bare.call("echo", { text: "still here" })).toEqual(result("still here"))
      expect(bare.asked).toEqual(none)
    } finally {
      await bare.close()
    }
  })

  check("tells errors of each kind apart", async () => {
    expect(await peer.call("fail_declared", { title: "Dune" })).toEqual(
      failure("Error executing tool fail_declared: 'Dune' is sold out.")
    )
    expect(await peer.call("fail_defect")).toEqual(failure("Error executing tool fail_defect: internal error"))
    expect(await peer.call("nowhere")).toMatchObject({ kind: "error", code: -32602, message: "Unknown tool: nowhere" })
    const invalid = await peer.call("ask_form", { title: 7 })
    expect(invalid).toMatchObject({ kind: "result", isError: true })
    expect(await text(Promise.resolve(invalid))).toMatch(/^Error executing tool ask_form: .*title/s)
    expect(peer.asked).toEqual(none)
  })

  check("reports progress", async () => {
    const key = `${title} progress`
    const updates: Array<unknown> = []
    // the call ends when its last update has been seen: it was told while it ran
    const onprogress = (update: unknown) => {
      if (updates.push(update) === 3) void peer.call("tell", { key, event: "arrived" })
    }
    expect(await peer.call("progress", { key }, { onprogress })).toEqual(result("done"))
    // messages came with 2025-03-26
    const message = (step: number) => (cell.version >= "2025-03-26" ? { message: `step ${step}` } : {})
    expect(updates).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3, ...message(progress) })))
  })

  check("interrupts a cancelled call, finalizers once", async () => {
    const key = `${title} slow`
    const abort = new AbortController()
    const slow = peer.call("slow", { key }, { signal: abort.signal })
    expect(await text(peer.call("wait_for", { key, event: "started" }))).toBe("started")
    abort.abort("enough")
    expect(await slow).toEqual({ kind: "aborted" })
    expect(await text(peer.call("wait_for", { key, event: "interrupted" }))).toBe("started, interrupted")
  })

  check("ignores an answer that comes after the cancellation", async () => {
    if (!forms) return
    const key = `${title} hold`
    const abort = new AbortController()
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      peer.answers.form = () => {
        resolve()
        return new Promise((late) => {
          answer = () => late({ action: "accept", content: { confirm: true } })
        })
      }
    })
    const call = peer.call("ask_and_hold", { key, title: "Dune" }, { signal: abort.signal })
    await asked
    abort.abort("enough")
    const end = modern ? "suspended" : "rolled back"
    expect(await text(peer.call("wait_for", { key, event: end }))).toBe(end)
    answer()
    expect(await call).toEqual({ kind: "aborted" })
    expect(await peer.call("echo", { text: "still here" })).toEqual(result("still here"))
    expect(await text(peer.call("ledger", { key }))).toBe(end)
    expect(peer.asked).toEqual({ ...none, form: 1 })
  })

  check("follows tools that come and go", async () => {
    if (modern) await peer.subscribe("catalog://genres")
    const changed = "notifications/tools/list_changed"
    expect(await peer.call("browse_shelf")).toMatchObject({ kind: "error", message: "Unknown tool: browse_shelf" })
    expect(await peer.call("open_shelf")).toEqual(result("open"))
    await peer.notified(changed)
    expect((await peer.tools()).map((tool) => tool.name)).toContain("browse_shelf")
    expect(await peer.call("browse_shelf")).toEqual(result("Dune, Emma"))
    expect(await peer.call("close_shelf")).toEqual(result("closed"))
    await peer.notified(changed, 2)
    expect((await peer.tools()).map((tool) => tool.name)).not.toContain("browse_shelf")
    expect(await peer.call("browse_shelf")).toMatchObject({ kind: "error", message: "Unknown tool: browse_shelf" })
    expect(peer.notifications.filter((notification) => notification.method === changed)).toHaveLength(2)
  })

  check("tells of changed prompts and resources", async () => {
    const uri = "catalog://genres"
    if (!modern) await peer.subscribe(uri)
    expect(await peer.call("notify", { uri })).toEqual(result("told"))
    await peer.notified("notifications/prompts/list_changed")
    await peer.notified("notifications/resources/updated")
    expect(peer.notifications).toContainEqual({
      method: "notifications/resources/updated",
      params: expect.objectContaining({ uri })
    })
  })

  check("gives prompts, completions and resources", async () => {
    expect(await peer.prompts()).toEqual(expect.arrayContaining(["blurb", "blurb_for"]))
    expect(await text(peer.prompt("blurb", { title: "Emma" }))).toBe("Write a blurb for 'Emma'.")
    expect(await peer.complete("blurb", "title", "Du")).toEqual(["Dune"])
    const { uris, templates } = await peer.resources()
    expect(uris).toEqual(expect.arrayContaining(["catalog://genres", "catalog://for-you"]))
    expect(templates).toEqual(["catalog://books/{title}"])
    expect(await text(peer.read("catalog://genres"))).toBe("fiction, non-fiction, poetry")
    expect(await text(peer.read("catalog://books/Emma"))).toBe("The book 'Emma'")
    expect(await peer.call("read_catalog", { uri: "catalog://genres" })).toEqual(result("fiction, non-fiction, poetry"))
    expect(peer.asked).toEqual(none)
  })

  check("asks for a prompt and a resource", async () => {
    peer.answers.form = () => ({ action: "accept", content: { name: "Jane" } })
    const prompt = peer.prompt("blurb_for", { title: "Emma" })
    if (!forms) return expect(await prompt).toEqual(missing({ elicitation: { form: {} } }))
    expect(await text(prompt)).toBe("Write a blurb for 'Emma', to be read by Jane.")
    expect(await text(peer.read("catalog://for-you"))).toBe("Books for Jane")
    expect(peer.asked).toEqual({ ...none, form: 2 })
    peer.answers.form = () => ({ action: "decline" })
    expect(await peer.prompt("blurb_for", { title: "Emma" })).toMatchObject({
      kind: "error",
      code: -32603,
      message: expect.stringContaining("Resolver for 'interop/Reader' could not resolve: elicitation was decline")
    })
  })

  check("refuses state that it did not seal", async () => {
    const reply = await peer.raw({ name: "echo", arguments: { text: "hello" }, requestState: "v1.forged" })
    if (modern) {
      expect(reply).toEqual({
        kind: "error",
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "invalid_request_state" }
      })
    } else {
      // older protocols know no such member
      expect(reply).toEqual(result("hello"))
    }
    expect(peer.errors).toEqual([])
  })
})

describe("the matrix", () => {
  it("ran every cell that is listed, and every check of it", () => {
    expect(new Set(cells.map(name)).size).toBe(cells.length)
    expect([...ran.keys()].sort()).toEqual(cells.map(name).sort())
    for (const done of ran.values()) expect(done).toEqual(checks)
  })
})
