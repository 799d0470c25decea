/**
 * The command line as its users have it: the built package in a project of its own, run by a Node that takes TypeScript
 * as it is, in a terminal or without one.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import * as Pty from "@lydell/node-pty"

const root = fileURLToPath(new URL("../../", import.meta.url))
const { bin, dependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const runsTypeScript = major > 22 || (major === 22 && minor >= 19)

/** This Node, or the newest long-lived one where this is an older one. */
const findNode = () =>
  runsTypeScript
    ? process.execPath
    : execFileSync("npx", ["--yes", "--package=node@24", "--", "node", "-p", "process.execPath"], {
        encoding: "utf8"
      }).trim()

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Session {
  /** Waits until the screen has shown this since the last wait. */
  readonly sees: (text: string) => Promise<void>
  readonly types: (keys: string) => void
  /** The exit code, once it is over. */
  readonly ends: Promise<number>
  /** All that was on the screen, as text. */
  readonly screen: () => string
  /** The same with everything that moved and coloured it. */
  readonly raw: () => string
}

export const keys = { enter: "\r", down: "\u001b[B", space: " ", interrupt: "\u0003" }

export interface Project {
  readonly home: string
  readonly write: (file: string, text: string) => void
  readonly run: (
    args: ReadonlyArray<string>,
    options?: { readonly node?: string; readonly env?: { readonly [name: string]: string } }
  ) => Promise<Ended>
  readonly terminal: (args: ReadonlyArray<string>, env?: { readonly [name: string]: string }) => Session
  readonly remove: () => void
}

/** A project with the package installed, and with what else is named copied into it. */
export const project = (...copied: ReadonlyArray<string>): Project => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "effect-resolve-bin-")))
  const installed = join(home, "node_modules/effect-resolve")
  mkdirSync(installed, { recursive: true })
  const tsc = join(root, "node_modules/.bin/tsc")
  execFileSync(tsc, ["-p", join(root, "tsconfig.build.json"), "--outDir", join(installed, "dist")], { stdio: "pipe" })
  cpSync(join(root, "package.json"), join(installed, "package.json"))
  for (const name of ["effect", "@effect", "jose", ...Object.keys(dependencies)]) {
    mkdirSync(dirname(join(home, "node_modules", name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name))
  }
  writeFileSync(join(home, "package.json"), `{ "type": "module" }`)
  for (const path of copied) cpSync(join(root, path), join(home, path), { recursive: true })
  const node = findNode()
  const main = join(installed, bin["effect-resolve"])
  const { FORCE_COLOR: _force, NODE_OPTIONS: _options, NO_COLOR: _none, ...inherited } = process.env
  const env = { ...inherited, TERM: "xterm-256color" } as { readonly [name: string]: string }
  const clean = (text: string) => stripVTControlCharacters(text).replaceAll("\r", "")
  return {
    home,
    write: (file, text) => {
      mkdirSync(dirname(join(home, file)), { recursive: true })
      writeFileSync(join(home, file), text)
    },
    run: (args, options = {}) =>
      new Promise((resolve) => {
        const child = spawn(options.node ?? node, [main, ...args], {
          cwd: home,
          env: { ...env, ...options.env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk) => (out += chunk))
        child.stderr.on("data", (chunk) => (err += chunk))
        child.once("close", (code) => resolve({ code, out, err }))
      }),
    terminal: (args, more) => {
      const pty = Pty.spawn(node, [main, ...args], { cwd: home, cols: 100, rows: 40, env: { ...env, ...more } })
      let shown = ""
      let seen = 0
      let over = false
      const waiting = new Set<() => void>()
      const look = () => [...waiting].forEach((one) => one())
      pty.onData((data) => {
        shown += data
        look()
      })
      const ends = new Promise<number>((resolve) =>
        pty.onExit(({ exitCode }) => {
          over = true
          look()
          resolve(exitCode)
        })
      )
      const screen = () => clean(shown)
      return {
        ends,
        screen,
        raw: () => shown,
        types: (text) => pty.write(text),
        sees: (text) =>
          new Promise((resolve, reject) => {
            const done = (finish: () => void) => {
              clearTimeout(timer)
              waiting.delete(check)
              finish()
            }
            const fail = () => done(() => reject(new Error(`not on the screen: ${text}\n${screen().slice(seen)}`)))
            const timer = setTimeout(fail, 30_000)
            const check = () => {
              const at = screen().indexOf(text, seen)
              if (at >= 0) {
                seen = at + text.length
                done(resolve)
              } else if (over) fail()
            }
            waiting.add(check)
            check()
          })
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true })
  }
}
