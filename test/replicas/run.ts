/**
 * The page "More than one replica" as it is done: two replicas of examples/replicas/server.ts, Redis and nginx; one replica
 * is killed, a tool is switched on everywhere, and a changed program is rolled out while a call is open.
 *
 * `npm run replicas`. Prints a line for each check, and at the end `N passed, N failed`.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { answer, begin, post } from "./client.ts"
import * as Parts from "./parts.ts"

const program = fileURLToPath(new URL("../../examples/replicas/server.ts", import.meta.url))
const counts = { passed: 0, failed: 0 }

const check = (title: string, holds: boolean): void => {
  counts[holds ? "passed" : "failed"]++
  console.log(`${holds ? "ok     " : "FAILED "} ${title}`)
}

const start = async (environment: { readonly [name: string]: string }) => {
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  child.stdout.on("data", (chunk) => (log += chunk))
  child.stderr.on("data", (chunk) => (log += chunk))
  await Parts.listening(Number(environment.PORT), child, () => log)
  return async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await Parts.ended(child)
  }
}

const names = async (port: number): Promise<ReadonlyArray<string>> =>
  (await post(port, "tools/list", {})).message.result.tools.map(({ name }: { readonly name: string }) => name)

/** Until each replica lists it, or does not: the switch is followed, not waited for. */
const listed = async (ports: ReadonlyArray<number>, tool: string, is: boolean): Promise<boolean> => {
  for (let tries = 0; tries < 200; tries++) {
    const lists = await Promise.all(ports.map(names))
    if (lists.every((list) => list.includes(tool) === is)) return true
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}

const release = async (port: number) =>
  (await post(port, "server/discover", {})).message.result._meta["io.modelcontextprotocol/serverInfo"].version as string

const demonstration = Effect.gen(function* () {
  const redis = yield* Parts.redis
  const ports = [yield* Effect.promise(Parts.freePort), yield* Effect.promise(Parts.freePort)] as const
  const environment = { REDIS_URL: `redis://127.0.0.1:${redis.port}`, STATE_KEYS: "k".repeat(43) }
  const replica = (which: 0 | 1, version: string) =>
    start({ ...environment, PORT: String(ports[which]), REPLICA: `r${which + 1}`, RELEASE: version })

  let first = yield* Effect.promise(() => replica(0, "1.0.0"))
  let second = yield* Effect.promise(() => replica(1, "1.0.0"))
  const both = async (signal: NodeJS.Signals) => void (await Promise.all([first(signal), second(signal)]))
  yield* Effect.addFinalizer(() => Effect.promise(() => both("SIGKILL")))
  const { port } = yield* Parts.nginx(ports)

  yield* Effect.promise(async () => {
    const asked = await begin(port, "order_book", "Dune")
    const placed = await answer(port, asked)
    check("a call that asks is finished through the balancer", /Placed [0-9a-f-]{36} for 'Dune'/.test(placed.text))
    check("its last round sent again gets the same reply", (await answer(port, asked)).text === placed.text)

    const open = await begin(ports[0], "order_book", "Emma")
    await first("SIGKILL")
    const elsewhere = await answer(port, open)
    check("a replica is killed, and the other one finishes its call", elsewhere.text.includes("for 'Emma'"))
    first = await replica(0, "1.0.0")

    await post(port, "tools/call", { name: "switch_gifts", arguments: { on: true } })
    check("a tool is switched on in both", await listed(ports, "wrap_gift", true))
    await post(port, "tools/call", { name: "switch_gifts", arguments: { on: false } })
    check("and off in both", await listed(ports, "wrap_gift", false))

    const before = await begin(port, "order_book", "Persuasion")
    await first("SIGTERM")
    check("while one replica is replaced the other one answers", (await names(port)).includes("order_book"))
    first = await replica(0, "2.0.0")
    await second("SIGTERM")
    second = await replica(1, "2.0.0")
    const versions = await Promise.all(ports.map(release))
    check(
      "both replicas run the changed program",
      versions.every((version) => version === "2.0.0")
    )
    const after = await answer(port, before)
    check("a call that was open all the while is finished by it", after.text.includes("for 'Persuasion'"))
    check("and its last round sent again gets the same reply", (await answer(port, before)).text === after.text)
  })
})

const absent = Parts.missing().filter((name) => name === "redis" || name === "nginx")
if (absent.length > 0) {
  check(`needs ${absent.join(" and ")}`, false)
} else {
  await Effect.runPromise(Effect.scoped(demonstration)).catch((error: unknown) => check(String(error), false))
}
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exit(counts.failed === 0 ? 0 : 1)
