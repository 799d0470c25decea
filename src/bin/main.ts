#!/usr/bin/env node
/** The command line `effect-resolve`. It loads the rest only on a Node that runs TypeScript as it is. */
import * as Module from "node:module"
import * as Text from "./sentences.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major > 22 || (major === 22 && minor >= 19)) {
  Module.enableCompileCache()
  void import("./run.ts")
} else {
  process.stderr.write(`${Text.olderNode(process.versions.node)}\n`)
  process.exitCode = 1
}
