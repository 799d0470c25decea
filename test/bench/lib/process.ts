/** The parent's half of the harness: children on the same Node, and questions to them. */
import { type ChildProcess, fork } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))

/** Scripts are compiled once, before the run, so that no loader sits in what is timed. */
export const compiled = (script: string): string => `${dist}${script}.js`

/** The first of what a child says on its standard error, told when it ends before its time. */
const complaints = new WeakMap<ChildProcess, string>()
const alive = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})

export interface Child {
  readonly process: ChildProcess
  readonly tell: <A>(message: unknown) => Promise<A>
  readonly end: () => Promise<void>
}

const next = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve, reject) => {
    const settle = () => {
      child.off("message", onMessage)
      child.off("exit", onExit)
    }
    const onMessage = (message: unknown) => {
      settle()
      resolve(message as A)
    }
    const onExit = (code: number | null) => {
      settle()
      const said = complaints.get(child)
      const reason = /^.*Error.*$/m.exec(said ?? "")?.[0] ?? said?.slice(0, 300) ?? ""
      reject(new Error(`ended with ${code}: ${reason}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })

export const start = (
  script: string,
  options?: { readonly node?: ReadonlyArray<string>; readonly args?: ReadonlyArray<string> }
): Child => {
  const path = compiled(script)
  if (!existsSync(path)) throw new Error(`${path} is not built`)
  const child = fork(path, options?.args ?? [], {
    execArgv: [...(options?.node ?? [])],
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  child.stderr?.on("data", (chunk) => {
    const said = complaints.get(child) ?? ""
    if (said.length < 4000) complaints.set(child, said + String(chunk))
  })
  alive.add(child)
  child.once("exit", () => alive.delete(child))
  return {
    process: child,
    tell: async <A>(message: unknown) => {
      child.send(message as never)
      return next<A>(child)
    },
    end: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once("exit", () => resolve())
        child.send("exit", (error) => {
          if (error !== null) child.kill()
        })
      })
  }
}

export interface Server extends Child {
  readonly port: number
  /** CPU time of the process so far, in microseconds. */
  readonly cpu: () => Promise<number>
}

export const startServer = async (script: string, node: ReadonlyArray<string> = []): Promise<Server> => {
  const child = start(script, { node })
  const { port } = await next<{ port: number }>(child.process)
  return { ...child, port, cpu: async () => (await child.tell<{ cpu: number }>("cpu")).cpu }
}

/** Runs a script that sends one message, its result, and ends. */
export const measure = async <A>(
  script: string,
  args: ReadonlyArray<string> = [],
  node: ReadonlyArray<string> = []
): Promise<A> => {
  const child = start(script, { args, node })
  const result = await next<A & { failed?: string }>(child.process)
  await child.end()
  if (result.failed !== undefined) throw new Error(result.failed)
  return result
}
