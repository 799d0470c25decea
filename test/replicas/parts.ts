/**
 * Real Redis, PostgreSQL, nginx and HAProxy for tests: each started on a free port of the loopback interface in a folder of
 * its own, and ended by its id. They come from Debian's packages; `missing` says which of them are not here.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

const find = (name: string): string | undefined => {
  const postgres = "/usr/lib/postgresql"
  const folders = [
    ...(process.env.PATH ?? "").split(":"),
    "/usr/sbin",
    ...(existsSync(postgres) ? readdirSync(postgres).map((version) => join(postgres, version, "bin")) : [])
  ]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

const binaries = { redis: "redis-server", postgres: "postgres", nginx: "nginx", haproxy: "haproxy" } as const

export type Name = keyof typeof binaries

export const isMissing = (name: Name): boolean => find(binaries[name]) === undefined

export const missing = (): ReadonlyArray<Name> => (Object.keys(binaries) as Array<Name>).filter(isMissing)

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const tryConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })

/** Until something listens; the process that should may have ended. */
export const listening = async (port: number, child: ChildProcess, log: () => string): Promise<void> => {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await tryConnect(port)) return
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}\n${log()}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`nothing listens on ${port}\n${log()}`)
}

export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.on("close", () => resolve())
  })

const start = (command: string, args: ReadonlyArray<string>) => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] })
  let log = ""
  child.stdout.on("data", (chunk) => (log += chunk))
  child.stderr.on("data", (chunk) => (log += chunk))
  return { child, log: () => log }
}

/** A part that can be killed and started again, with what it has on disk. */
export interface Part {
  readonly port: number
  readonly home: string
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
  readonly restart: () => Promise<void>
}

interface Program {
  readonly command: string
  readonly args: (home: string, port: number) => ReadonlyArray<string>
  readonly prepare?: (home: string, port: number) => void
  readonly stop: NodeJS.Signals
  /** The process to signal, where it is not the one that was started. */
  readonly id?: (home: string) => number
}

const part = ({ args, command, id, prepare, stop }: Program): Effect.Effect<Part, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const home = mkdtempSync(join(tmpdir(), "effect-resolve-part-"))
        const port = await freePort()
        prepare?.(home, port)
        let running: ChildProcess | undefined
        const restart = async () => {
          const { child, log } = start(command, args(home, port))
          running = child
          await listening(port, child, log)
        }
        const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
          if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
          if (id === undefined) running.kill(signal)
          else process.kill(id(home), signal)
          await ended(running)
        }
        await restart()
        return { port, home, kill, restart, stop }
      }),
      ({ home, kill }) =>
        Effect.promise(async () => {
          await kill(stop)
          rmSync(home, { recursive: true, force: true })
        })
    ),
    ({ home, kill, port, restart }) => ({ home, kill, port, restart })
  )

/** Redis that forgets nothing it has said yes to. */
export const redis: Effect.Effect<Part, never, Scope.Scope> = Effect.suspend(() =>
  part({
    command: find(binaries.redis) ?? "redis-server",
    args: (home, port) => [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", home, "--save", ""],
      ...["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]
    ],
    stop: "SIGTERM"
  })
)

const isRoot = process.getuid?.() === 0
/** PostgreSQL refuses root. */
const asPostgres = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args]

const check = (command: string, args: ReadonlyArray<string>): void => {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ended with ${status}\n${stdout}${stderr}`)
}

/** PostgreSQL, whose user `postgres` needs no password. */
export const postgres: Effect.Effect<Part, never, Scope.Scope> = Effect.suspend(() => {
  const data = (home: string) => join(home, "data")
  const server = find(binaries.postgres) ?? "postgres"
  return part({
    prepare: (home) => {
      if (isRoot) check("chown", ["postgres", home])
      else chmodSync(home, 0o700)
      const initdb = join(server, "../initdb")
      check(...asPostgres(initdb, ["-D", data(home), "-U", "postgres", "-A", "trust", "--no-sync"]))
    },
    command: asPostgres(server, [])[0],
    args: (home, port) => asPostgres(server, ["-D", data(home), "-p", String(port), "-h", "127.0.0.1", "-k", home])[1],
    id: (home) => Number(readFileSync(join(data(home), "postmaster.pid"), "utf8").split("\n")[0]),
    stop: "SIGINT"
  })
})

/** A balancer with a configuration of the guide, whose ports are changed to those of the test. */
const balancer = (
  name: "nginx" | "haproxy",
  replicas: readonly [number, number],
  args: (file: string, home: string) => ReadonlyArray<string>
): Effect.Effect<Part, never, Scope.Scope> =>
  Effect.suspend(() => {
    const file = (home: string) => join(home, `${name}.conf`)
    const source = new URL(
      `../../examples/replicas/${name === "nginx" ? "nginx.conf" : "haproxy.cfg"}`,
      import.meta.url
    )
    return part({
      prepare: (home, port) =>
        writeFileSync(
          file(home),
          readFileSync(source, "utf8")
            .replaceAll("127.0.0.1:3001", `127.0.0.1:${replicas[0]}`)
            .replaceAll("127.0.0.1:3002", `127.0.0.1:${replicas[1]}`)
            .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
        ),
      command: find(binaries[name]) ?? name,
      args: (home) => args(file(home), home),
      stop: "SIGTERM"
    })
  })

export const nginx = (replicas: readonly [number, number]) =>
  balancer("nginx", replicas, (file, home) => [
    ...["-c", file, "-p", home, "-e", join(home, "error.log")],
    ...["-g", `daemon off; pid ${home}/pid;`]
  ])

export const haproxy = (replicas: readonly [number, number]) =>
  balancer("haproxy", replicas, (file) => ["-db", "-f", file])
