/** Runs a compiler and reads what it prints as data. */
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

/** The compilers that a program of a user's is promised to be read by. */
export const compilers = {
  "TypeScript 7": "node_modules/typescript/bin/tsc",
  "TypeScript 5.9": "node_modules/@tsd/typescript/typescript/bin/tsc"
}

export const tsc = (...args: ReadonlyArray<string>): ReadonlyArray<Diagnostic> => by("TypeScript 7", ...args)

export const by = (compiler: keyof typeof compilers, ...args: ReadonlyArray<string>): ReadonlyArray<Diagnostic> => {
  const found: Array<Diagnostic & { text: string }> = []
  const { stdout } = spawnSync(process.execPath, [compilers[compiler], ...args, "--pretty", "false"], {
    cwd: root,
    encoding: "utf8"
  })
  for (const line of stdout.split("\n").filter((line) => line !== "")) {
    const head = /^(\S+)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line)
    if (head !== null) found.push({ file: head[1]!, line: Number(head[2]), text: head[3]! })
    else if (found.length > 0) found[found.length - 1]!.text += `\n${line}`
    else throw new Error(`tsc: ${stdout}`)
  }
  return found
}
