#!/usr/bin/env node
/** The command line `effect-resolve`. It loads the rest only on a Node that runs TypeScript as it is. */
import * as Module from "node:module"
import * as Text from "./sentences.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

const end = (sentence: string) => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

if (major < 22 || (major === 22 && minor < 19)) {
  end(Text.olderNode(process.versions.node))
} else {
  Module.enableCompileCache()
  import("./run.ts").then(undefined, (cause: unknown) => {
    if (!String(cause).includes("'@effect/platform-node'")) throw cause
    end(Text.noPlatform)
  })
}
