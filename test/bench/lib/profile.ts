/** Self time by module, from a profile in the format of `node --cpu-prof`. */
import { readFileSync } from "node:fs"

export const modules = [
  "effect-resolve",
  "effect/ai",
  "effect http and rpc",
  "effect schema",
  "effect core",
  "@effect/platform-node",
  "contestant",
  "node",
  "garbage collection",
  "native code",
  "official server and its packages",
  "other"
] as const
export type Module = (typeof modules)[number]

const moduleOf = (frame: { readonly functionName: string; readonly url: string }): Module | undefined => {
  const { functionName, url } = frame
  if (functionName === "(idle)") return undefined
  if (functionName === "(garbage collector)") return "garbage collection"
  if (url === "") return "native code"
  if (url.startsWith("node:")) return "node"
  if (url.includes("/test/bench/")) return "contestant"
  if (url.includes("/node_modules/@effect/platform-node")) return "@effect/platform-node"
  if (url.includes("/node_modules/effect/")) {
    if (url.includes("/ai/")) return "effect/ai"
    if (/\/(http|rpc)\//.test(url)) return "effect http and rpc"
    if (/\/Schema|SchemaParser|SchemaIssue/.test(url)) return "effect schema"
    return "effect core"
  }
  if (url.includes("/node_modules/"))
    return /@modelcontextprotocol|hono|zod/.test(url) ? "official server and its packages" : "other"
  return /\/(dist|src)\//.test(url) ? "effect-resolve" : "other"
}

export interface Profile {
  readonly share: Readonly<Record<Module, number>>
  readonly top: ReadonlyArray<{ readonly module: Module; readonly name: string; readonly share: number }>
}

export const read = (path: string): Profile => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, "utf8")) as {
    nodes: Array<{ id: number; callFrame: { functionName: string; url: string; lineNumber: number } }>
    samples: Array<number>
    timeDeltas: Array<number>
  }
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const byModule = Object.fromEntries(modules.map((name) => [name, 0])) as Record<Module, number>
  const byFunction = new Map<string, { module: Module; name: string; time: number }>()
  let total = 0
  samples.forEach((id, at) => {
    const frame = frames.get(id)!
    const module = moduleOf(frame)
    if (module === undefined) return
    const time = timeDeltas[at] ?? 0
    total += time
    byModule[module] += time
    const file = frame.url.split("/").slice(-1)[0]
    const name = `${frame.functionName || "(anonymous)"}${file ? ` ${file}:${frame.lineNumber + 1}` : ""}`
    const key = `${module} ${name}`
    const known = byFunction.get(key)
    if (known === undefined) byFunction.set(key, { module, name, time })
    else known.time += time
  })
  return {
    share: Object.fromEntries(modules.map((name) => [name, byModule[name] / total])) as Record<Module, number>,
    top: [...byFunction.values()]
      .sort((a, b) => b.time - a.time)
      .slice(0, 200)
      .map(({ module, name, time }) => ({ module, name, share: time / total }))
  }
}
