/** Runs the installed compiler and reads what it prints as data. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Diagnostic {
  /** Relative to the root of the package. */
  readonly file: string
  readonly line: number
  /** All of it, details included. */
  readonly text: string
}

export const tsc = (...args: ReadonlyArray<string>): ReadonlyArray<Diagnostic> => {
  const found: Array<Diagnostic & { text: string }> = []
  const { stdout } = spawnSync("node_modules/.bin/tsc", [...args, "--pretty", "false"], { cwd: root, encoding: "utf8" })
  for (const line of stdout.split("\n").filter((line) => line !== "")) {
    const head = /^(\S+)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line)
    if (head !== null) found.push({ file: head[1]!, line: Number(head[2]), text: head[3]! })
    else if (found.length > 0) found[found.length - 1]!.text += `\n${line}`
    else throw new Error(`tsc: ${stdout}`)
  }
  return found
}
